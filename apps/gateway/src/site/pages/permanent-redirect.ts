import type { FastifyReply, FastifyRequest } from 'fastify';

/** Redirects permanently (301) to the canonical path of a page, with the query of the request. */
export function redirectPermanently(reply: FastifyReply, { url }: FastifyRequest, path: string): void {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  void reply
    .status(301)
    .headers({ location: `${path}${query}`, 'cache-control': 'private, max-age=300' })
    .send();
}
