import { createHash, type Hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Idempotency, IdempotencyKey } from '#contracts';
import type { FieldError } from '#kernel';
import { pathOf } from '../routing/path.js';

const header = 'idempotency-key';
const fingerprints = new WeakMap<FastifyRequest, Hash>();

/**
 * Returns the fingerprint of a POST with an idempotency key: the SHA-256 hash of method, routed
 * path and body bytes, to which the body reader adds the bytes while they arrive. Undefined without
 * a key.
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
 * Returns the validated idempotency key and fingerprint of a POST; undefined if the key is missing
 * or invalid.
 *
 * @param errors receives validation errors of the header
 */
export function idempotencyOf(request: FastifyRequest, errors: FieldError[]): Idempotency | undefined {
  const fingerprint = fingerprintOf(request);
  if (!fingerprint) return undefined;
  // `headers` joins repeated values with a comma, which a key may contain
  const given = request.raw.headersDistinct[header] ?? [];
  const key = IdempotencyKey.safeParse(given[0]);
  const message = given.length > 1 ? 'must be given only once' : key.error?.issues[0]?.message;
  if (message !== undefined) errors.push({ path: `headers.${header}`, message });
  return key.success ? { key: key.data, fingerprint: fingerprint.digest('hex') } : undefined;
}
