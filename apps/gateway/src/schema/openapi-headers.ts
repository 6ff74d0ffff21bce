import { exampleBaseUrl } from '#contracts';

/** Shared response headers. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifier of the request. A valid identifier sent by the client is returned unchanged.',
    schema: { type: 'string' },
    example: 'f2a51c3e-5a3b-4c1e-9f0e-0c6d1f1c7a10',
  },
  'X-RateLimit-Limit': {
    description: 'Maximum number of requests of the operation in the current period.',
    schema: { type: 'integer' },
    example: 200,
  },
  'X-RateLimit-Remaining': {
    description: 'Number of remaining requests of the operation in the current period.',
    schema: { type: 'integer' },
    example: 199,
  },
  'X-RateLimit-Reset': {
    description: 'End of the current period in seconds since 1970-01-01 (UTC).',
    schema: { type: 'integer' },
    example: 1_795_206_326,
  },
  Link: {
    description: 'URL of the next page, with the relation `next`. Absent on the last page.',
    schema: { type: 'string' },
    example: `<${exampleBaseUrl}/api/v1/products?limit=20&offset=20>; rel="next"`,
  },
  ETag: {
    description: 'Entity tag of the response, for `If-None-Match`.',
    schema: { type: 'string' },
    example: '"33a64df551425fcc55e4d42a148795d9f25f89d4"',
  },
  'Idempotency-Replayed': {
    description: 'Present if the response is the stored response to an earlier request with the same idempotency key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Retry-After': {
    description: 'Number of seconds to wait before the next request.',
    schema: { type: 'integer' },
    example: 12,
  },
  'WWW-Authenticate': {
    description: 'Authentication challenge with the error of the token and the required scope (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer error="insufficient_scope", scope="write"',
  },
} as const;

export type HeaderName = keyof typeof headers;

/** Returns references to shared headers. */
export const headerRefs = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/**
 * Shared request headers. None has an example, because Swagger UI and Postman would send the
 * example with each request: with a constant Idempotency-Key, a second, different request gets 409.
 */
export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Unique key that makes the request safe to retry. For 24 hours, requests with the same key return the first response, unless its status was 5xx.',
    schema: { type: 'string', pattern: String.raw`^[\x20-\x7e]{1,255}$` },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Entity tag of a stored response. If it is still current, the response is 304 without a body.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The last `id` of an earlier stream: continues with the events after it. Clients of server-sent events send it.',
    schema: { type: 'string' },
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Language of messages: English (`en`) or Japanese (`ja`).',
    schema: { type: 'string', default: 'en' },
  },
  NameLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description:
      'Language of names of items, colors, sizes, print places and categories: Japanese (`ja`) or English (`en`).',
    schema: { type: 'string', default: 'ja' },
  },
  NameAndMessageLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description:
      'Language of messages and of names of items, colors, sizes and print places: English (`en`) or Japanese (`ja`). Without it messages are in English, and names in Japanese.',
    schema: { type: 'string' },
  },
} as const;
