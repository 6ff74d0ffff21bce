import { type JobsOptions } from 'bullmq';
import { type ServiceName } from '#contracts';

export const defaultPrefix = 'storefront';

/** The BullMQ queue of a subscriber. All its events share it; the job's name is the event's. */
export const queueName = (subscriber: ServiceName): string => `events-${subscriber}`;

export interface RetryOptions {
  readonly attempts: number;
  readonly backoffMs: number;
}

/**
 * How a job lives. Finished jobs stay for a day, because BullMQ refuses a job whose id it still knows: that already
 * stops most second deliveries. Failed jobs stay until an operator retries or removes them; the bound protects the
 * memory of a Redis that evicts nothing.
 */
export const jobOptions = ({ attempts, backoffMs }: RetryOptions): JobsOptions => ({
  attempts,
  backoff: { type: 'exponential', delay: backoffMs, jitter: 0.2 },
  removeOnComplete: { age: 86_400, count: 1_000 },
  removeOnFail: { count: 10_000 },
  stackTraceLimit: 5,
});
