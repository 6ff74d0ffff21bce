import { type JobsOptions, Queue } from 'bullmq';
import { type Redis } from 'ioredis';
import { eventsFor, type ServiceName, serviceNames } from '#contracts';

export const defaultPrefix = 'storefront';

/** The BullMQ queue of a subscriber. All its events share it; the job's name is the event's. */
export const queueName = (subscriber: ServiceName): string => `events-${subscriber}`;

/** The queues of all who subscribe to something, over one connection, which stays its owner's. */
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
 * How a job lives. Finished jobs stay for a day, because BullMQ refuses a job whose id it still knows: that already
 * stops most second deliveries. Failed jobs stay until an operator retries or drops them: no count removes an event.
 */
export const jobOptions = ({ attempts, backoffMs }: RetryOptions): JobsOptions => ({
  attempts,
  backoff: { type: 'exponential', delay: backoffMs, jitter: 0.2 },
  removeOnComplete: { age: 86_400, count: 1_000 },
  removeOnFail: false,
  stackTraceLimit: 5,
});
