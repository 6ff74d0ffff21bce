import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { mkdir, open, opendir, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type BlobBytes,
  type BlobStats,
  BlobStore,
  BlobTooLarge,
  checkKey,
  type ListedBlob,
  storeUnavailable,
  type VersionedBlob,
} from './blob-store.js';

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

// Disk full, quota exceeded, remounted read-only after an error, failing disk or file server, too
// many open files
const unavailableCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE']);

/**
 * Converts file system errors of a temporarily unusable store to `service.unavailable`. Returns
 * other errors unchanged.
 */
export const toUnavailableError = (error: unknown): unknown =>
  unavailableCodes.has((error as NodeJS.ErrnoException).code ?? '')
    ? storeUnavailable('The blob store is temporarily not writable.')
    : error;

/**
 * Creates a folder and its parents with access for the owner only, because blobs include
 * unpublished images.
 */
const createPrivateFolder = (path: string): Promise<unknown> => mkdir(path, { recursive: true, mode: 0o700 });

/**
 * Returns the version of a file. A replaced blob is a new file with another inode number. The time
 * distinguishes files that reuse an inode number.
 */
const versionOf = ({ ino, mtimeMs, size }: Stats): string => `${ino}-${mtimeMs}-${size}`;

/**
 * Blob store in a folder, with a file for each blob. Folders and files are accessible to their
 * owner only.
 */
export class FolderBlobStore extends BlobStore {
  /**
   * Folder of blobs that are being written. No key can refer to it, because segments do not start
   * with a dot.
   */
  private readonly partials: string;

  constructor(private readonly folder: string) {
    super();
    this.partials = join(folder, '.partial');
  }

  /**
   * Durable: the file is flushed before it is renamed. Otherwise it could be empty after a power
   * failure.
   */
  async put(key: string, bytes: BlobBytes): Promise<void> {
    const path = this.path(key);
    const partial = join(this.partials, randomUUID());
    try {
      await writeNewFile(partial, bytes);
      await this.moveInto(partial, path);
    } catch (error) {
      // `deletePartials` deletes a remaining partial file later. Throw the first error
      await rm(partial, { force: true }).catch(() => undefined);
      throw toUnavailableError(error);
    }
  }

  /**
   * Flushes the content, so that `move` makes the blob durable, but not its name: no request
   * continues after a power failure.
   */
  override async putTemporary(key: string, bytes: BlobBytes): Promise<void> {
    const path = this.path(key);
    try {
      await writeNewFile(path, bytes);
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw toUnavailableError(error);
    }
  }

  /**
   * Reads version and bytes of the same open file, so that a concurrent replacement cannot mix
   * them.
   */
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

  async stat(key: string): Promise<BlobStats | null> {
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

  async withFile<R>(
    key: string,
    use: (path: string, size: number) => Promise<R>,
    maxBytes = Infinity,
  ): Promise<R | null> {
    const found = await this.stat(key);
    if (found === null) return null;
    if (found.size > maxBytes) throw new BlobTooLarge(found.size);
    return use(this.path(key), found.size);
  }

  async move(from: string, to: string): Promise<boolean> {
    const [source, target] = [this.path(from), this.path(to)];
    try {
      await this.moveInto(source, target);
      return true;
    } catch (error) {
      // False only if `from` is missing: a concurrent `deletePrefix` of the target folder also
      // causes ENOENT. An error of the flush is thrown although the blob is moved
      if (isMissing(error) && !(await this.has(from))) return false;
      throw toUnavailableError(error);
    }
  }

  async delete(key: string): Promise<void> {
    // Not `rm`, which calls stat twice first
    await unlink(this.path(key)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async deletePrefix(prefix: string): Promise<void> {
    // Concurrent writes can add files to a folder that was just emptied, hence the retries
    await rm(this.path(prefix), { force: true, recursive: true, maxRetries: 3 });
  }

  /** Opens one folder per level, and reads its entries in small batches. */
  async *list(prefix: string): AsyncGenerator<string> {
    let folder;
    try {
      folder = await opendir(this.path(prefix));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    for await (const entry of folder) {
      if (entry.isDirectory()) yield* this.list(`${prefix}/${entry.name}`);
      else if (entry.isFile()) yield `${prefix}/${entry.name}`;
    }
  }

  async *listStats(prefix: string): AsyncGenerator<ListedBlob> {
    for await (const key of this.list(prefix)) {
      const stats = await this.stat(key);
      if (stats !== null) yield { key, ...stats };
    }
  }

  deletePartials(end: Date): Promise<number> {
    return deleteOlder(this.partials, '', end);
  }

  // Creates the folder only if the rename fails: it is rarely missing, and `deletePrefix` can
  // delete it at any time
  private async moveInto(partial: string, path: string): Promise<void> {
    try {
      await rename(partial, path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await createPrivateFolder(dirname(path));
      await rename(partial, path);
    }
    await flushFolder(dirname(path));
  }

  private path(key: string): string {
    return join(this.folder, ...checkKey(key).split('/'));
  }
}

/** Writes and flushes a file. Creates its folder only if it is missing, which is rare. */
async function writeNewFile(path: string, bytes: BlobBytes): Promise<void> {
  const options = [path, 'wx', 0o600] as const;
  const file = await open(...options).catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await createPrivateFolder(dirname(path));
    return open(...options);
  });
  try {
    await writeFile(file, bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Deletes entries of a folder that were last changed before `end`.
 *
 * @param prefix of the names of these entries
 * @returns the number of deleted entries
 */
export async function deleteOlder(folder: string, prefix: string, end: Date): Promise<number> {
  let deleted = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    // Missing when its writer has renamed or deleted it since the listing
    const found = await stat(path).catch(() => null);
    if (found === null || found.mtime >= end) continue;
    await rm(path, { force: true, recursive: true });
    deleted += 1;
  }
  return deleted;
}

/**
 * Flushes a folder, because the name of a file is persisted with its folder. Ignores a folder
 * deleted by `deletePrefix`.
 */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
