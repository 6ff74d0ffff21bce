import { once } from 'node:events';
import { UnrecoverableError, Queue, Worker } from 'bullmq';
import type { ServiceName } from '#contracts';
import { defaultPrefix, queueName } from '../../../../../libs/events/src/event-queue.js';

/** An event as stored in a queue. */
interface QueuedEvent {
  readonly id: string;
  readonly name: string;
  readonly payload: object;
}

/**
 * Adds a failed job to the queue of a subscriber. The queue must be empty: other jobs would fail,
 * too.
 */
export async function failJob(
  jobsUrl: string,
  subscriber: ServiceName,
  event: QueuedEvent,
  reason: string,
): Promise<void> {
  const options = { connection: { url: jobsUrl }, prefix: defaultPrefix };
  const queue = new Queue(queueName(subscriber), options);
  const worker = new Worker(
    queueName(subscriber),
    () => {
      throw new UnrecoverableError(reason);
    },
    options,
  );
  try {
    const failed = once(worker, 'failed');
    await queue.add(event.name, event);
    await failed;
  } finally {
    await Promise.all([worker.close(), queue.close()]);
  }
}
