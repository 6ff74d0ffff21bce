import { readdir, readFile } from 'node:fs/promises';

/** What a process has used since it began. */
export interface ProcessUsage {
  /** Processor time over all threads, in milliseconds, in steps of 10; that of ended children is among it. */
  readonly cpuMs: number;
  /** Resident memory now, in bytes. */
  readonly rss: number;
  /** The most it ever was. */
  readonly peakRss: number;
}

// USER_HZ: what /proc/{pid}/stat counts in is 100 on every architecture that Node runs on
const msPerTick = 10;

/**
 * Reads from /proc, so for Linux only.
 *
 * @throws Error with the code ENOENT when the process has ended
 */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const [fields, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').then(fieldsOf),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  // utime, stime, and both of the children that were waited for
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { cpuMs: ticks * msPerTick, rss: bytes('VmRSS'), peakRss: bytes('VmHWM') };
}

/** The children of every process that has some, by its id. */
export async function childrenByParent(): Promise<Map<number, number[]>> {
  const children = new Map<number, number[]>();
  for (const each of (await readdir('/proc')).map(Number).filter((id) => id > 0)) {
    // It may have ended meanwhile
    const parent = Number(fieldsOf(await readFile(`/proc/${each}/stat`, 'utf8').catch(() => ''))[1]);
    children.set(parent, [...(children.get(parent) ?? []), each]);
  }
  return children;
}

/**
 * A process and, behind it, those that it and they have started, as far as they live: a worker and its decoder.
 *
 * @param children all there are, when several families are asked for
 */
export async function familyOf(pid: number, children?: ReadonlyMap<number, number[]>): Promise<number[]> {
  const known = children ?? (await childrenByParent());
  const family = [pid];
  for (const member of family) family.push(...(known.get(member) ?? []));
  return family;
}

/** Those behind the program's name, which may hold anything in its brackets. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Resident memory in bytes, of what it shares with others its part only. Linux only; needs the same user. */
export async function pssOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
}
