import { createHash, type Hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Idempotency, IdempotencyKey } from '#contracts';
import type { FieldError } from '#kernel';
import { pathOf } from '../routing/path.js';

const header = 'idempotency-key';
const fingerprints = new WeakMap<FastifyRequest, Hash>();

/**
 * What tells a POST from others under the same key: the SHA-256 of the method, the path as routed and the bytes of the
 * body, which go in as they come. Undefined when nobody asks for it.
 */
export function fingerprintOf(request: FastifyRequest): Hash | undefined {
  if (request.method !== 'POST' || request.headers[header] === undefined) return undefined;
  let hash = fingerprints.get(request);
  if (!hash) {
    hash = createHash('sha256').update(`${request.method} ${pathOf(request)}\n`);
    fingerprints.set(request, hash);
  }
  return hash;
}

/**
 * The key that makes a POST safe to send again.
 *
 * @param errors gets what is wrong with the header
 */
export function idempotencyOf(request: FastifyRequest, errors: FieldError[]): Idempotency | undefined {
  const fingerprint = fingerprintOf(request);
  if (!fingerprint) return undefined;
  // `headers` joins repeated ones with a comma, which a key may hold
  const given = request.raw.headersDistinct[header] ?? [];
  const key = IdempotencyKey.safeParse(given[0]);
  const message = given.length > 1 ? 'must be given once' : key.error?.issues[0]?.message;
  if (message !== undefined) errors.push({ path: `headers.${header}`, message });
  return key.success ? { key: key.data, fingerprint: fingerprint.digest('hex') } : undefined;
}
