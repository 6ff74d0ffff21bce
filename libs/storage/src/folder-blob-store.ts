import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Facts of a stored blob: size in bytes and when it was written. */
export interface BlobFacts {
  readonly size: number;
  readonly modifiedAt: Date;
}

const keyPattern = /^[a-zA-Z0-9][\w.+-]*(?:\/[a-zA-Z0-9][\w.+-]*)*$/;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

// No room left, over quota, mounted read-only after an error, a disk or a file server that fails, no more open files
const unwritable = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE']);

/** A store that cannot take a blob now is no defect of the request: the caller is told to come again. */
function toldApart(error: unknown): unknown {
  if (!unwritable.has((error as NodeJS.ErrnoException).code ?? '')) return error;
  const retry = { 'retry-after': '5' };
  return new DomainError(problems['service.unavailable'], 'The blob store takes nothing now.', undefined, retry);
}

/**
 * Blobs as files below one folder. A key is a path of plain segments (letters, digits, `.`, `_`, `+`, `-`); anything
 * else, `..` included, is refused before the file system sees it.
 */
export class FolderBlobStore {
  /** Where blobs are written before they get their name; no key leads there. */
  private readonly partials: string;

  constructor(private readonly folder: string) {
    this.partials = join(folder, '.partial');
  }

  /**
   * Writes a blob; readers see the old one or the whole new one, never a part, also after a power cut: a file that is
   * renamed before its bytes are on disk may come back empty. Pieces are written one after the other, as they come, and
   * when no more can come because one failed, there is no new blob.
   *
   * @throws DomainError `service.unavailable` when the store is full or cannot be written
   */
  async put(key: string, bytes: Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.path(key);
    const partial = join(this.partials, randomUUID());
    try {
      await mkdir(dirname(path), { recursive: true });
      await mkdir(dirname(partial), { recursive: true });
      await writeFile(partial, bytes, { flush: true });
      await this.moveInto(partial, path);
    } catch (error) {
      // What cannot be removed now is swept later; what went wrong first is what counts
      await rm(partial, { force: true }).catch(() => undefined);
      throw toldApart(error);
    }
  }

  /** The whole blob, or null when there is none. */
  async get(key: string): Promise<Buffer | null> {
    try {
      return await readFile(this.path(key));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async facts(key: string): Promise<BlobFacts | null> {
    try {
      const found = await stat(this.path(key));
      return found.isFile() ? { size: found.size, modifiedAt: found.mtime } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** The path of a blob for another process on this machine to read; null when there is none. */
  async file(key: string): Promise<string | null> {
    return (await this.has(key)) ? this.path(key) : null;
  }

  async has(key: string): Promise<boolean> {
    return (await this.facts(key)) !== null;
  }

  /**
   * Gives a blob another key, in the place of what was there, without reading it.
   *
   * @returns false when there is none
   * @throws as `put`
   */
  async move(from: string, to: string): Promise<boolean> {
    const target = this.path(to);
    if (!(await this.has(from))) return false;
    try {
      await mkdir(dirname(target), { recursive: true });
      await this.moveInto(this.path(from), target);
      return true;
    } catch (error) {
      throw toldApart(error);
    }
  }

  /** Removes a blob; removing what is not there is no error. */
  async delete(key: string): Promise<void> {
    await rm(this.path(key), { force: true });
  }

  /** Removes every blob below `prefix`, a whole path: `pictures/12` does not touch `pictures/123`. */
  async deleteBelow(prefix: string): Promise<void> {
    // What is written meanwhile makes a folder full again that was just emptied
    await rm(this.path(prefix), { force: true, recursive: true, maxRetries: 3 });
  }

  /** The keys below `prefix`, in no order. One folder's entries at a time are in memory, a few of them. */
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

  /** Removes what processes that were killed had begun to write before `end`. @returns how many files that were */
  async deletePartials(end: Date): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.partials).catch(() => [])) {
      const path = join(this.partials, name);
      // Gone: whoever wrote it was not killed, just slow
      const found = await stat(path).catch(() => null);
      if (found === null || found.mtime >= end) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  // The folder of the key may be swept away by deleteBelow between mkdir and rename: make it again, once
  private async moveInto(partial: string, path: string): Promise<void> {
    try {
      await rename(partial, path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await mkdir(dirname(path), { recursive: true });
      await rename(partial, path);
    }
    await flushFolder(dirname(path));
  }

  private path(key: string): string {
    if (key.length > 512 || !keyPattern.test(key)) throw new TypeError('a blob key must be a path of plain segments');
    return join(this.folder, ...key.split('/'));
  }
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

/**
 * The blob store of a URL: `file:///var/lib/storefront/blobs`.
 *
 * @throws TypeError for a URL of another kind
 */
export function openBlobStore(url: string): FolderBlobStore {
  const { protocol } = new URL(url);
  if (protocol !== 'file:') throw new TypeError(`BLOB_STORE_URL: ${protocol}// is not supported, use file:///folder`);
  return new FolderBlobStore(fileURLToPath(url).replace(/(?<![/\\])[/\\]+$/, ''));
}

export type BlobStore = FolderBlobStore;
