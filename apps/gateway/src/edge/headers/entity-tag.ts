import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

/** Returns whether `If-None-Match` contains the entity tag; weak comparison (RFC 9110, 13.1.2). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = etag.replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === plain);
}

/**
 * Sets the strong entity tag of compressed bytes, `"x-br"` instead of `"x"`, if the response has a
 * tag. Runs after the compression.
 *
 * @returns the tags that match in conditional requests, the one of these bytes first
 */
export function tagCoding(reply: FastifyReply): readonly string[] {
  const { etag, 'content-encoding': coding } = reply.getHeaders();
  if (typeof etag !== 'string' || reply.statusCode !== 200) return [];
  if (coding === undefined) return [etag];
  const own = etag.replace(/"$/, `-${String(coding)}"`);
  void reply.header('etag', own);
  return [own, etag];
}

/** Handles conditional requests for a response with entity tags. The 304 has the matching one. */
export function applyConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  etags: readonly string[],
  payload: unknown,
): unknown {
  const known = etags.find((tag) => matches(request.headers['if-none-match'], tag));
  if (known === undefined) return payload;
  if (payload instanceof Readable) payload.destroy();
  for (const name of ['content-encoding', 'content-type', 'content-length']) void reply.removeHeader(name);
  void reply.status(304).header('etag', known);
  return null;
}
