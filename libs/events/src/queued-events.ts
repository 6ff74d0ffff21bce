import { type Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { redisTls } from '#config';
import { type EventEnvelope, type ServiceName } from '#contracts';
import { eventsOfBatch } from './batch.js';
import { eventQueues } from './event-queue.js';

/** State of a job. `done` jobs have completed; BullMQ removes them after some time. */
export type JobState = 'waiting' | 'active' | 'failed' | 'done';

/** Job ids of all queues by subscriber and state. */
export type QueueSnapshot = ReadonlyMap<ServiceName, ReadonlyMap<JobState, readonly string[]>>;

/** Event in the queue of one subscriber. */
interface QueuedEvent {
  readonly subscriber: ServiceName;
  readonly state: JobState;
  readonly event: EventEnvelope;
  /** Error message of the last failed attempt. */
  readonly reason: string | undefined;
}

const Envelope = z.looseObject({ id: z.uuid(), name: z.string(), payload: z.looseObject({}) });

const jobsPerPipeline = 500;

interface ReadOptions {
  readonly subscriber: ServiceName;
  readonly state: JobState;
  readonly ids: readonly string[];
  readonly onMissing: (state: JobState) => void;
}

/** Read-only view of the event queues. */
export class QueuedEvents {
  private readonly redis: Redis;
  private readonly queues: ReadonlyMap<ServiceName, Queue>;

  constructor(jobsUrl: string, prefix?: string) {
    this.redis = new Redis(jobsUrl, { ...redisTls(jobsUrl), maxRetriesPerRequest: 2, connectTimeout: 5_000 });
    // Each failing command throws the error
    this.redis.on('error', () => undefined);
    this.queues = eventQueues(this.redis, prefix);
  }

  /**
   * Returns the ids of all jobs. Each queue is read in one transaction, so that a job that changes
   * its state is not missed.
   *
   * @param doneSince excludes jobs that completed earlier
   */
  async snapshot(doneSince: Date): Promise<QueueSnapshot> {
    const all = new Map<ServiceName, ReadonlyMap<JobState, readonly string[]>>();
    for (const [service, queue] of this.queues) {
      const key = (name: string): string => queue.toKey(name);
      const lists = await this.redis
        .multi()
        .lrange(key('wait'), 0, -1)
        .lrange(key('paused'), 0, -1)
        .zrange(key('delayed'), 0, -1)
        .zrange(key('prioritized'), 0, -1)
        .lrange(key('active'), 0, -1)
        .zrange(key('failed'), 0, -1)
        .zrangebyscore(key('completed'), doneSince.getTime(), '+inf')
        .exec();
      const [wait, paused, delayed, prioritized, active, failed, done] = lists!.map(([error, ids]) => {
        if (error) throw error;
        return ids as string[];
      });
      const waiting = [...wait!, ...paused!, ...delayed!, ...prioritized!];
      all.set(
        service,
        new Map<JobState, readonly string[]>([
          ['done', done!],
          ['active', active!],
          ['waiting', waiting],
          ['failed', failed!],
        ]),
      );
    }
    return all;
  }

  /**
   * Yields the events of the jobs that still exist. Skips data that is no event, because no
   * consumer could consume it.
   *
   * @param onMissing called for each job that no longer exists, with its state in the snapshot
   */
  async *events(
    jobs: QueueSnapshot,
    onMissing: (state: JobState) => void = () => undefined,
  ): AsyncGenerator<QueuedEvent> {
    for (const [subscriber, states] of jobs)
      for (const [state, ids] of states)
        for (let at = 0; at < ids.length; at += jobsPerPipeline)
          yield* this.read({ subscriber, state, ids: ids.slice(at, at + jobsPerPipeline), onMissing });
  }

  close(): void {
    this.redis.disconnect();
  }

  private async *read({ subscriber, state, ids, onMissing }: ReadOptions): AsyncGenerator<QueuedEvent> {
    const queue = this.queues.get(subscriber)!;
    const pipeline = this.redis.pipeline();
    for (const id of ids) pipeline.hmget(queue.toKey(id), 'data', 'failedReason');
    for (const [error, result] of (await pipeline.exec())!) {
      if (error) throw error;
      const [data, reason] = result as [string | null, string | null];
      if (data === null) {
        onMissing(state);
        continue;
      }
      const job: unknown = JSON.parse(data);
      for (const candidate of eventsOfBatch(job) ?? [job]) {
        const event = Envelope.safeParse(candidate);
        if (event.success)
          yield { subscriber, state, event: event.data as unknown as EventEnvelope, reason: reason ?? undefined };
      }
    }
  }
}
