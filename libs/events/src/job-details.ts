import { type Job, UnrecoverableError } from 'bullmq';
import { backoffMs } from '#concurrency';
import { type EventEnvelope } from '#contracts';
import { SpanKind } from '#observability';
import { type PermanentFailure } from './delivery.js';

/**
 * Delays between the deliveries of an event during an outage, in addition to the pauses of the
 * worker.
 */
const outageBackoff = { firstMs: 1_000, maxMs: 60_000 };

/** Returns a thrown value as an `Error`, which BullMQ requires. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Returns an error with the message and stack of `failure`, for which BullMQ does not retry the
 * job.
 */
export function withoutRetry(failure: PermanentFailure): UnrecoverableError {
  const error = new UnrecoverableError(failure.message);
  error.stack = failure.stack;
  return error;
}

/**
 * Returns log fields with the ids of an event. Accepts any value, because the event may be invalid.
 */
export function eventLogFields(event: unknown) {
  const { id, metadata } = (event ?? {}) as { readonly id?: unknown; readonly metadata?: Record<string, unknown> };
  const { requestId, traceparent } = metadata ?? {};
  const [, traceId, , flags] = typeof traceparent === 'string' ? traceparent.split('-') : [];
  return { eventId: id, requestId, ...(flags === '01' && { traceId }) };
}

/**
 * Returns the log fields of an attempt. The waiting time is known for the first start of a job
 * only.
 */
export function jobLogFields(job: Job<unknown, void>, attempt = job.attemptsMade + 1) {
  const { name, id, timestamp, attemptsStarted, processedOn = Date.now() } = job;
  const waitMs = attemptsStarted > 1 ? undefined : processedOn - timestamp;
  return { event: name, jobId: id, attempt, waitMs, ms: Date.now() - processedOn };
}

/** Returns the options of the span of one attempt, a child of the span in the event's metadata. */
export const consumerSpanOptions = (
  service: string,
  { id, attemptsMade }: Job<unknown, void>,
  event: EventEnvelope,
) => ({
  kind: SpanKind.CONSUMER,
  attributes: {
    'messaging.system': 'bullmq',
    'messaging.destination.name': service,
    'messaging.message.id': event.id,
    'storefront.job_id': id ?? '',
    'storefront.attempt': attemptsMade + 1,
  },
  parent: event.metadata['traceparent'],
});

/**
 * Returns the number of earlier starts of a job that used up no attempt, such as postponements, and
 * the delay of the next postponement.
 */
export function postponementOf({ attemptsStarted, attemptsMade }: Job<unknown, void>) {
  const times = Math.max(0, attemptsStarted - attemptsMade - 1);
  return { times, delayMs: backoffMs(times, outageBackoff) };
}
