import { type EventEnvelope } from '#contracts';
import { startEntrySpan, endSpan, type Span, SpanKind, traceparent } from '#observability';
import { type Subscriber } from './publisher.js';

/** Spans of events that are being published to one subscriber. */
interface PublishSpans {
  /**
   * The given events. Those of a trace carry their span, which becomes the parent of their
   * delivery.
   */
  readonly events: readonly EventEnvelope[];
  readonly end: (error?: unknown) => void;
}

/**
 * Starts a span for each event that belongs to a trace. One span for all is not possible, because a
 * round of the relay publishes the events of many requests.
 */
export function startPublishSpans(subscriber: Subscriber, events: readonly EventEnvelope[]): PublishSpans {
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
