import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagePath } from '#contracts';

/** CORS permissions for the URLs that match `at`. */
interface Permission {
  readonly at: RegExp;
  /** Exposed response headers, in addition to the safelisted ones. */
  readonly exposed: string;
  readonly methods: string;
  readonly headers: string;
}

// eslint-disable-next-line no-restricted-syntax -- in patterns.spec.ts
const below = (path: string): RegExp => new RegExp(`^${path}(?:[/?]|$)`);

/** Request headers allowed on all of these paths: tracing, request id, and reload without cache. */
const everywhere = 'Cache-Control, Traceparent, Tracestate, X-Request-Id';

/** CORS permissions by path. */
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
  // URLs in API responses: problem pages, and icons of items and categories
  {
    at: below('/(?:problems|icons)'),
    exposed: 'ETag, X-Request-Id',
    methods: 'GET, HEAD',
    headers: `If-None-Match, ${everywhere}`,
  },
  // Requests of public OAuth clients in browsers. Authorization is a navigation, and introspection
  // is for servers
  {
    at: below('/oauth/(?:token|revoke)'),
    exposed: 'Retry-After, WWW-Authenticate, X-Request-Id',
    methods: 'POST',
    // Swagger UI and older libraries send X-Requested-With
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
 * Allows all origins to use the paths of `permissions`, including their errors. The headers are the
 * same for all origins, so that responses do not vary by `Origin`. Credentials are not allowed,
 * because only tokens authenticate. Other pages of the site get no CORS headers.
 */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(corsHeaders(request.url));
}

/** Returns the CORS headers of responses at a URL; none if it is not in `permissions`. */
export function corsHeaders(url: string): Record<string, string> {
  const permission = permissionAt(url);
  return permission ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': permission.exposed } : {};
}

/**
 * Responds to a preflight request, which has no token. Returns false for other requests, and for
 * URLs that are not in `permissions`.
 */
export function handlePreflight(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  const permission = isPreflight && permissionAt(request.url);
  if (!permission) return false;
  const headers = {
    'access-control-allow-methods': permission.methods,
    'access-control-allow-headers': permission.headers,
    'access-control-max-age': '86400',
  };
  void reply.status(204).headers(headers).send();
  return true;
}
