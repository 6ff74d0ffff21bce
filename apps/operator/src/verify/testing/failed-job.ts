import { once } from 'node:events';
import { UnrecoverableError, Queue, Worker } from 'bullmq';
import type { ServiceName } from '#contracts';
import { defaultPrefix, queueName } from '../../../../../libs/events/src/event-queue.js';

/** An event as it lies in a queue. */
interface PlantedEvent {
  readonly id: string;
  readonly name: string;
  readonly payload: object;
}

/** Has a subscriber give an event up. Nothing else may wait in its queue. */
export async function failJob(
  jobsUrl: string,
  subscriber: ServiceName,
  event: PlantedEvent,
  reason: string,
): Promise<void> {
  const its = { connection: { url: jobsUrl }, prefix: defaultPrefix };
  const queue = new Queue(queueName(subscriber), its);
  const worker = new Worker(
    queueName(subscriber),
    () => {
      throw new UnrecoverableError(reason);
    },
    its,
  );
  try {
    const failed = once(worker, 'failed');
    await queue.add(event.name, event);
    await failed;
  } finally {
    await Promise.all([worker.close(), queue.close()]);
  }
}
