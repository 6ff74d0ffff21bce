import { type Job, UnrecoverableError } from 'bullmq';
import { backoffMs } from '#concurrency';
import { type EventEnvelope } from '#contracts';
import { SpanKind } from '#observability';
import { type PermanentFailure } from './delivery.js';

/** Between the deliveries of an event that meets an outage, doubling; the worker pauses besides. */
const outageBackoff = { firstMs: 1_000, maxMs: 60_000 };

/** A thrown value as an error, which BullMQ wants. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The message and stack of the failure, in the class with which BullMQ does not retry. */
export function withoutRetry(failure: PermanentFailure): UnrecoverableError {
  const error = new UnrecoverableError(failure.message);
  error.stack = failure.stack;
  return error;
}

/** The ids of an event, as far as it is one, for a line in the log. */
export function idsOf(event: unknown) {
  const { id, metadata } = (event ?? {}) as { readonly id?: unknown; readonly metadata?: Record<string, unknown> };
  const { requestId, traceparent } = metadata ?? {};
  const [, traceId, , flags] = typeof traceparent === 'string' ? traceparent.split('-') : [];
  return { eventId: id, requestId, ...(flags === '01' && { traceId }) };
}

/** Log fields of an attempt. The waiting time of a job is known of its first attempt only. */
export function factsOf(job: Job<unknown, void>, attempt = job.attemptsMade + 1) {
  const { name, id, timestamp, attemptsStarted, processedOn = Date.now() } = job;
  const waitMs = attemptsStarted > 1 ? undefined : processedOn - timestamp;
  return { event: name, jobId: id, attempt, waitMs, ms: Date.now() - processedOn };
}

/** The span of one attempt, a child of the one that wrote the event. */
export const spanOf = (service: string, { id, attemptsMade }: Job<unknown, void>, event: EventEnvelope) => ({
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

/** How often a job that meets an outage was postponed before, and how long it is delayed now. */
export function delaysOf({ attemptsStarted, attemptsMade }: Job<unknown, void>) {
  const times = Math.max(0, attemptsStarted - attemptsMade - 1);
  return { times, delayMs: backoffMs(times, outageBackoff) };
}
