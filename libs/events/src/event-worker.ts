import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type EventEnvelope } from '#contracts';
import { type Database } from '#persistence';
import { runInCall } from '#request-queue';
import { type Consumers } from './consumer-table.js';
import { onceInInbox, PermanentFailure } from './delivery.js';
import { NotKnownYet, readEnvelope } from './envelope.js';
import { defaultPrefix, queueName } from './event-queue.js';
import { watchLink } from './link-watch.js';
import { type EventMetrics, eventMetrics } from './metrics.js';
import { type ConsumerOptions } from './options.js';

/** What an aborted consumer gets to stop before its process ends without it. */
const graceMs = 2_000;

/** As long as the relay's: a newer version is being rolled out, and a process of it will take the event. */
const notKnownWaitMs = 30_000;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The message and stack of the failure, in the class that tells BullMQ not to try again. */
function withoutRetry(failure: PermanentFailure): UnrecoverableError {
  const error = new UnrecoverableError(failure.message);
  error.stack = failure.stack;
  return error;
}

const defaultLockMs = 12_000;

/** Takes the events of one service from its queue and brings each to its consumer. */
export class EventWorker {
  private readonly log = new Logger('EventWorker');
  private readonly redis: Redis;
  private readonly worker: Worker<unknown, void>;
  private readonly metrics: EventMetrics;
  private readonly running = new Set<Promise<void>>();
  private closing: Promise<void> | undefined;
  private readonly stopWatching: () => void;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly consumers: Consumers,
    private readonly database: Database,
  ) {
    this.metrics = eventMetrics(options.registry);
    // A worker waits for Redis as long as it takes. Not lazyConnect: BullMQ gives up for good when the first try fails
    this.redis = new Redis(options.jobsUrl, { maxRetriesPerRequest: null, keepAlive: 30_000 });
    this.stopWatching = watchLink(this.redis);
    const { lockMs = defaultLockMs } = options;
    this.worker = new Worker<unknown, void>(queueName(options.service), this.take, {
      connection: this.redis,
      prefix: options.prefix ?? defaultPrefix,
      autorun: false,
      concurrency: options.concurrency ?? 4,
      lockDuration: lockMs,
      // A process that stands still for half of the lock keeps it, and one that died is missed soon after its end
      lockRenewTime: lockMs / 4,
      // Whole, because Redis takes no fraction of a millisecond
      stalledInterval: Math.ceil(lockMs / 6),
      maxStalledCount: options.maxStalled ?? 5,
      // The blocking connection is made anew when it is silent a second longer than this
      drainDelay: 2,
      // After a lost connection: the default of 15 s would be felt
      runRetryDelay: 1_000,
    });
    this.worker.on('error', (error) => this.log.debug(`Redis: ${error.message}`));
    this.worker.on('failed', (job, error) => this.report(job, error));
  }

  start(): void {
    void this.worker.run().catch((error: unknown) => this.log.error(asError(error)));
  }

  /** Takes no more events, waits for the running consumers, then aborts them and gives their events back. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    const closed = this.redis.status === 'ready' ? this.worker.close() : this.closeOffline();
    const late = sleep(this.options.drainMs ?? 10_000, 'late', { ref: false });
    if ((await Promise.race([closed, late])) === 'late') {
      this.worker.cancelAllJobs('the process is closing');
      await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
    }
    this.stopWatching();
    this.redis.disconnect();
  }

  /** Without Redis BullMQ waits for ever for the end of its connections; the consumers can finish all the same. */
  private async closeOffline(): Promise<void> {
    await this.worker.pause(true);
    await Promise.allSettled(this.running);
    await this.worker.close(true);
  }

  /** BullMQ hands over the signal only to a function with three parameters. */
  private readonly take = (job: Job<unknown, void>, token?: string, signal?: AbortSignal): Promise<void> => {
    const consumed = this.consume(job, token!, signal!).finally(() => this.running.delete(consumed));
    this.running.add(consumed);
    return consumed;
  };

  private async consume(job: Job<unknown, void>, token: string, signal: AbortSignal): Promise<void> {
    const { service } = this.options;
    const stop = this.metrics.seconds.startTimer({ service, event: job.name });
    try {
      await this.deliver(job, readEnvelope(job.data), signal);
      this.count(job.name, 'done');
    } catch (error) {
      if (signal.aborted) {
        this.count(job.name, 'returned');
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof NotKnownYet) await this.putBack(job, token, error);
      throw error instanceof PermanentFailure ? withoutRetry(error) : asError(error);
    } finally {
      stop();
    }
  }

  private async deliver(job: Job<unknown, void>, event: EventEnvelope, signal: AbortSignal): Promise<void> {
    const { service } = this.options;
    const consume = this.consumers.get(event.name);
    // A newer version has subscribed to it
    if (!consume) throw new NotKnownYet(`${service} has no consumer of ${event.name}`);
    const { requestId = event.id, traceparent } = event.metadata;
    await runInCall({ requestId, traceparent, signal, service, pattern: event.name }, () =>
      consume({
        event,
        attempt: job.attemptsMade + 1,
        signal,
        progress: (value) => job.updateProgress(value),
        ...onceInInbox(this.database, event.id),
      }),
    );
  }

  /** Without using up an attempt. Said at the first time only: it may come back often until the new version is there. */
  private async putBack(job: Job<unknown, void>, token: string, reason: NotKnownYet): Promise<never> {
    this.count(job.name, 'unknown');
    if (job.attemptsStarted === 1)
      this.log.warn(`${job.name} ${job.id} put back for ${notKnownWaitMs / 1_000} s: ${reason.message}`);
    await job.moveToDelayed(Date.now() + notKnownWaitMs, token);
    throw new DelayedError();
  }

  /** A failed attempt that is followed by another is a warning; the last one is an error, once: somebody must look. */
  private report(job: Job<unknown, void> | undefined, error: Error): void {
    if (!job) return;
    const last = job.finishedOn !== undefined;
    this.count(job.name, last ? 'failed' : 'retried');
    const text = `${job.name} ${job.id} attempt ${job.attemptsMade} ${last ? 'failed for good' : 'failed, will be tried again'}: ${error.message}`;
    if (last) this.log.error(text, error.stack);
    else this.log.warn(text);
  }

  private count(event: string, outcome: 'done' | 'retried' | 'failed' | 'returned' | 'unknown'): void {
    this.metrics.consumed.inc({ service: this.options.service, event, outcome });
  }
}
