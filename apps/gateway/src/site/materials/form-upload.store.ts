import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { problems, type TextureSource } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall, runInCall } from '#request-queue';
import { BlobStore } from '#storage';
import { textureLimit } from '../../edge/bodies/data-uri.js';
import { largeBody, LargeBodies, type UploadPermit } from '../../edge/bodies/large-bodies.js';
import { fileOf } from '../../edge/bodies/upload-form.js';
import { addressOf } from '../../edge/connections/address.js';

/**
 * Timeout of the requests that use an upload, from its end: creating a material takes up to 28 s.
 */
const useTimeoutMs = 30_000;

/** A stored file of a form. */
interface Upload {
  readonly source: TextureSource;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly hash: string;
}

/** Stores files of forms in the blob store while they arrive. */
@Injectable()
export class FormUploadStore {
  constructor(
    private readonly blobs: BlobStore,
    private readonly largeBodies: LargeBodies,
  ) {}

  /**
   * Stores the file of a form, runs `use`, and deletes the file.
   *
   * @throws DomainError `texture.empty` without a file or for an empty one, `texture.too-large`,
   *   408 for a slow upload, 503 while too many are being received
   */
  async during<R>(request: FastifyRequest, userId: number, use: (upload: Upload) => Promise<R>): Promise<R> {
    const file = fileOf(request);
    if (!file) throw new DomainError(problems['texture.empty'], 'The form has no file.');
    const key = `uploads/${randomUUID()}`;
    try {
      const hash = await inNewCall(undefined, () => this.store(request, userId, file, key));
      return await inNewCall(useTimeoutMs, () => use({ source: { kind: 'upload', key }, hash }));
    } finally {
      // A failure does not affect the response: the sweeper deletes the upload later
      await this.blobs.delete(key).catch(() => undefined);
    }
  }

  /**
   * Stores a file, and returns its hash. A large body has a permit until it is stored, which ends
   * its use of memory.
   */
  private async store(request: FastifyRequest, userId: number, file: Readable, key: string): Promise<string> {
    const uploader = { userId, address: addressOf(request) };
    const isSmall = Number(request.headers['content-length']) <= largeBody;
    const permit = isSmall
      ? undefined
      : await this.largeBodies.acquire(request, uploader, (error) => file.destroy(error));
    const hash = createHash('sha256');
    await this.blobs.putTemporary(
      key,
      received(file, permit, (chunk) => hash.update(chunk)),
    );
    this.largeBodies.release(request);
    return hash.digest('hex');
  }
}

/**
 * Yields the chunks of a file, and reports their sizes to its permit, which measures the rate.
 *
 * @throws DomainError `texture.too-large`, `texture.empty`
 */
async function* received(
  file: Readable,
  permit: UploadPermit | undefined,
  onChunk: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > textureLimit)
      throw new DomainError(problems['texture.too-large'], 'The file is over the limit of 20 MB.');
    permit?.add(chunk.length);
    onChunk(chunk);
    yield chunk;
  }
  permit?.complete();
  if (length === 0) throw new DomainError(problems['texture.empty'], 'The file is empty.');
}

/**
 * Runs `work` with a new deadline or without one: that of the request started before the file had
 * arrived.
 */
function inNewCall<R>(timeoutMs: number | undefined, work: () => Promise<R>): Promise<R> {
  const { requestId, caller, callerSignal: signal } = currentCall()!;
  return runInCall({ requestId, signal, caller: () => caller, timeoutMs }, work);
}
