import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import type { DataUri } from './data-uri.js';
import { addressOf } from '../connections/address.js';
import { bodyError, BodyReader } from './body-reader.js';
import { fingerprintOf } from '../headers/idempotency.js';
import { largeBody, type LargeBodies, type UploadPermit } from './large-bodies.js';
import { viewerOf } from '../authentication/viewer.js';

const dataUris = new WeakMap<FastifyRequest, ReadonlyMap<string, DataUri>>();

/**
 * Returns the large data URI that was extracted from the body; undefined if `text` is not the
 * reference that replaced one.
 */
export const extractedDataUri = (request: FastifyRequest, text: string): DataUri | undefined =>
  dataUris.get(request)?.get(text);

const tooLarge = (limit: number): DomainError =>
  new DomainError(problems['request.too-large'], `The body is over the limit of ${limit} bytes.`);

/**
 * Reads a JSON body. An empty one is treated as none, because existing clients always send a JSON
 * content type.
 *
 * @param idleTimeoutMs longest time without data
 * @throws DomainError 400, 408, 413, 415, or 503 if too many large bodies are being received
 */
export async function readJsonBody(
  request: FastifyRequest,
  bytes: IncomingMessage,
  largeBodies: LargeBodies,
  idleTimeoutMs: number,
): Promise<unknown> {
  rejectEncoded(request);
  const limit = request.routeOptions.bodyLimit;
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  const reader = await new BodyArrival(request, bytes, largeBodies).read(idleTimeoutMs);
  const { json, dataUris: extracted } = reader.end();
  dataUris.set(request, extracted);
  return parseJson(json);
}

/**
 * Rejects compressed bodies, because their decompressed size would have no limit.
 *
 * @throws DomainError 415
 */
export function rejectEncoded({ headers }: FastifyRequest): void {
  if (['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')) return;
  const detail = 'Send the body as it is, not compressed.';
  const accepted = { 'accept-encoding': 'identity' };
  throw new DomainError(problems['request.unsupported-media-type'], detail, undefined, accepted);
}

/** Parses JSON; undefined for an empty body. @throws DomainError 400 */
export function parseJson(json: string): unknown {
  if (json.trim() === '') return undefined;
  try {
    return JSON.parse(json);
  } catch {
    throw bodyError('request.body-not-json', 'is not JSON');
  }
}

/**
 * A body that is being received. Acquires a permit for large bodies before reading if its
 * Content-Length exceeds `largeBody`, otherwise once more bytes than that have arrived. A loop with
 * `for await` would close the connection on an early return, before the rejection is sent.
 */
class BodyArrival {
  private readonly reader = new BodyReader();
  private readonly limit: number;
  private readonly fingerprint: ReturnType<typeof fingerprintOf>;
  private length = 0;
  private isLarge = false;
  private permit: UploadPermit | undefined;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: FastifyRequest,
    private readonly bytes: IncomingMessage,
    private readonly largeBodies: LargeBodies,
  ) {
    this.limit = request.routeOptions.bodyLimit;
    this.fingerprint = fingerprintOf(request);
  }

  /** Reads the body to its end. @throws DomainError */
  read(idleTimeoutMs: number): Promise<BodyReader> {
    const { bytes } = this;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        clearTimeout(this.idleTimer);
        // The rest is read and discarded
        bytes.off('data', onData).resume();
        reject(error instanceof Error ? error : new Error('the body could not be read', { cause: error }));
      };
      const start = (): void => {
        this.idleTimer = setTimeout(() => fail(bodyTimedOut()), idleTimeoutMs);
        bytes.resume();
      };
      const onData = (chunk: Buffer): void => {
        this.idleTimer?.refresh();
        try {
          this.add(chunk);
        } catch (error) {
          fail(error);
          return;
        }
        if (!this.isLarge && this.length > largeBody) this.acquire(fail).then(start, fail);
      };
      bytes
        .on('data', onData)
        .once('end', () => {
          clearTimeout(this.idleTimer);
          this.permit?.complete();
          resolve(this.reader);
        })
        .once('error', () => fail(bodyError('request.invalid', 'ended too early')));
      if (Number(this.request.headers['content-length']) > largeBody) this.acquire(fail).then(start, fail);
      else start();
    });
  }

  private async acquire(fail: (error: unknown) => void): Promise<void> {
    const { request, bytes } = this;
    this.isLarge = true;
    clearTimeout(this.idleTimer);
    bytes.pause();
    const uploader = { userId: viewerOf(request).userId, address: addressOf(request) };
    this.permit = await this.largeBodies.acquire(request, uploader, fail);
  }

  private add(chunk: Buffer): void {
    this.length += chunk.length;
    this.permit?.add(chunk.length);
    if (this.length > this.limit) throw tooLarge(this.limit);
    this.fingerprint?.update(chunk);
    this.reader.add(chunk);
  }
}

/** Error for a body that did not arrive in time. */
export const bodyTimedOut = (): DomainError =>
  new DomainError(problems['request.timed-out'], 'The body did not arrive in time.');
