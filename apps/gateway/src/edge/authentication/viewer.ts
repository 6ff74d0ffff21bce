import type { FastifyRequest } from 'fastify';
import type { Scope } from '#contracts';

/** Who asks: the user of the token, and what the token allows. */
export interface Viewer {
  readonly userId: number;
  readonly scopes: readonly Scope[];
}

/** What passport sees of a request: its headers only, so that it takes no token from the query or the body by itself. */
export interface Credentials {
  headers: FastifyRequest['headers'];
  /** Whether the token came in the address, so that nothing may store the response. */
  isInQuery?: boolean;
  /** Whose token it is, also when it does not allow what is asked. */
  tokenUserId?: number;
  /** Set once the request may go on. */
  user?: Viewer;
}

const credentials = new WeakMap<FastifyRequest, Credentials>();

export function credentialsOf(request: FastifyRequest): Credentials {
  let found = credentials.get(request);
  if (!found) credentials.set(request, (found = { headers: request.headers }));
  return found;
}

/** The viewer of a request that has passed the guard. */
export function viewerOf(request: FastifyRequest): Viewer {
  const viewer = credentialsOf(request).user;
  if (!viewer) throw new Error('the request has not passed the guard');
  return viewer;
}
