import { readdir, readFile } from 'node:fs/promises';

/** Resource usage of a process since its start. */
export interface ProcessUsage {
  /** CPU time of all threads in milliseconds, in steps of 10, including ended children. */
  readonly cpuMs: number;
  /** Current resident memory in bytes. */
  readonly rss: number;
  /** Peak resident memory in bytes. */
  readonly peakRss: number;
}

// USER_HZ, the unit of /proc/{pid}/stat, is 100 on every architecture that Node.js supports
const msPerTick = 10;

/**
 * Reads the usage from /proc, Linux only.
 *
 * @throws Error with the code ENOENT if the process has exited
 */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const [fields, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').then(fieldsOf),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  // utime, stime, and both of reaped children
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { cpuMs: ticks * msPerTick, rss: bytes('VmRSS'), peakRss: bytes('VmHWM') };
}

/** Returns the ids of the child processes of every process, by its id. */
export async function childrenByParent(): Promise<Map<number, number[]>> {
  const children = new Map<number, number[]>();
  for (const each of (await readdir('/proc')).map(Number).filter((id) => id > 0)) {
    // The process may have exited
    const parent = Number(fieldsOf(await readFile(`/proc/${each}/stat`, 'utf8').catch(() => ''))[1]);
    children.set(parent, [...(children.get(parent) ?? []), each]);
  }
  return children;
}

/**
 * Returns the ids of a process and all its running descendants, such as a worker and its decoder.
 *
 * @param children result of `childrenByParent`, to share it between calls
 */
export async function processTreeOf(pid: number, children?: ReadonlyMap<number, number[]>): Promise<number[]> {
  const known = children ?? (await childrenByParent());
  const family = [pid];
  for (const member of family) family.push(...(known.get(member) ?? []));
  return family;
}

/** Returns the fields after the program name, which may contain any characters. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Returns the proportional set size in bytes. Linux only, for processes of the same user. */
export async function pssOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
}
