import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Fleet } from '../fleet/fleet.js';
import type { Fault } from './fault.js';

const call = promisify(execFile);

/** Room for what a load draws in an hour, and filled in a moment. */
const megabytes = 256;
const fullForMs = 3_000;
/** What the apps delete while it lasts is filled again. */
const refillEveryMs = 50;
/** A write that has no room ends at once; one that was under way may wait for its turn. */
const partialsGoneWithinMs = 20_000;

const filling = Buffer.alloc(1024 ** 2, 'ballast');

export interface SmallStore {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * A file system in memory that is small enough to be filled, for `FleetOptions.blobFolder`. Mounting needs the rights of
 * root on Linux.
 *
 * @throws Error that says why there is none: whoever runs the faults says so and leaves out `diskFaults`
 */
export async function mountSmallStore(): Promise<SmallStore> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-small-store-'));
  const remove = () => rmdir(folder);
  try {
    await call('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
  } catch (error) {
    await remove();
    throw new Error(`No small disk could be mounted: ${(error as Error).message.trim()}`, { cause: error });
  }
  return {
    folder,
    async remove() {
      // Lazily: a process that was killed may still hold a file
      await call('umount', ['--lazy', folder]);
      await remove();
    },
  };
}

/** Fills what is left, to the last block. */
async function fill(ballast: string): Promise<void> {
  const file = await open(ballast, 'a');
  try {
    for (let bytes = filling.length; bytes >= 512; bytes /= 2) while (await appended(file, bytes));
  } finally {
    await file.close();
  }
}

async function appended(file: Awaited<ReturnType<typeof open>>, bytes: number): Promise<boolean> {
  try {
    return (await file.write(filling, 0, bytes)).bytesWritten === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

const partialsIn = async (folder: string): Promise<string[]> => readdir(join(folder, '.partial')).catch(() => []);

/**
 * What was being written when the disk was full must go away by itself.
 *
 * @param before what processes had left that were killed before: it is swept when it is an hour old
 */
async function untilPartialsAreGone(folder: string, before: ReadonlySet<string>): Promise<void> {
  const left = new Set((await partialsIn(folder)).filter((name) => !before.has(name)));
  const until = Date.now() + partialsGoneWithinMs;
  while (left.size > 0) {
    await sleep(refillEveryMs);
    const present = new Set(await partialsIn(folder));
    for (const name of left) if (!present.has(name)) left.delete(name);
    if (Date.now() > until) throw new Error(`${left.size} files without a name are left in the blob store`);
  }
}

async function fillStore({ blobFolder }: Fleet): Promise<void> {
  const { bsize, blocks } = await statfs(blobFolder);
  if (bsize * blocks > megabytes * 1024 ** 2)
    throw new Error('The blob store is on a disk of its machine; mount a small one for it.');
  const ballast = join(blobFolder, '.ballast');
  const before = new Set(await partialsIn(blobFolder));
  try {
    for (const until = Date.now() + fullForMs; Date.now() < until;) {
      await fill(ballast);
      await sleep(refillEveryMs);
    }
  } finally {
    await rm(ballast, { force: true });
  }
  await untilPartialsAreGone(blobFolder, before);
}

/** For a fleet whose blobs are in a small store. */
export const diskFaults: readonly Fault[] = [{ name: 'blob store full', strike: fillStore }];
