import type { FastifyRequest } from 'fastify';
import { offsetMaximum } from '#contracts';
import { pathOf } from '../routing/path.js';

/**
 * The header `Link` (RFC 8288) with the address of the next page: the request's own, from another offset on. Undefined
 * where no request could name the offset.
 *
 * @param baseUrl in front of the path; the header Host says what the client likes
 */
export function nextPageLink(request: FastifyRequest, nextOffset: string, baseUrl: string): string | undefined {
  if (!(Number(nextOffset) <= offsetMaximum)) return undefined;
  const [, query = ''] = request.url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.set('offset', nextOffset);
  return `<${baseUrl}${pathOf(request)}?${parameters.toString()}>; rel="next"`;
}
