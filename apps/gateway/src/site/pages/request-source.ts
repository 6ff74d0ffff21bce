import type { FastifyRequest } from 'fastify';

/**
 * Returns whether a page of this site made the request. Another site could otherwise fill in a form
 * for a visitor. Old browsers send `Origin` only.
 */
export function isSameOrigin({ headers }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === new URL(baseUrl).origin : site === 'same-origin';
}

/**
 * Returns the path of the page of this site from which the request came, relative to the base
 * address; undefined for another site, and for pages that send no `Referer`.
 */
export function refererPathOf({ headers }: FastifyRequest, baseUrl: string): string | undefined {
  const { referer = '' } = headers;
  return referer.startsWith(`${baseUrl}/`) ? referer.slice(baseUrl.length) : undefined;
}
