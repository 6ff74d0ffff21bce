import { type Job, type Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { type ServiceName } from '#contracts';
import { eventsOfBatch } from './batch.js';
import { eventQueues } from './event-queue.js';

/** A job that failed for good: an event, or a batch of them, that its subscriber did not consume. */
export interface FailedJob {
  readonly subscriber: ServiceName;
  /** Of the job: that of its event, or of the batch. The subscribers of an event have a job each, of the same id. */
  readonly id: string;
  readonly event: string;
  /** Events in the job. */
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

/** The failed jobs of all subscribers, or of one. They stay until one of these methods, or the queue board, is used. */
export class FailedEvents {
  private readonly redis: Redis;
  private readonly queues: readonly (readonly [ServiceName, Queue])[];

  /** @param only whose jobs; all when undefined */
  constructor(jobsUrl: string, only?: ServiceName, prefix?: string) {
    this.redis = new Redis(jobsUrl, { ...redisTls(jobsUrl), maxRetriesPerRequest: 2, connectTimeout: 5_000 });
    // Reported by the command that fails
    this.redis.on('error', () => undefined);
    this.queues = [...eventQueues(this.redis, prefix)].filter(([service]) => only === undefined || service === only);
  }

  /** @returns the number of failed jobs by subscriber */
  async counts(): Promise<ReadonlyMap<ServiceName, number>> {
    const counts = this.queues.map(async ([service, queue]) => [service, await queue.getFailedCount()] as const);
    return new Map(await Promise.all(counts));
  }

  /** @returns of each subscriber the jobs that failed first, up to `atMost` */
  async list(atMost: number): Promise<FailedJob[]> {
    const lists = this.queues.map(async ([service, queue]) =>
      (await queue.getJobs(['failed'], 0, atMost - 1, true)).map((job) => failedJob(service, job)),
    );
    return (await Promise.all(lists)).flat();
  }

  /**
   * Puts a job back into the queue of each subscriber where it has failed. It has one attempt.
   *
   * @returns the jobs; empty when none of this id has failed
   */
  retry(id: string): Promise<FailedJob[]> {
    return this.each(id, (job) => job.retry('failed'));
  }

  /** Puts back all that have failed until now. @returns how many there were */
  async retryAll(): Promise<number> {
    let all = 0;
    for (const [, queue] of this.queues) {
      all += await queue.getFailedCount();
      // What fails again meanwhile is not retried again
      await queue.retryJobs({ state: 'failed', timestamp: Date.now() });
    }
    return all;
  }

  /**
   * Deletes a job for each subscriber where it has failed. Its events are lost there.
   *
   * @returns the jobs; empty when none of this id has failed
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
      const was = failedJob(service, job);
      await change(job);
      changed.push(was);
    }
    return changed;
  }
}
