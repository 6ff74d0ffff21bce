import { readdirSync, readFileSync } from 'node:fs';

// USER_HZ, the unit of /proc/{pid}/stat, is 100 on every architecture that Node.js supports
const msPerTick = 10;

/**
 * Returns the CPU time of this process in milliseconds, over all threads including those of
 * libvips, and of its children: running ones to the nanosecond, ended ones in steps of 10 ms. Reads
 * from /proc, Linux only.
 */
export function processCpuMs(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const living = children.reduce((sum, pid) => sum + nanosecondsOf(pid), 0);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3 + living / 1e6 + endedMs();
}

/** Returns the CPU time of all running threads of a process in nanoseconds; 0 if it has exited. */
function nanosecondsOf(pid: string): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, id) => sum + parseInt(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8')), 0);
  } catch (error) {
    // The process has exited
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
      return 0;
    throw error;
  }
}

/**
 * Returns the CPU time of reaped children: fields 16 and 17 of the file. Fields are split after the
 * program name, the second field, which may contain any characters.
 */
function endedMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}
