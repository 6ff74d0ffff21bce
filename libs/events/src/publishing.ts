import { type EventEnvelope } from '#contracts';
import { startEntrySpan, endSpan, type Span, SpanKind, traceparent } from '#observability';
import { type Subscriber } from './publisher.js';

/** Events on their way to one subscriber. */
interface Publishing {
  /** The same events; those that belong to a trace name the span of their publication as what caused their delivery. */
  readonly events: readonly EventEnvelope[];
  readonly end: (error?: unknown) => void;
}

/** Begins a span for each event that belongs to a trace: a round of the relay publishes what many requests have told. */
export function beginPublishing(subscriber: Subscriber, events: readonly EventEnvelope[]): Publishing {
  const spans: Span[] = [];
  const traced = events.map((event): EventEnvelope => {
    const parent = event.metadata['traceparent'];
    const span =
      parent === undefined
        ? undefined
        : startEntrySpan(`publish ${event.name}`, {
            kind: SpanKind.PRODUCER,
            attributes: { 'messaging.destination.name': subscriber, 'messaging.message.id': event.id },
            parent,
          });
    if (span === undefined) return event;
    spans.push(span);
    return { ...event, metadata: { ...event.metadata, traceparent: traceparent(span)! } };
  });
  return { events: traced, end: (error) => spans.forEach((span) => endSpan(span, error)) };
}
