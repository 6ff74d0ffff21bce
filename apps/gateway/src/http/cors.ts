import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a page may read of every answer. */
const exposed = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'],
  ...['Link', 'ETag', 'Idempotency-Replayed', 'X-Request-Id', 'WWW-Authenticate'],
].join(', ');

const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  'access-control-max-age': '86400',
};

const isApi = /^\/api\/v1(?:[/?]|$)/;

/**
 * Lets pages of every origin use the API, errors included. Everybody gets the same headers, so that no answer varies by
 * `Origin`, and never with credentials: a token is all that counts. Pages and pictures get none here.
 */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply): void {
  if (isApi.test(request.url))
    void reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed });
}

/** Answers a browser that asks whether a page may send what it wants to; it asks without a token. @returns whether it did */
export function answersPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  const asked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  if (!asked || !isApi.test(request.url)) return false;
  void reply.status(204).headers(preflight).send();
  return true;
}
