import { type Job, type Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { type ServiceName } from '#contracts';
import { eventsOfBatch } from './batch.js';
import { eventQueues } from './event-queue.js';

/** Job that failed permanently: an event or a batch that its subscriber did not consume. */
export interface FailedJob {
  readonly subscriber: ServiceName;
  /**
   * Id of the job: that of its event or batch. Each subscriber of an event has a job with the same
   * id.
   */
  readonly id: string;
  readonly event: string;
  /** Number of events in the job. */
  readonly events: number;
  readonly reason: string;
  readonly failedAt: Date;
}

const failedJob = (subscriber: ServiceName, { id, name, data, failedReason, finishedOn = 0 }: Job): FailedJob => ({
  subscriber,
  id: id!,
  event: name,
  events: eventsOfBatch(data)?.length ?? 1,
  reason: failedReason || 'no reason',
  failedAt: new Date(finishedOn),
});

/**
 * Failed jobs of all subscribers or of one subscriber. Jobs stay until they are retried or dropped
 * here or on the queue board.
 */
export class FailedEvents {
  private readonly redis: Redis;
  private readonly queues: readonly (readonly [ServiceName, Queue])[];

  /** @param only restricts the jobs to one subscriber; undefined for all subscribers */
  constructor(jobsUrl: string, only?: ServiceName, prefix?: string) {
    this.redis = new Redis(jobsUrl, { ...redisTls(jobsUrl), maxRetriesPerRequest: 2, connectTimeout: 5_000 });
    // Each failing command throws the error
    this.redis.on('error', () => undefined);
    this.queues = [...eventQueues(this.redis, prefix)].filter(([service]) => only === undefined || service === only);
  }

  /** @returns the number of failed jobs by subscriber */
  async counts(): Promise<ReadonlyMap<ServiceName, number>> {
    const counts = this.queues.map(async ([service, queue]) => [service, await queue.getFailedCount()] as const);
    return new Map(await Promise.all(counts));
  }

  /** @returns up to `limit` jobs of each subscriber, those that failed first */
  async list(limit: number): Promise<FailedJob[]> {
    const lists = this.queues.map(async ([service, queue]) =>
      (await queue.getJobs(['failed'], 0, limit - 1, true)).map((job) => failedJob(service, job)),
    );
    return (await Promise.all(lists)).flat();
  }

  /**
   * Retries a job for each subscriber where it has failed. The attempts that were made count: a job
   * that has used up all gets one more.
   *
   * @returns the jobs; empty when no job with this id has failed
   */
  retry(id: string): Promise<FailedJob[]> {
    return this.each(id, (job) => job.retry('failed'));
  }

  /** Retries all jobs that have failed until now. @returns their number */
  async retryAll(): Promise<number> {
    let all = 0;
    for (const [, queue] of this.queues) {
      all += await queue.getFailedCount();
      // The timestamp excludes jobs that fail again during the call
      await queue.retryJobs({ state: 'failed', timestamp: Date.now() });
    }
    return all;
  }

  /**
   * Deletes a job for each subscriber where it has failed. Its events are lost for that subscriber.
   *
   * @returns the jobs; empty when no job with this id has failed
   */
  drop(id: string): Promise<FailedJob[]> {
    return this.each(id, (job) => job.remove());
  }

  close(): void {
    this.redis.disconnect();
  }

  private async each(id: string, change: (job: Job) => Promise<void>): Promise<FailedJob[]> {
    const changed: FailedJob[] = [];
    for (const [service, queue] of this.queues) {
      const job = (await queue.getJob(id)) as Job | undefined;
      if (!job || !(await job.isFailed())) continue;
      const before = failedJob(service, job);
      await change(job);
      changed.push(before);
    }
    return changed;
  }
}
