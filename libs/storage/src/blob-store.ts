import type { Readable } from 'node:stream';
import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Facts of a stored blob: size in bytes, when it was written, and the name of its bytes among those of the same key. */
export interface BlobFacts {
  readonly size: number;
  readonly modifiedAt: Date;
  /** Other bytes under the same key have another version; the same bytes, written again, may. */
  readonly version: string;
}

/** Name, size and time of a blob in a listing. */
export interface ListedBlob extends Omit<BlobFacts, 'version'> {
  readonly key: string;
}

/** A whole blob, and the version of exactly these bytes. */
export interface VersionedBlob extends Pick<BlobFacts, 'version'> {
  readonly bytes: Buffer;
}

/** What a blob is made of: bytes, or pieces that come one after the other. */
export type BlobBytes = Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;

/**
 * Blobs under keys. A key is a path of plain segments (letters, digits, `.`, `_`, `+`, `-`) of at most 512 characters;
 * every method throws a TypeError for anything else, `..` included, before the store sees it.
 *
 * Every method but `delete` of what is not there answers for a store that cannot be used now with the DomainError
 * `service.unavailable`.
 */
export abstract class BlobStore {
  /**
   * Writes a blob; readers see the old one or the whole new one, never a part. Pieces are written as they come, and when
   * no more can come because one failed, there is no new blob. However long it is, little of it is in memory.
   */
  abstract put(key: string, bytes: BlobBytes): Promise<void>;

  /** The whole blob with its version, or null when there is none. */
  abstract getVersioned(key: string): Promise<VersionedBlob | null>;

  /** The blob piece by piece, no faster than it is read; null when there is none. It has to be read or destroyed. */
  abstract read(key: string): Promise<Readable | null>;

  /**
   * Lets `use` read a blob as a file of this machine, for another process to open. The path is good until `use` ends.
   *
   * @returns null when there is no such blob; `use` is not called then
   */
  abstract withFile<R>(key: string, use: (path: string) => Promise<R>): Promise<R | null>;

  /** Null when there is no such blob. */
  abstract facts(key: string): Promise<BlobFacts | null>;

  /**
   * Gives a blob another key, in the place of what was there, without reading it.
   *
   * @returns false when there is none
   */
  abstract move(from: string, to: string): Promise<boolean>;

  /** Removes a blob; removing what is not there is no error. */
  abstract delete(key: string): Promise<void>;

  /** Removes every blob below `prefix`, a whole path: `images/12` does not touch `images/123`. */
  abstract deleteBelow(prefix: string): Promise<void>;

  /** The keys below `prefix`, in no order, a few of them in memory. */
  abstract below(prefix: string): AsyncGenerator<string>;

  /** The same with the facts of each. Dearer than `below` in a folder, and much cheaper than `facts` of each in a bucket. */
  abstract factsBelow(prefix: string): AsyncGenerator<ListedBlob>;

  /** Removes what processes that were killed had begun to write before `end`. @returns how many blobs that were */
  abstract deletePartials(end: Date): Promise<number>;

  /** The whole blob, or null when there is none. */
  async get(key: string): Promise<Buffer | null> {
    return (await this.getVersioned(key))?.bytes ?? null;
  }

  async has(key: string): Promise<boolean> {
    return (await this.facts(key)) !== null;
  }
}

const keyPattern = /^[a-zA-Z0-9][\w.+-]*(?:\/[a-zA-Z0-9][\w.+-]*)*$/;

/** @throws TypeError for what is no key */
export function checkKey(key: string): string {
  if (key.length > 512 || !keyPattern.test(key)) throw new TypeError('a blob key must be a path of plain segments');
  return key;
}

/** A store that cannot be used now is no defect of the request: the caller is told to come again. */
export const storeAway = (detail: string): DomainError =>
  new DomainError(problems['service.unavailable'], detail, undefined, { 'retry-after': '5' });
