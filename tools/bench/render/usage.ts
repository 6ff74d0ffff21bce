import { readdirSync, readFileSync } from 'node:fs';

// USER_HZ: what /proc/{pid}/stat counts in is 100 on every architecture that Node runs on
const msPerTick = 10;

/**
 * Processor time in milliseconds that this process has used so far, over all threads, its own and those of libvips, with
 * that of its children: the living to the nanosecond, the ended in steps of 10 ms. When a child ends its time moves
 * from one sum to the other. Reads from /proc, so for Linux only.
 */
export function cpuMs(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const living = children.reduce((sum, pid) => sum + nanosecondsOf(pid), 0);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3 + living / 1e6 + endedMs();
}

/** Of all threads that live. */
function nanosecondsOf(pid: string): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, id) => sum + parseInt(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8')), 0);
  } catch (error) {
    // It ended while we looked
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
      return 0;
    throw error;
  }
}

/** Of children that were waited for: the 16th and 17th field; the program's name may hold anything. */
function endedMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}
