import type { Readable } from 'node:stream';
import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Size in bytes, modification time and version of a stored blob. */
export interface BlobStats {
  readonly size: number;
  readonly modifiedAt: Date;
  /**
   * Different bytes under the same key have different versions. Rewriting the same bytes may change
   * the version.
   */
  readonly version: string;
}

/** Key, size and modification time of a blob in a listing. */
export interface ListedBlob extends Omit<BlobStats, 'version'> {
  readonly key: string;
}

/** A whole blob, and the version of exactly these bytes. */
export interface VersionedBlob extends Pick<BlobStats, 'version'> {
  readonly bytes: Buffer;
}

/** Content of a blob to write: bytes, or a sequence or stream of chunks. */
export type BlobBytes = Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;

/** Error for a blob that is larger than its reader allows. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';

  constructor(readonly size: number) {
    super(`the blob has ${size} bytes`);
  }
}

/**
 * Store of blobs by key. A key is a path of at most 512 characters. Its segments consist of
 * letters, digits, `.`, `_`, `+` and `-`, and start with a letter or a digit. Every method throws a
 * TypeError for any other key, including `..`, before it accesses the store.
 *
 * If the store is temporarily unusable, `put` and `move` throw the DomainError
 * `service.unavailable`. In a bucket, all other methods do, too.
 */
export abstract class BlobStore {
  /**
   * Writes a blob atomically: readers get the old blob or the complete new one. Chunks are written
   * as they arrive; if the source fails, the old blob remains. Memory use is independent of the
   * length.
   */
  abstract put(key: string, bytes: BlobBytes): Promise<void>;

  /**
   * Writes a blob that is moved or deleted at the end of the request. The key must be new, and
   * unknown to readers until this resolves, because the write is not atomic. In a folder this takes
   * half of the system calls of `put`.
   */
  putTemporary(key: string, bytes: BlobBytes): Promise<void> {
    return this.put(key, bytes);
  }

  /** Returns the content of a blob with its version; null if it is missing. */
  abstract getVersioned(key: string): Promise<VersionedBlob | null>;

  /**
   * Returns a stream of a blob with backpressure; null if it is missing. Callers must consume or
   * destroy the stream.
   */
  abstract read(key: string): Promise<Readable | null>;

  /**
   * Calls `use` with the path of a local file with the content of a blob, and its size. The path is
   * valid until `use` has ended.
   *
   * @param maxBytes limit of the size. Content of larger blobs is not read. Default: none
   * @returns null without calling `use` if the blob is missing
   * @throws BlobTooLarge without calling `use`
   */
  abstract withFile<R>(
    key: string,
    use: (path: string, size: number) => Promise<R>,
    maxBytes?: number,
  ): Promise<R | null>;

  /** Returns size, time and version of a blob; null if it is missing. */
  abstract stat(key: string): Promise<BlobStats | null>;

  /**
   * Changes the key of a blob without reading its content. Replaces a blob that has the new key.
   *
   * @returns false if the blob is missing
   */
  abstract move(from: string, to: string): Promise<boolean>;

  /** Deletes a blob. A missing blob is not an error. */
  abstract delete(key: string): Promise<void>;

  /** Deletes every blob below the path `prefix`: `images/12` does not match `images/123`. */
  abstract deletePrefix(prefix: string): Promise<void>;

  /** Lists the keys below the path `prefix`, unordered. Memory does not grow with their number. */
  abstract list(prefix: string): AsyncGenerator<string>;

  /**
   * Lists keys with size and time. More expensive than `list` in a folder; much cheaper than `stat`
   * of each blob in a bucket.
   */
  abstract listStats(prefix: string): AsyncGenerator<ListedBlob>;

  /**
   * Deletes incomplete writes and temporary copies that are older than `end`, which killed
   * processes did not delete. `end` must be earlier than the start of all running operations.
   *
   * @returns the number of deleted writes and copies
   */
  abstract deletePartials(end: Date): Promise<number>;

  /** Returns the content of a blob; null if it is missing. */
  async get(key: string): Promise<Buffer | null> {
    return (await this.getVersioned(key))?.bytes ?? null;
  }

  async has(key: string): Promise<boolean> {
    return (await this.stat(key)) !== null;
  }
}

const keyPattern = /^[a-zA-Z0-9][\w.+-]*(?:\/[a-zA-Z0-9][\w.+-]*)*$/;

/** @throws TypeError for an invalid key */
export function checkKey(key: string): string {
  if (key.length > 512 || !keyPattern.test(key)) throw new TypeError('a blob key must be a path of plain segments');
  return key;
}

/** Returns the error of a temporarily unusable store, with `Retry-After`. */
export const storeUnavailable = (detail: string): DomainError =>
  new DomainError(problems['service.unavailable'], detail, undefined, { 'retry-after': '5' });
