import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Fleet } from '../fleet/fleet.js';
import type { Fault } from './fault.js';

const execute = promisify(execFile);

/** Size that lasts for an hour of rendered images under load, and can be filled quickly. */
const storeMegabytes = 256;
const fullForMs = 3_000;
/** Interval at which space that apps have freed is filled again. */
const refillEveryMs = 50;
/** Timeout for the deletion of the partial files of failed writes. */
const partialsTimeoutMs = 20_000;

const ballastChunk = Buffer.alloc(1024 ** 2, 'ballast');

export interface SmallStore {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Mounts a small file system in memory, for `FleetOptions.blobFolder`. Requires Linux and root.
 *
 * @throws Error if mounting fails
 */
export async function mountSmallStore(): Promise<SmallStore> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-small-store-'));
  const remove = () => rmdir(folder);
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${storeMegabytes}m,mode=0700`, 'tmpfs', folder]);
  } catch (error) {
    await remove();
    throw new Error(`Cannot mount a small file system: ${(error as Error).message.trim()}`, { cause: error });
  }
  return {
    folder,
    async remove() {
      // Lazy, because a killed process may still have an open file
      await execute('umount', ['--lazy', folder]);
      await remove();
    },
  };
}

/** Fills the remaining space completely. */
async function fill(ballast: string): Promise<void> {
  const file = await open(ballast, 'a');
  try {
    for (let bytes = ballastChunk.length; bytes >= 512; bytes /= 2) while (await append(file, bytes));
  } finally {
    await file.close();
  }
}

async function append(file: Awaited<ReturnType<typeof open>>, bytes: number): Promise<boolean> {
  try {
    return (await file.write(ballastChunk, 0, bytes)).bytesWritten === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

const partialFilesIn = async (folder: string): Promise<string[]> => readdir(join(folder, '.partial')).catch(() => []);

/**
 * Waits until partial files of writes to the full disk are deleted.
 *
 * @param before partial files from before the fault, which are ignored: those of killed processes
 *   are deleted only after an hour
 */
async function waitUntilPartialsDeleted(folder: string, before: ReadonlySet<string>): Promise<void> {
  const left = new Set((await partialFilesIn(folder)).filter((name) => !before.has(name)));
  const until = Date.now() + partialsTimeoutMs;
  while (left.size > 0) {
    await sleep(refillEveryMs);
    const present = new Set(await partialFilesIn(folder));
    for (const name of left) if (!present.has(name)) left.delete(name);
    if (Date.now() > until) throw new Error(`${left.size} partial files remain in the blob store`);
  }
}

async function fillStore({ blobFolder }: Fleet): Promise<void> {
  const { bsize, blocks } = await statfs(blobFolder);
  if (bsize * blocks > storeMegabytes * 1024 ** 2)
    throw new Error('The blob store is not on a small file system; mount one for it.');
  const ballast = join(blobFolder, '.ballast');
  const before = new Set(await partialFilesIn(blobFolder));
  try {
    for (const until = Date.now() + fullForMs; Date.now() < until;) {
      await fill(ballast);
      await sleep(refillEveryMs);
    }
  } finally {
    await rm(ballast, { force: true });
  }
  await waitUntilPartialsDeleted(blobFolder, before);
}

/** Faults for a fleet whose blob store is on a small file system. */
export const diskFaults: readonly Fault[] = [{ name: 'blob store full', inject: fillStore }];
