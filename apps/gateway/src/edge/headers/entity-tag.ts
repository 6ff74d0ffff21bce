import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

/** Returns whether `If-None-Match` contains the entity tag; weak comparison (RFC 9110, 13.1.2). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = etag.replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === plain);
}

/**
 * Handles conditional requests for responses with an entity tag. Runs after the compression:
 * compressed bytes have another strong tag, `"x-br"` instead of `"x"`. Either tag matches, and the
 * 304 has the matching one.
 */
export function applyConditional(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const { etag, 'content-encoding': coding } = reply.getHeaders();
  if (typeof etag !== 'string' || reply.statusCode !== 200) return payload;
  const own = coding === undefined ? etag : etag.replace(/"$/, `-${String(coding)}"`);
  void reply.header('etag', own);
  const known = [own, etag].find((tag) => matches(request.headers['if-none-match'], tag));
  if (known === undefined) return payload;
  if (payload instanceof Readable) payload.destroy();
  for (const name of ['content-encoding', 'content-type', 'content-length']) void reply.removeHeader(name);
  void reply.status(304).header('etag', known);
  return null;
}
