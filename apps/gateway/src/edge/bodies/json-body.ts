import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import type { DataUri } from './data-uri.js';
import { addressOf } from '../connections/address.js';
import { bodyRefusal, BodyReader } from './body-reader.js';
import { fingerprintOf } from '../headers/idempotency.js';
import { largeBody, type LargeBodies, type UploadPermit } from './large-bodies.js';
import { viewerOf } from '../authentication/viewer.js';

const dataUris = new WeakMap<FastifyRequest, ReadonlyMap<string, DataUri>>();

/** The large data URI that was taken out of a body, by what was left in its place. */
export const takenDataUri = (request: FastifyRequest, text: string): DataUri | undefined =>
  dataUris.get(request)?.get(text);

const tooLarge = (limit: number): DomainError =>
  new DomainError(problems['request.too-large'], `The body is over the limit of ${limit} bytes.`);

/**
 * Reads a JSON body. An empty one is no body: programs in the field send a JSON content type always.
 *
 * @param silenceMs what it may be silent for
 * @throws DomainError 400, 408, 413, 415, or 503 when too many large ones are under way
 */
export async function readJsonBody(
  request: FastifyRequest,
  bytes: IncomingMessage,
  largeBodies: LargeBodies,
  silenceMs: number,
): Promise<unknown> {
  refuseEncoded(request);
  const limit = request.routeOptions.bodyLimit;
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  const reader = await new BodyArrival(request, bytes, largeBodies).whole(silenceMs);
  const { json, dataUris: taken } = reader.end();
  dataUris.set(request, taken);
  return parsed(json);
}

/** A compressed body would be unpacked without a limit. @throws DomainError 415 */
export function refuseEncoded({ headers }: FastifyRequest): void {
  if (['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')) return;
  const detail = 'Send the body as it is, not compressed.';
  const accepted = { 'accept-encoding': 'identity' };
  throw new DomainError(problems['request.unsupported-media-type'], detail, undefined, accepted);
}

/** @throws DomainError 400 */
export function parsed(json: string): unknown {
  if (json.trim() === '') return undefined;
  try {
    return JSON.parse(json);
  } catch {
    throw bodyRefusal('request.body-not-json', 'is not JSON');
  }
}

/**
 * A body on its way. It acquires a permit for large ones before it is read when its Content-Length is large, otherwise when it has
 * turned out to be large. Not `for await`: leaving it early would close the connection before the rejection is sent.
 */
class BodyArrival {
  private readonly reader = new BodyReader();
  private readonly limit: number;
  private readonly fingerprint: ReturnType<typeof fingerprintOf>;
  private length = 0;
  private isLarge = false;
  private permit: UploadPermit | undefined;
  private silence: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: FastifyRequest,
    private readonly bytes: IncomingMessage,
    private readonly largeBodies: LargeBodies,
  ) {
    this.limit = request.routeOptions.bodyLimit;
    this.fingerprint = fingerprintOf(request);
  }

  /** @throws DomainError */
  whole(silenceMs: number): Promise<BodyReader> {
    const { bytes } = this;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        clearTimeout(this.silence);
        // What is still to come is read and thrown away
        bytes.off('data', take).resume();
        reject(error instanceof Error ? error : new Error('the body could not be read', { cause: error }));
      };
      const read = (): void => {
        this.silence = setTimeout(() => fail(silent()), silenceMs);
        bytes.resume();
      };
      const take = (chunk: Buffer): void => {
        this.silence?.refresh();
        try {
          this.add(chunk);
        } catch (error) {
          fail(error);
          return;
        }
        if (!this.isLarge && this.length > largeBody) this.acquire(fail).then(read, fail);
      };
      bytes
        .on('data', take)
        .once('end', () => {
          clearTimeout(this.silence);
          this.permit?.complete();
          resolve(this.reader);
        })
        .once('error', () => fail(bodyRefusal('request.invalid', 'ended too early')));
      if (Number(this.request.headers['content-length']) > largeBody) this.acquire(fail).then(read, fail);
      else read();
    });
  }

  private async acquire(fail: (error: unknown) => void): Promise<void> {
    const { request, bytes } = this;
    this.isLarge = true;
    clearTimeout(this.silence);
    bytes.pause();
    const uploader = { userId: viewerOf(request).userId, address: addressOf(request) };
    this.permit = await this.largeBodies.enter(request, uploader, fail);
  }

  private add(chunk: Buffer): void {
    this.length += chunk.length;
    this.permit?.add(chunk.length);
    if (this.length > this.limit) throw tooLarge(this.limit);
    this.fingerprint?.update(chunk);
    this.reader.add(chunk);
  }
}

const silent = (): DomainError => new DomainError(problems['request.timed-out'], 'The body did not arrive in time.');
