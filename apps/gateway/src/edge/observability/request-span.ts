import type { FastifyReply, FastifyRequest } from 'fastify';
import { startEntrySpan, endSpan, type Span, SpanKind, traceId } from '#observability';

const spans = new WeakMap<FastifyRequest, Span>();

/** W3C trace context, version 00 or one that reads like it. */
const wellFormed = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

const traceparentOf = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers.traceparent;
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined;
};

/**
 * Begins the span of a request, which is the first of its trace: whoever asks cannot choose what is recorded here. The
 * trace that a client names is linked to it.
 */
export function beginRequestSpan(request: FastifyRequest): Span | undefined {
  const span = startEntrySpan(request.method, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': request.method, 'storefront.request_id': request.id },
    link: traceparentOf(request),
  });
  if (span) spans.set(request, span);
  return span;
}

/** Ends the span of a request that is answered. @param route its pattern, never the address, which may hold anything */
export function endRequestSpan(request: FastifyRequest, reply: FastifyReply, route: string | undefined): void {
  const span = spans.get(request);
  if (!span) return;
  span.updateName(route === undefined ? request.method : `${request.method} ${route}`);
  if (route !== undefined) span.setAttribute('http.route', route);
  span.setAttribute('http.response.status_code', reply.statusCode);
  endSpan(span, reply.statusCode >= 500 ? String(reply.statusCode) : undefined);
}

export const traceIdOf = (request: FastifyRequest): string | undefined => {
  const span = spans.get(request);
  return span && traceId(span);
};
