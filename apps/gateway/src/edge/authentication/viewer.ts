import type { FastifyRequest } from 'fastify';
import type { TokenScope } from '#contracts';

/** Authenticated user of a request, and the properties of the token. */
export interface Viewer {
  readonly userId: number;
  readonly scopes: readonly TokenScope[];
  /**
   * Application to which the user has granted the token; null for a token of the user's own.
   * Undefined during an upgrade: accounts of the previous version does not return it.
   */
  readonly applicationId: number | null | undefined;
}

/**
 * The request that passport gets: headers only, so that passport reads no token from the query or
 * body.
 */
export interface Credentials {
  headers: FastifyRequest['headers'];
  /** True if the token was in the query, so that the response must not be stored. */
  isInQuery?: boolean;
  /** User of the token, also if the token does not suffice for the operation. */
  tokenUserId?: number;
  /** User and token, set after a successful check of both. */
  user?: Viewer;
}

const credentials = new WeakMap<FastifyRequest, Credentials>();

export function credentialsOf(request: FastifyRequest): Credentials {
  let found = credentials.get(request);
  if (!found) credentials.set(request, (found = { headers: request.headers }));
  return found;
}

/** Returns the viewer of an authenticated request. @throws Error for any other request */
export function viewerOf(request: FastifyRequest): Viewer {
  const viewer = credentialsOf(request).user;
  if (!viewer) throw new Error('the request has not passed the guard');
  return viewer;
}
