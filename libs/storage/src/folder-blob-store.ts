import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { mkdir, open, opendir, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type BlobBytes,
  type BlobFacts,
  BlobStore,
  checkKey,
  type ListedBlob,
  storeAway,
  type VersionedBlob,
} from './blob-store.js';

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

// No room left, over quota, mounted read-only after an error, a disk or a file server that fails, no more open files
const unwritable = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE']);

/** What the file system says when it cannot take anything now, in words for the caller. */
export const ifUnwritable = (error: unknown): unknown =>
  unwritable.has((error as NodeJS.ErrnoException).code ?? '') ? storeAway('The blob store takes nothing now.') : error;

/** Makes a folder and the missing ones above it, for the owner only: what is not published lies there too. */
const makeOwnFolder = (path: string): Promise<unknown> => mkdir(path, { recursive: true, mode: 0o700 });

/** A replaced blob is another file. The time distinguishes a file that has got the inode number of a deleted one. */
const versionOf = ({ ino, mtimeMs, size }: Stats): string => `${ino}-${mtimeMs}-${size}`;

/** Blobs as files below one folder. Folders and files that it makes are for their owner only. */
export class FolderBlobStore extends BlobStore {
  /** Where blobs are written before they get their name; no key leads there. */
  private readonly partials: string;

  constructor(private readonly folder: string) {
    super();
    this.partials = join(folder, '.partial');
  }

  /** Whole also after a power cut: a file that is renamed before its bytes are on disk may come back empty. */
  async put(key: string, bytes: BlobBytes): Promise<void> {
    const path = this.path(key);
    const partial = join(this.partials, randomUUID());
    try {
      await makeOwnFolder(dirname(partial));
      await writeFile(partial, bytes, { flush: true, mode: 0o600 });
      await this.moveInto(partial, path);
    } catch (error) {
      // What cannot be removed now is swept later; what went wrong first is what counts
      await rm(partial, { force: true }).catch(() => undefined);
      throw ifUnwritable(error);
    }
  }

  /** Both are of the open file: a blob that is replaced meanwhile is another one. */
  async getVersioned(key: string): Promise<VersionedBlob | null> {
    try {
      const file = await open(this.path(key));
      try {
        return { version: versionOf(await file.stat()), bytes: await file.readFile() };
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async facts(key: string): Promise<BlobFacts | null> {
    try {
      const found = await stat(this.path(key));
      return found.isFile() ? { size: found.size, modifiedAt: found.mtime, version: versionOf(found) } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async read(key: string): Promise<Readable | null> {
    return (await this.has(key)) ? createReadStream(this.path(key)) : null;
  }

  async withFile<R>(key: string, use: (path: string) => Promise<R>): Promise<R | null> {
    return (await this.has(key)) ? use(this.path(key)) : null;
  }

  async move(from: string, to: string): Promise<boolean> {
    const [source, target] = [this.path(from), this.path(to)];
    try {
      await this.moveInto(source, target);
      return true;
    } catch (error) {
      // Not after any error: a folder that cannot be flushed has its blob, and `from` is gone
      if (isMissing(error) && !(await this.has(from))) return false;
      throw ifUnwritable(error);
    }
  }

  async delete(key: string): Promise<void> {
    // Not `rm`, which looks at the file twice before
    await unlink(this.path(key)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async deleteBelow(prefix: string): Promise<void> {
    // What is written meanwhile makes a folder full again that was just emptied
    await rm(this.path(prefix), { force: true, recursive: true, maxRetries: 3 });
  }

  /** One folder's entries at a time are in memory, a few of them. */
  async *below(prefix: string): AsyncGenerator<string> {
    let folder;
    try {
      folder = await opendir(this.path(prefix));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    for await (const entry of folder) {
      if (entry.isDirectory()) yield* this.below(`${prefix}/${entry.name}`);
      else if (entry.isFile()) yield `${prefix}/${entry.name}`;
    }
  }

  async *factsBelow(prefix: string): AsyncGenerator<ListedBlob> {
    for await (const key of this.below(prefix)) {
      const facts = await this.facts(key);
      if (facts !== null) yield { key, ...facts };
    }
  }

  deletePartials(end: Date): Promise<number> {
    return deleteOlder(this.partials, '', end);
  }

  // The folder of the key is made when it is missing: seldom, and deleteBelow may sweep it away at any moment
  private async moveInto(partial: string, path: string): Promise<void> {
    try {
      await rename(partial, path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await makeOwnFolder(dirname(path));
      await rename(partial, path);
    }
    await flushFolder(dirname(path));
  }

  private path(key: string): string {
    return join(this.folder, ...checkKey(key).split('/'));
  }
}

/** Removes what lies in a folder, begins with `prefix` and was last changed before `end`. @returns how many that were */
export async function deleteOlder(folder: string, prefix: string, end: Date): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    // Gone: whoever wrote it was not killed, just slow
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtime >= end) continue;
    await rm(path, { force: true, recursive: true });
    removed += 1;
  }
  return removed;
}

/** A name is on disk with its folder, and not with its file. The folder may be swept away by `deleteBelow` before. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
