import type { IncomingMessage } from 'node:http';
import { startEntrySpan, endSpan, type Span, SpanKind, traceId } from '#observability';

const spans = new WeakMap<IncomingMessage, Span>();

/** W3C trace context, version 00 or compatible. */
const wellFormed = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

const traceparentOf = ({ headers }: IncomingMessage): string | undefined => {
  const given = headers.traceparent;
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined;
};

/**
 * Starts a root span for a request, so that clients cannot control sampling. The trace context of
 * the client becomes a link. A request has one span.
 */
export function startRequestSpan(request: IncomingMessage, requestId: string): Span | undefined {
  const started = spans.get(request);
  if (started) return started;
  const { method = '' } = request;
  const span = startEntrySpan(method, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method, 'storefront.request_id': requestId },
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
export function endRequestSpan(request: IncomingMessage, route: string | undefined, status: number): void {
  const span = spans.get(request);
  if (!span) return;
  const { method = '' } = request;
  span.updateName(route === undefined ? method : `${method} ${route}`);
  if (route !== undefined) span.setAttribute('http.route', route);
  span.setAttribute('http.response.status_code', status);
  endSpan(span, status >= 500 ? String(status) : undefined);
}

export const traceIdOf = (request: IncomingMessage): string | undefined => {
  const span = spans.get(request);
  return span && traceId(span);
};
