import {
  type Attributes,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { DomainError } from '#kernel';
import { type TraceSettings } from './trace-export.js';

export { type Span, SpanKind } from '@opentelemetry/api';

export interface SpanOptions {
  readonly kind?: SpanKind;
  /**
   * Attributes, named by the OpenTelemetry conventions where there are some. They hold no bodies,
   * no URLs as sent and no secrets.
   */
  readonly attributes?: Attributes;
}

export interface EntrySpanOptions extends SpanOptions {
  /** W3C trace context of the parent span. Default: a new trace. */
  readonly parent?: string | undefined;
  /** W3C trace context of a span in another trace, to link to. */
  readonly link?: string | undefined;
}

// Undefined by default: all functions below then run the work without spans
let tracer: Tracer | undefined;

/**
 * Starts to export the spans of this process to the collector of the settings. Without a collector
 * nothing is traced.
 *
 * @param warn receives at most one message per minute about failed exports
 * @returns a function that exports the remaining spans, within two seconds
 */
export async function startTracing(
  app: string,
  settings: TraceSettings,
  warn: (text: string) => void,
): Promise<() => Promise<void>> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return () => Promise.resolve();
  // Imported on demand: it takes 0.1 s and some megabytes
  const { exportTraces } = await import('./trace-export.js');
  const exported = exportTraces(app, { ...settings, endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT }, warn);
  tracer = exported.tracer;
  return exported.close;
}

const contextOf = (traceparent: string) => propagation.extract(ROOT_CONTEXT, { traceparent });

function linkTo(traceparent: string): Link[] {
  const spanContext = trace.getSpanContext(contextOf(traceparent));
  return spanContext ? [{ context: spanContext }] : [];
}

const activeSpan = (): Span | undefined => tracer && trace.getActiveSpan();

/**
 * Returns the W3C trace context of a span, for another process. @param span default: the active
 * span
 */
export function traceparent(span = activeSpan()): string | undefined {
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * Returns the id of the trace of a span if it is sampled, for a log line. @param span as of
 * `traceparent`
 */
export function traceId(span = activeSpan()): string | undefined {
  const { traceId, traceFlags = TraceFlags.NONE } = span?.spanContext() ?? {};
  return traceFlags & TraceFlags.SAMPLED ? traceId : undefined;
}

/**
 * Starts a span without an active parent, which `endSpan` ends: for an incoming message, event or
 * request, and for the publishing of an event. Returns undefined while tracing is off.
 */
export function startEntrySpan(name: string, { kind, attributes, parent, link }: EntrySpanOptions): Span | undefined {
  return tracer?.startSpan(
    name,
    { ...(kind && { kind }), ...(attributes && { attributes }), ...(link && { links: linkTo(link) }) },
    parent === undefined ? ROOT_CONTEXT : contextOf(parent),
  );
}

/** Runs work with `span` as the active span. */
export const inSpan = <Result>(span: Span | undefined, work: () => Result): Result =>
  span === undefined ? work() : context.with(trace.setSpan(context.active(), span), work);

const typeOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : String(error));

/**
 * Ends a span.
 *
 * @param error error of the failed work, or a short text. Of an error only the name or the code is
 *   recorded, because a message may quote a client's input
 */
export function endSpan(span: Span, error?: unknown): void {
  if (error !== undefined) {
    const isDomainError = error instanceof DomainError;
    span.setAttribute('error.type', isDomainError ? error.kind.code : typeOf(error));
    if (!isDomainError || error.kind.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function runAndEnd<Result>(span: Span, work: () => Result): Result {
  try {
    const result = inSpan(span, work);
    if (result instanceof Promise) {
      result.then(
        () => endSpan(span),
        (error: unknown) => endSpan(span, error),
      );
    } else endSpan(span);
    return result;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}

/**
 * Runs the work for a message, an event or a delivery in a span that lasts until the work has
 * ended. Without a span while tracing is off.
 */
export function tracedEntry<Result>(name: string, facts: EntrySpanOptions, work: () => Result): Result {
  const span = startEntrySpan(name, facts);
  return span === undefined ? work() : runAndEnd(span, work);
}

/** Returns true if the active span is recorded. */
export const isTraced = (): boolean => activeSpan()?.isRecording() === true;

/** Runs a part of the work in a child span. Without a recorded active span there is none. */
export function traced<Result>(name: string, { kind, attributes }: SpanOptions, work: () => Result): Result {
  if (tracer === undefined || !isTraced()) return work();
  return runAndEnd(tracer.startSpan(name, { ...(kind && { kind }), ...(attributes && { attributes }) }), work);
}

/** Sets attributes of the active span. */
export const setSpanAttributes = (attributes: Attributes): void => void activeSpan()?.setAttributes(attributes);
