import { type Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { redisTls } from '#config';
import { type EventEnvelope, type ServiceName } from '#contracts';
import { eventsOfBatch } from './batch.js';
import { eventQueues } from './event-queue.js';

/** Where a job is. `done` is one that has ended well; it is remembered for a while. */
export type JobState = 'waiting' | 'active' | 'failed' | 'done';

/** The jobs of all queues at one moment: by subscriber and state, their ids. */
export type JobsAtOnce = ReadonlyMap<ServiceName, ReadonlyMap<JobState, readonly string[]>>;

/** An event on its way to one subscriber. */
interface QueuedEvent {
  readonly subscriber: ServiceName;
  readonly state: JobState;
  readonly event: EventEnvelope;
  /** Why the last attempt failed. */
  readonly reason: string | undefined;
}

const Envelope = z.looseObject({ id: z.uuid(), name: z.string(), payload: z.looseObject({}) });

const jobsPerTrip = 500;

interface Reading {
  readonly subscriber: ServiceName;
  readonly state: JobState;
  readonly ids: readonly string[];
  readonly missing: (state: JobState) => void;
}

/** Looks at the queues of events from outside, without taking anything from them. */
export class QueuedEvents {
  private readonly redis: Redis;
  private readonly queues: ReadonlyMap<ServiceName, Queue>;

  constructor(jobsUrl: string, prefix?: string) {
    this.redis = new Redis(jobsUrl, { ...redisTls(jobsUrl), maxRetriesPerRequest: 2, connectTimeout: 5_000 });
    // Told by the command that fails
    this.redis.on('error', () => undefined);
    this.queues = eventQueues(this.redis, prefix);
  }

  /**
   * Which jobs there are, each queue in one moment, so that none is missed on its way from one state to another.
   *
   * @param doneSince leaves out what had ended well before
   */
  async atOnce(doneSince: Date): Promise<JobsAtOnce> {
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
   * The events of jobs that are still there. What is no event is left out: nobody could consume it.
   *
   * @param missing told the state of each job that is not there any more: it was done meanwhile, and forgotten
   */
  async *events(jobs: JobsAtOnce, missing: (state: JobState) => void = () => undefined): AsyncGenerator<QueuedEvent> {
    for (const [subscriber, states] of jobs)
      for (const [state, ids] of states)
        for (let at = 0; at < ids.length; at += jobsPerTrip)
          yield* this.read({ subscriber, state, ids: ids.slice(at, at + jobsPerTrip), missing });
  }

  close(): void {
    this.redis.disconnect();
  }

  private async *read({ subscriber, state, ids, missing }: Reading): AsyncGenerator<QueuedEvent> {
    const queue = this.queues.get(subscriber)!;
    const trip = this.redis.pipeline();
    for (const id of ids) trip.hmget(queue.toKey(id), 'data', 'failedReason');
    for (const [error, found] of (await trip.exec())!) {
      if (error) throw error;
      const [data, reason] = found as [string | null, string | null];
      if (data === null) {
        missing(state);
        continue;
      }
      const job: unknown = JSON.parse(data);
      for (const found of eventsOfBatch(job) ?? [job]) {
        const event = Envelope.safeParse(found);
        if (event.success)
          yield { subscriber, state, event: event.data as unknown as EventEnvelope, reason: reason ?? undefined };
      }
    }
  }
}
