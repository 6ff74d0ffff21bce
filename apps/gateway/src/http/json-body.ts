import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import type { DataUri } from '../materials/data-uri.js';
import { bodyRefusal, BodyReader } from './body-reader.js';
import { fingerprintOf } from './idempotency.js';
import type { LargeBodies } from './large-bodies.js';

const dataUris = new WeakMap<FastifyRequest, ReadonlyMap<string, DataUri>>();

/** The large data URI that was taken out of a body, by what was left in its place. */
export const takenDataUri = (request: FastifyRequest, text: string): DataUri | undefined =>
  dataUris.get(request)?.get(text);

const tooLarge = (limit: number): DomainError =>
  new DomainError(problems['request.too-large'], `The body is over the limit of ${limit} bytes.`);

/**
 * Reads a JSON body. An empty one is no body: programs in the field send a JSON content type always.
 *
 * @throws DomainError 400, 413, or 503 when too many large ones are under way
 */
export async function readJsonBody(
  request: FastifyRequest,
  bytes: IncomingMessage,
  largeBodies: LargeBodies,
): Promise<unknown> {
  const limit = request.routeOptions.bodyLimit;
  const announced = Number(request.headers['content-length'] ?? limit);
  if (announced > limit) throw tooLarge(limit);
  await largeBodies.enter(request, announced);
  const reader = await received(bytes, limit, fingerprintOf(request));
  const { json, dataUris: taken } = reader.end();
  dataUris.set(request, taken);
  return parsed(json);
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

/** Not `for await`: leaving it early would close the connection before the refusal is sent. */
function received(
  bytes: IncomingMessage,
  limit: number,
  fingerprint: { update(chunk: Buffer): unknown } | undefined,
): Promise<BodyReader> {
  const reader = new BodyReader();
  let length = 0;
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      try {
        if (length > limit) throw tooLarge(limit);
        fingerprint?.update(chunk);
        reader.add(chunk);
      } catch (error) {
        bytes.off('data', take);
        reject(error instanceof Error ? error : new Error('the body could not be read', { cause: error }));
      }
    };
    bytes
      .on('data', take)
      .once('end', () => resolve(reader))
      .once('error', () => reject(bodyRefusal('request.invalid', 'ended too early')));
  });
}
