import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { shutdownSignal } from '#observability';
import { type QueueLog, silentLog } from '#request-queue';
import { startConnectionWatchdog } from '../connection-watchdog.js';
import { defaultPrefix } from '../event-queue.js';

const workQueueNames = ['webhook-deliveries'] as const;

/** Returns the queues of work for the queue board. The caller owns their connection. */
export const workQueues = (connection: Redis, prefix = defaultPrefix): Queue[] =>
  workQueueNames.map((name) => new Queue(name, { connection, prefix }));

/** Work that is described by a row of the database. */
interface Work {
  /** Id of the job. Work with the id of an existing job is ignored. */
  readonly jobId: string;
  readonly data: Readonly<Record<string, number>>;
}

interface WorkQueueOptions {
  readonly name: (typeof workQueueNames)[number];
  readonly jobsUrl: string;
  readonly prefix?: string;
  /** Concurrent jobs of one process. */
  readonly concurrency: number;
  /** Grace period of running jobs at shutdown before their signal is aborted. Default 10,000. */
  readonly drainMs?: number;
  /** Lock of a job, as in `ConsumerOptions`. Default 12,000. */
  readonly lockMs?: number;
  readonly log?: QueueLog;
  /** Does the work of a job. May be called again for the same work after a crash. */
  readonly work: (data: Work['data'], signal: AbortSignal) => Promise<void>;
}

const graceMs = 2_000;
const addTimeoutMs = 5_000;

/**
 * Distributes work over the processes of a service. Rows of the database decide which work is due.
 * The code that reads these rows adds the work of a lost or failed job again: jobs are removed when
 * they end, and a failed job is not retried here.
 */
export class WorkQueue {
  private readonly log: QueueLog;
  private readonly adding: Redis;
  private readonly taking: Redis;
  private readonly queue: Queue<Work['data'], void>;
  private readonly worker: Worker<Work['data'], void>;
  private readonly stopCallbacks: readonly (() => void)[];
  private closing: Promise<void> | undefined;

  constructor(private readonly options: WorkQueueOptions) {
    const { name, jobsUrl, prefix = defaultPrefix, concurrency, lockMs = 12_000, log = silentLog } = options;
    this.log = log;
    const redisOptions = { ...redisTls(jobsUrl), keepAlive: 30_000 };
    this.adding = new Redis(jobsUrl, {
      ...redisOptions,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: addTimeoutMs,
    });
    this.taking = new Redis(jobsUrl, { ...redisOptions, maxRetriesPerRequest: null });
    this.stopCallbacks = [this.adding, this.taking].map(startConnectionWatchdog);
    this.queue = new Queue(name, { connection: this.adding, prefix, streams: { events: { maxLen: 1_000 } } });
    this.worker = new Worker<Work['data'], void>(name, this.take, {
      connection: this.taking,
      prefix,
      autorun: false,
      concurrency,
      lockDuration: lockMs,
      lockRenewTime: lockMs / 4,
      stalledInterval: Math.ceil(lockMs / 6),
      maxStalledCount: 5,
      drainDelay: 2,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    const logError = (err: Error): void => this.log.debug({ err }, 'Redis connection failed');
    this.adding.on('error', logError);
    this.queue.on('error', logError);
    this.worker.on('error', logError);
    this.worker.on('failed', (job, err) =>
      this.log.error({ queue: name, jobId: job?.id, err }, `${name} ${job?.id} failed: ${err.message}`),
    );
  }

  /** False while work cannot be added. */
  get isReady(): boolean {
    return this.adding.status === 'ready';
  }

  start(): void {
    void this.worker
      .run()
      .catch((err: unknown) => this.log.error({ err }, `Worker of ${this.options.name} stopped: no work is done`));
    shutdownSignal.addEventListener('abort', this.stopTaking);
  }

  /** @throws Error when Redis is not available; some of the work may have been added */
  async add(work: readonly Work[]): Promise<void> {
    const { name } = this.options;
    await this.queue.addBulk(work.map(({ jobId, data }) => ({ name, data, opts: { jobId } })));
  }

  /**
   * Takes no more work, waits up to `drainMs` for running jobs, then aborts them. While Redis is
   * not connected, neither waits for them nor aborts them.
   */
  close(): Promise<void> {
    return (this.closing ??= this.drain());
  }

  private readonly stopTaking = (): void => void this.close().catch(() => undefined);

  private async drain(): Promise<void> {
    shutdownSignal.removeEventListener('abort', this.stopTaking);
    const isOnline = this.taking.status === 'ready';
    const closed = isOnline ? this.worker.close() : this.worker.close(true);
    const late = sleep(this.options.drainMs ?? 10_000, 'late', { ref: false });
    if ((await Promise.race([closed, late])) === 'late') {
      this.worker.cancelAllJobs('the process is closing');
      await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
    }
    for (const stop of this.stopCallbacks) stop();
    this.adding.disconnect();
    this.taking.disconnect();
  }

  /** Has three parameters, because BullMQ passes the signal only then. */
  private readonly take = (job: Job<Work['data'], void>, _token?: string, signal?: AbortSignal): Promise<void> =>
    this.options.work(job.data, signal!);
}
