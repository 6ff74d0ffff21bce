import type { FastifyReply, FastifyRequest } from 'fastify';
import { startEntrySpan, endSpan, type Span, SpanKind, traceId } from '#observability';

const spans = new WeakMap<FastifyRequest, Span>();

/** W3C trace context, version 00 or compatible. */
const wellFormed = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

const traceparentOf = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers.traceparent;
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined;
};

/**
 * Starts a root span for a request, so that clients cannot control sampling. The trace context of
 * the client becomes a link.
 */
export function startRequestSpan(request: FastifyRequest): Span | undefined {
  const span = startEntrySpan(request.method, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': request.method, 'storefront.request_id': request.id },
    link: traceparentOf(request),
  });
  if (span) spans.set(request, span);
  return span;
}

/**
 * Ends the span of a request.
 *
 * @param route route pattern, never the URL, which may contain anything
 */
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
