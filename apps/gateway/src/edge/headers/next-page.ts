import type { FastifyRequest } from 'fastify';
import { offsetMaximum } from '#contracts';
import { pathOf } from '../routing/path.js';

/**
 * Returns the `Link` header (RFC 8288) with the URL of the next page: the URL of the request with
 * another offset. Undefined if the offset exceeds the limit.
 *
 * @param baseUrl prefix of the path, because the Host header is client-controlled
 */
export function nextPageLink(request: FastifyRequest, nextOffset: string, baseUrl: string): string | undefined {
  if (!(Number(nextOffset) <= offsetMaximum)) return undefined;
  const [, query = ''] = request.url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.set('offset', nextOffset);
  return `<${baseUrl}${pathOf(request)}?${parameters.toString()}>; rel="next"`;
}
