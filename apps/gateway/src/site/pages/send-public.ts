import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Returns a strong entity tag of a response. */
export const entityTagOf = (text: string): string => `"${createHash('sha1').update(text).digest('base64url')}"`;

/** Sends a document that is equal for all users, which caches store for five minutes. */
export function sendPublic(reply: FastifyReply, mediaType: string, text: string): void {
  const headers = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };
  void reply
    .headers({ ...headers, etag: entityTagOf(text) })
    .type(`${mediaType}; charset=utf-8`)
    .send(text);
}
