import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The request id of a client when it is sane (it ends up in logs and headers), else one of ours. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
