import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';

/** What a page of another origin may do at some addresses. */
interface Permission {
  readonly at: RegExp;
  /** What it may read of every answer, beside what the web allows always. */
  readonly exposed: string;
  readonly methods: string;
  readonly headers: string;
}

// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
const below = (path: string): RegExp => new RegExp(`^${path}(?:[/?]|$)`);

/** What a script may send anywhere: tracing, a request id of its own, and a reload past the browser's cache. */
const everywhere = 'Cache-Control, Traceparent, Tracestate, X-Request-Id';

/** What pages of other origins may do, by address. */
export const permissions: readonly Permission[] = [
  {
    at: below('/api/v1'),
    exposed:
      'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ' +
      'Link, ETag, Idempotency-Replayed, X-Request-Id, WWW-Authenticate',
    methods: 'GET, HEAD, POST, PUT, DELETE',
    headers: `Authorization, Content-Type, Idempotency-Key, If-None-Match, ${everywhere}`,
  },
  {
    at: below(imagePath),
    exposed: 'ETag, Accept-Ranges, Content-Range, Retry-After, X-Request-Id',
    methods: 'GET, HEAD',
    headers: `Range, If-Range, If-None-Match, ${everywhere}`,
  },
  // What answers of the API name: the page of a problem, and the icons of categories
  {
    at: below('/(?:problems|icons)'),
    exposed: 'ETag, X-Request-Id',
    methods: 'GET, HEAD',
    headers: `If-None-Match, ${everywhere}`,
  },
  // What an application without a server of its own does in a browser. Asking the user is no request of a script, and
  // introspection is for servers
  {
    at: below('/oauth/(?:token|revoke)'),
    exposed: 'Retry-After, WWW-Authenticate, X-Request-Id',
    methods: 'POST',
    // Swagger UI and older libraries send the last one
    headers: `Authorization, Content-Type, X-Requested-With, ${everywhere}`,
  },
  {
    at: below('/\\.well-known/oauth-authorization-server'),
    exposed: 'ETag, X-Request-Id',
    methods: 'GET, HEAD',
    headers: `Authorization, Content-Type, If-None-Match, ${everywhere}`,
  },
];

const permissionAt = (url: string): Permission | undefined => permissions.find(({ at }) => at.test(url));

/**
 * Lets pages of every origin use the API, the images and what gives tokens, errors included. Everybody gets the same
 * headers, so that no answer varies by `Origin`, and never with credentials: a token is all that counts. Pages get none.
 */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(corsHeaders(request.url));
}

/** The same for an answer that has no reply. */
export function corsHeaders(url: string): Record<string, string> {
  const permission = permissionAt(url);
  return permission ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': permission.exposed } : {};
}

/** Answers a browser that asks whether a page may send what it wants to; it asks without a token. @returns whether it did */
export function answersPreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  const asked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  const permission = asked && permissionAt(request.url);
  if (!permission) return false;
  const headers = {
    'access-control-allow-methods': permission.methods,
    'access-control-allow-headers': permission.headers,
    'access-control-max-age': '86400',
  };
  void reply.status(204).headers(headers).send();
  return true;
}
