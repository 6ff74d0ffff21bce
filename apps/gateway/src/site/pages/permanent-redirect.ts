import type { FastifyReply, FastifyRequest } from 'fastify';

/** Says where a page has its one address (301); the query goes along. */
export function redirectPermanently(reply: FastifyReply, { url }: FastifyRequest, path: string): void {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  void reply
    .status(301)
    .headers({ location: `${path}${query}`, 'cache-control': 'private, max-age=300' })
    .send();
}
