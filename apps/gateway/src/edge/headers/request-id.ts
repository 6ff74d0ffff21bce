import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Returns the request id of a client if it is safe for logs and headers, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
