import { type JobsOptions, Queue } from 'bullmq';
import { type Redis } from 'ioredis';
import { eventsFor, type ServiceName, serviceNames } from '#contracts';

export const defaultPrefix = 'storefront';

/**
 * Returns the name of a subscriber's BullMQ queue, which all its events share. Jobs have the names
 * of their events.
 */
export const queueName = (subscriber: ServiceName): string => `events-${subscriber}`;

/**
 * Returns the queues of all services with subscriptions. The caller owns the connection that they
 * share.
 */
export const eventQueues = (connection: Redis, prefix = defaultPrefix): ReadonlyMap<ServiceName, Queue> =>
  new Map(
    serviceNames
      .filter((service) => eventsFor(service).length > 0)
      .map((service) => [service, new Queue(queueName(service), { connection, prefix })]),
  );

export interface RetryOptions {
  readonly attempts: number;
  readonly backoffMs: number;
}

/**
 * Returns the options of a job. Whenever a job completes, BullMQ removes the completed jobs that
 * are older than a day or not among the newest 1,000. BullMQ ignores a job whose id exists, which
 * prevents most duplicate deliveries. Failed jobs stay until an operator retries or drops them.
 */
export const jobOptions = ({ attempts, backoffMs }: RetryOptions): JobsOptions => ({
  attempts,
  backoff: { type: 'exponential', delay: backoffMs, jitter: 0.2 },
  removeOnComplete: { age: 86_400, count: 1_000 },
  removeOnFail: false,
  stackTraceLimit: 5,
});
