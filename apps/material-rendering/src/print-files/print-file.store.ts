import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { printFileKey, printFilesFolder } from '#contracts';
import { BlobStore } from '#storage';
import { type Sink } from '#rendering/print/sink.js';

/**
 * Print files in the blob store, named by the hash of their content. A file that is being written
 * has another name, so that an interrupted one is never served.
 */
@Injectable()
export class PrintFileStore {
  constructor(private readonly blobs: BlobStore) {}

  /**
   * Stores a file while it is written.
   *
   * @param part name of the file until its content is known; the next attempt replaces it
   * @returns SHA-256 and number of bytes of the content
   * @throws what `write` throws, and the errors of the blob store
   */
  async write(
    printFilesId: number,
    part: string,
    extension: string,
    write: (sink: Sink) => Promise<void>,
  ): Promise<{ sha256: string; bytes: number }> {
    const temporary = `${printFilesFolder(printFilesId)}/making-${part}.${extension}`;
    const hash = createHash('sha256');
    let bytes = 0;
    const stream = new PassThrough();
    const stored = this.blobs.put(temporary, stream);
    const failed = stored.then(
      () => undefined,
      (error: unknown) => {
        stream.destroy();
        throw error;
      },
    );
    // Nobody waits for it until a chunk exceeds the buffer, and an unhandled error ends the process
    failed.catch(() => undefined);
    stream.on('error', () => undefined);
    const sink: Sink = async (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
      // A copy: the next bytes may be in the same buffer
      if (!stream.write(Buffer.from(chunk))) await Promise.race([once(stream, 'drain'), failed]);
    };
    try {
      await write(sink);
      stream.end();
    } catch (error) {
      stream.destroy(error as Error);
      await stored.catch(() => undefined);
      throw error;
    }
    await stored;
    const sha256 = hash.digest('hex');
    const key = printFileKey({ printFilesId, name: `${sha256}.${extension}` });
    // Missing if another attempt has moved the same bytes
    if (!(await this.blobs.move(temporary, key)) && !(await this.blobs.has(key)))
      throw new Error(`print file ${key} was deleted while it was made`);
    return { sha256, bytes };
  }

  async put(printFilesId: number, extension: string, bytes: Buffer): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await this.blobs.put(printFileKey({ printFilesId, name: `${sha256}.${extension}` }), bytes);
    return sha256;
  }

  async deleteAll(printFilesId: number): Promise<void> {
    await this.blobs.deletePrefix(printFilesFolder(printFilesId));
  }
}
