import { exampleBaseUrl } from '#contracts';

/** Response headers, described once. */
export const headers = {
  'X-Request-Id': {
    description: 'Id of the request, for the log; the one that the client sent, when it is sane.',
    schema: { type: 'string' },
    example: 'f2a51c3e-5a3b-4c1e-9f0e-0c6d1f1c7a10',
  },
  'X-RateLimit-Limit': {
    description: 'How often the operation may be asked for in one period.',
    schema: { type: 'integer' },
    example: 200,
  },
  'X-RateLimit-Remaining': {
    description: 'How often it may still be asked for in this period.',
    schema: { type: 'integer' },
    example: 199,
  },
  'X-RateLimit-Reset': {
    description: 'When the period ends, in seconds since 1970 (UTC).',
    schema: { type: 'integer' },
    example: 1_795_206_326,
  },
  Link: {
    description: 'Address of the next page, when there is one.',
    schema: { type: 'string' },
    example: `<${exampleBaseUrl}/api/v1/products?limit=20&offset=20>; rel="next"`,
  },
  ETag: {
    description: 'Entity tag of the answer, for If-None-Match.',
    schema: { type: 'string' },
    example: '"33a64df551425fcc55e4d42a148795d9f25f89d4"',
  },
  'Idempotency-Replayed': {
    description: 'Present when this is the kept answer to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer' },
    example: 12,
  },
  'WWW-Authenticate': {
    description: 'What the token lacks (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer error="insufficient_scope", scope="write"',
  },
} as const;

export type HeaderName = keyof typeof headers;

/** References to described headers. */
export const headerRefs = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/**
 * Request headers, described once. None has an example: Swagger UI and Postman fill it in, and a constant Idempotency-Key makes
 * the second request 409, an old entity tag a 304.
 */
export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request safe to send again: for 24 hours the same key gets the first answer.',
    schema: { type: 'string', pattern: String.raw`^[\x20-\x7e]{1,255}$` },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag that the client has: 304 when it is still the one.',
    schema: { type: 'string' },
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Language of texts for people: English (en) or Japanese (ja).',
    schema: { type: 'string', default: 'en' },
  },
} as const;
