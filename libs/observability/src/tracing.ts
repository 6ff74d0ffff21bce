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

export interface SpanFacts {
  readonly kind?: SpanKind;
  /** Names of OpenTelemetry's conventions where there are some. No bodies, no addresses as sent, no secrets. */
  readonly attributes?: Attributes;
}

export interface EntryFacts extends SpanFacts {
  /** W3C trace context of what caused it; a trace of its own begins without. */
  readonly parent?: string | undefined;
  /** W3C trace context of somebody whose trace it is not. */
  readonly link?: string | undefined;
}

// Without it, which is the default, everything below only calls the work
let tracer: Tracer | undefined;

/**
 * Begins to tell the spans of this process to the collector of the settings; without one nothing is traced.
 *
 * @param warn is told, once a minute, that the collector does not take them
 * @returns sends what is left, within two seconds
 */
export async function startTracing(
  app: string,
  settings: TraceSettings,
  warn: (text: string) => void,
): Promise<() => Promise<void>> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return () => Promise.resolve();
  // Takes 0.1 s and some megabytes, which only those pay who trace
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

/** The W3C trace context of a span, for another process. @param span the one that the running code is in, if any */
export function traceparent(span = activeSpan()): string | undefined {
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The id of the trace that a span is of, when it is recorded: for a line in the log. @param span as of `traceparent` */
export function traceId(span = activeSpan()): string | undefined {
  const { traceId, traceFlags = TraceFlags.NONE } = span?.spanContext() ?? {};
  return traceFlags & TraceFlags.SAMPLED ? traceId : undefined;
}

/** Begins a span in which something from outside is worked on; `endSpan` ends it. Undefined while nothing is traced. */
export function beginEntry(name: string, { kind, attributes, parent, link }: EntryFacts): Span | undefined {
  return tracer?.startSpan(
    name,
    { ...(kind && { kind }), ...(attributes && { attributes }), ...(link && { links: linkTo(link) }) },
    parent === undefined ? ROOT_CONTEXT : contextOf(parent),
  );
}

/** Runs work so that the spans that begin in it belong to `span`. */
export const inSpan = <Result>(span: Span | undefined, work: () => Result): Result =>
  span === undefined ? work() : context.with(trace.setSpan(context.active(), span), work);

const typeOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : String(error));

/**
 * Ends a span.
 *
 * @param error why its work failed, or a word for it. It is told by its name or code only: a message may quote what a
 *   client has sent
 */
export function endSpan(span: Span, error?: unknown): void {
  if (error !== undefined) {
    const isRefusal = error instanceof DomainError;
    span.setAttribute('error.type', isRefusal ? error.kind.code : typeOf(error));
    if (!isRefusal || error.kind.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function ended<Result>(span: Span, work: () => Result): Result {
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

/** Runs work that something from outside asks for, a message or an event, in a span that lasts until it has ended. */
export function tracedEntry<Result>(name: string, facts: EntryFacts, work: () => Result): Result {
  const span = beginEntry(name, facts);
  return span === undefined ? work() : ended(span, work);
}

/** Whether the running code is in a span that is recorded. */
export const isTraced = (): boolean => activeSpan()?.isRecording() === true;

/** Runs a part of such work in a span of its own. Outside of any that is recorded there is none. */
export function traced<Result>(name: string, { kind, attributes }: SpanFacts, work: () => Result): Result {
  if (tracer === undefined || !isTraced()) return work();
  return ended(tracer.startSpan(name, { ...(kind && { kind }), ...(attributes && { attributes }) }), work);
}

/** Notes facts in the span that the running code is in. */
export const noteInSpan = (attributes: Attributes): void => void activeSpan()?.setAttributes(attributes);
