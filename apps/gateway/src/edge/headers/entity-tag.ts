import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

/** Whether `If-None-Match` names the entity tag; weak comparison (RFC 9110, 13.1.2). */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = etag.replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === plain);
}

/**
 * Conditional requests, for every answer that has a tag. Runs behind the compression: other bytes have another strong
 * tag, `"x-br"` beside `"x"`. Either makes a 304, which says the one that the client has.
 */
export function answerConditionally(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
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
