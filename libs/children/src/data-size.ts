import { existsSync, readFileSync } from 'node:fs';

const mapsFile = '/proc/self/maps';
const statusFile = '/proc/self/status';

/** Files that a child reads about itself, on Linux only. */
export const statusFiles = [mapsFile, statusFile] as const;

/**
 * Returns the number of bytes that V8 has reserved for compiled code. The number is the same in
 * this process and its children: nearly 0 with Node 20. With Node 24 and 26, 509 MB count as data
 * before the first line runs.
 */
export function reservedCodeBytes(): number {
  const ranges = readFileSync(mapsFile, 'utf8').matchAll(/^([\da-f]+)-([\da-f]+) rwxp/gm);
  return [...ranges].reduce((sum, [, from, to]) => sum + Number.parseInt(to!, 16) - Number.parseInt(from!, 16), 0);
}

/**
 * Returns a function that returns the bytes of this process that count towards the limit of its
 * data: private memory, also after its pages were returned to the kernel, so it may be far more
 * than the resident memory (RSS). Outside Linux, without that limit, it returns the resident
 * memory.
 */
export function dataMeter(): () => number {
  const residentBytes = (): number => process.memoryUsage.rss();
  if (!existsSync(statusFile)) return residentBytes;
  const reserved = reservedCodeBytes();
  return () => {
    const [, kilobytes] = /^VmData:\s+(\d+) kB$/m.exec(readFileSync(statusFile, 'latin1'))!;
    return Math.max(1024 * Number(kilobytes) - reserved, residentBytes());
  };
}
