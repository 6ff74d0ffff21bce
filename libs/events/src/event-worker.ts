import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, Job, WaitingError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { readiness, tracedEntry } from '#observability';
import { type Database } from '#persistence';
import { type QueueLog, runInCall, silentLog } from '#request-queue';
import { eventsOfBatch, type BatchedEvent, type BatchRemainder } from './batch.js';
import { type Consumers } from './consumer-table.js';
import { PermanentFailure } from './delivery.js';
import { PoisonDetector } from './poison-detector.js';
import { UnknownEventVersion, readEnvelope } from './envelope.js';
import { defaultPrefix, queueName } from './event-queue.js';
import { Inbox } from './inbox.js';
import {
  asError,
  postponementOf,
  jobLogFields,
  eventLogFields,
  consumerSpanOptions,
  withoutRetry,
} from './job-details.js';
import { startConnectionWatchdog } from './connection-watchdog.js';
import { type EventMetrics, eventMetrics } from './metrics.js';
import { type ConsumerOptions } from './options.js';
import { isOutage, IsolatedOutage } from './outage.js';
import { WorkerCircuitBreaker } from './worker-circuit-breaker.js';
import { QueueStatsReader, queueStates } from './queue-stats.js';

/**
 * Grace period of aborted consumers: two seconds, counted in steps so that a blocked event loop
 * does not use it up.
 */
const graceSteps = 20;
const graceStepMs = 100;

/**
 * Like the delay in the relay: during a rolling update a process of the newer version can take the
 * event.
 */
const unknownVersionDelayMs = 30_000;

type Outcome = 'done' | 'retried' | 'failed' | 'returned' | 'unknown' | 'postponed';

const defaultLockMs = 12_000;

/** Worker that takes the events of one service from its queue and passes each to its consumer. */
export class EventWorker {
  private readonly log: QueueLog;
  private readonly redis: Redis;
  private readonly worker: Worker<unknown, void>;
  private readonly metrics: EventMetrics;
  private readonly running = new Set<Promise<void>>();
  private closing: Promise<void> | undefined;
  private readonly stopCallbacks: readonly (() => void)[];
  private readonly circuitBreaker: WorkerCircuitBreaker;
  private readonly poisonDetector: PoisonDetector;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly consumers: Consumers,
    private readonly database: Database,
  ) {
    this.log = options.log ?? silentLog;
    this.metrics = eventMetrics(options.registry);
    // A worker waits for Redis without a limit. Not lazyConnect: BullMQ never retries when the
    // first connection fails
    this.redis = new Redis(options.jobsUrl, {
      ...redisTls(options.jobsUrl),
      maxRetriesPerRequest: null,
      keepAlive: 30_000,
    });
    this.stopCallbacks = [startConnectionWatchdog(this.redis), ...this.registerMetrics()];
    const { lockMs = defaultLockMs } = options;
    this.worker = new Worker<unknown, void>(queueName(options.service), this.take, {
      connection: this.redis,
      prefix: options.prefix ?? defaultPrefix,
      autorun: false,
      concurrency: options.concurrency ?? 4,
      lockDuration: lockMs,
      // Two renewals may be missed before the lock expires, and an expired lock is detected soon
      lockRenewTime: lockMs / 4,
      // An integer, because Redis rejects fractions of a millisecond
      stalledInterval: Math.ceil(lockMs / 6),
      maxStalledCount: options.maxStalled ?? 5,
      // The blocking connection is replaced when it is silent one second longer than this
      drainDelay: 2,
      // Delay after a lost connection. The default of 15 s is too long
      runRetryDelay: 1_000,
    });
    this.poisonDetector = new PoisonDetector(this.redis);
    this.circuitBreaker = new WorkerCircuitBreaker(this.worker, () => this.running.size, this.log);
    this.worker.on('error', (err) => this.log.debug({ err }, 'Redis connection failed'));
    this.worker.on('failed', (job, error) => this.recordFailure(job, error));
  }

  /** Registers the metrics of the queue and the readiness check. */
  private registerMetrics(): (() => void)[] {
    const { service, prefix = defaultPrefix } = this.options;
    const stats = new QueueStatsReader(this.redis, `${prefix}:${queueName(service)}`);
    return [
      ...queueStates.map((state) =>
        this.metrics.jobs.watch({ service, state }, async () => (await stats.read())?.jobs[state]),
      ),
      this.metrics.waiting.watch({ service }, () => Number(this.circuitBreaker.isOpen)),
      this.metrics.oldestJob.watch({ service }, async () => (await stats.read())?.oldestSeconds),
      readiness.addCheck('jobs', () => this.redis.status === 'ready'),
    ];
  }

  start(): void {
    void this.worker
      .run()
      .catch((err: unknown) => this.log.error({ err }, 'Event worker stopped: no more events are consumed'));
  }

  /**
   * Takes no more events and waits up to `drainMs` for running consumers, then aborts them and
   * returns their events to the queue.
   */
  close(): Promise<void> {
    return (this.closing ??= this.drain());
  }

  private async drain(): Promise<void> {
    this.circuitBreaker.close();
    const closed = this.redis.status === 'ready' ? this.worker.close() : this.closeOffline();
    const late = sleep(this.options.drainMs ?? 10_000, 'late', { ref: false });
    if ((await Promise.race([closed, late])) === 'late') {
      this.worker.cancelAllJobs('the process is closing');
      const isClosed = closed.then(() => true);
      // After a blocked event loop expired timers run before received data is read, so one long
      // timer would end the grace period
      for (let step = 0; step < graceSteps; step += 1)
        if (await Promise.race([isClosed, sleep(graceStepMs, false, { ref: false })])) break;
    }
    for (const stop of this.stopCallbacks) stop();
    this.redis.disconnect();
  }

  /**
   * Closes the worker while Redis is unavailable: waits for the consumers only, because BullMQ
   * would wait for its connections without a limit. A batch with unconsumed events waits for Redis
   * until the grace period ends. Then the lock of its job expires, and another process takes the
   * job.
   */
  private async closeOffline(): Promise<void> {
    await this.worker.pause(true);
    await Promise.allSettled(this.running);
    await this.worker.close(true);
  }

  /** Has three parameters, because BullMQ passes the signal only then. */
  private readonly take = (job: Job<unknown, void>, token?: string, signal?: AbortSignal): Promise<void> => {
    const consumed = this.consume(job, token!, signal!).finally(() => this.running.delete(consumed));
    this.running.add(consumed);
    return consumed;
  };

  private async consume(job: Job<unknown, void>, token: string, signal: AbortSignal): Promise<void> {
    const batch = eventsOfBatch(job.data);
    if (batch) return this.consumeAll(job, batch, token, signal);
    try {
      await this.deliver(job, job.data, signal, new Inbox(this.database, 1));
      this.recordSuccess(job.name);
      this.log.info({ ...jobLogFields(job), ...eventLogFields(job.data) }, `${job.name} consumed`);
    } catch (error) {
      if (signal.aborted) {
        this.count(job.name, 'returned');
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof UnknownEventVersion) await this.delayUnknown(job, token, error);
      if (error instanceof PermanentFailure) throw withoutRetry(error);
      if (isOutage(error) && !PoisonDetector.isPoison(await this.suspect(job)))
        await this.postpone(job, token, asError(error));
      throw asError(error);
    }
  }

  /**
   * Passes the events of a batch to their consumer concurrently, once. Failed events become
   * separate jobs with the full number of attempts before the batch completes. A batch that has
   * failed, or whose process has crashed, is split without a delivery, because one of its events
   * may have crashed the process.
   */
  private async consumeAll(
    job: Job<unknown, void>,
    events: readonly BatchedEvent[],
    token: string,
    signal: AbortSignal,
  ): Promise<void> {
    // Not `attemptsStarted`, which includes postponements
    const wasStarted = job.stalledCounter > 0 || job.attemptsMade > 0;
    if (wasStarted)
      this.log.warn(
        { ...jobLogFields(job), events: events.length },
        `${job.name} ${job.id} was interrupted, retrying its events separately`,
      );
    const remainder = wasStarted ? { failed: events, postponed: [] } : await this.deliverAll(job, events, signal);
    // An outage while other events succeed may be caused by one event, so the second suspicion
    // splits the batch
    const isPostponed = remainder.postponed.length > 0 && (await this.suspect(job)) < 2;
    const split = isPostponed ? remainder.failed : [...remainder.failed, ...remainder.postponed];
    const jobs = split.map((data) => ({ name: job.name, data, opts: { ...job.opts, jobId: data.id } }));
    if (jobs.length > 0) await Job.createBulk(this.worker, jobs);
    if (!isPostponed) return;
    if (remainder.postponed.length < events.length)
      await job.updateData({ ...(job.data as object), payload: { events: remainder.postponed } });
    await this.postpone(job, token, remainder.outage!, remainder.postponed.length);
  }

  private async deliverAll(
    job: Job<unknown, void>,
    events: readonly BatchedEvent[],
    signal: AbortSignal,
  ): Promise<BatchRemainder> {
    const inbox = new Inbox(this.database, events.length);
    const failed: BatchedEvent[] = [];
    const postponed: BatchedEvent[] = [];
    let outage: Error | undefined;
    const deliver = async (event: BatchedEvent): Promise<void> => {
      try {
        await this.deliver(job, event, signal, inbox);
      } catch (error) {
        if (signal.aborted) this.count(job.name, 'returned');
        else if (isOutage(error)) {
          outage = asError(error);
          postponed.push(event);
          return;
        }
        // An unknown version is counted and logged when its separate job is delayed
        else if (!(error instanceof UnknownEventVersion)) this.recordBatchFailure(job, event, asError(error));
        failed.push(event);
      }
    };
    await Promise.all(events.map(deliver));
    const done = events.length - failed.length - postponed.length;
    if (done > 0) this.recordSuccess(job.name, done);
    this.log.info({ ...jobLogFields(job), events: events.length, done }, `${job.name} batch consumed`);
    return { failed, postponed, ...(outage && { outage }) };
  }

  /** @param data the event, not validated yet */
  private async deliver(job: Job<unknown, void>, data: unknown, signal: AbortSignal, inbox: Inbox): Promise<void> {
    const { service } = this.options;
    const stop = this.metrics.seconds.startTimer({ service, event: job.name });
    const { ended, ...once } = inbox.forEvent(String((data as { readonly id?: unknown } | null)?.id));
    try {
      const event = readEnvelope(data);
      const consume = this.consumers.get(event.name);
      // Only a newer version subscribes to the event
      if (!consume) throw new UnknownEventVersion(`${service} has no consumer of ${event.name}`);
      const { requestId = event.id, traceparent } = event.metadata;
      const delivery = {
        event,
        attempt: job.attemptsMade + 1,
        signal,
        progress: (value: number | object) => job.updateProgress(value),
        ...once,
      };
      const call = { requestId, traceparent, signal, service, pattern: event.name };
      await tracedEntry(`consume ${event.name}`, consumerSpanOptions(service, job, event), () =>
        runInCall(call, () => consume(delivery)),
      );
    } finally {
      ended();
      stop();
    }
  }

  /**
   * Delays a job without using up an attempt. Logs only at the first start of the job, because a
   * rolling update may take a while.
   */
  private async delayUnknown(job: Job<unknown, void>, token: string, reason: UnknownEventVersion): Promise<never> {
    this.count(job.name, 'unknown');
    if (job.attemptsStarted === 1)
      this.log.warn(
        { ...jobLogFields(job), ...eventLogFields(job.data) },
        `${job.name} ${job.id} delayed for ${unknownVersionDelayMs / 1_000} s: ${reason.message}`,
      );
    await job.moveToDelayed(Date.now() + unknownVersionDelayMs, token);
    throw new DelayedError();
  }

  /**
   * Delays a job during an outage without using up an attempt. Logs only the first postponement.
   */
  private async postpone(job: Job<unknown, void>, token: string, error: Error, events = 1): Promise<never> {
    const { message } = error;
    const { times, delayMs } = postponementOf(job);
    this.count(job.name, 'postponed', events);
    const text = `${job.name} ${job.id} postponed until a dependency recovers: ${message}`;
    if (times === 0) this.log.warn({ ...jobLogFields(job), ...eventLogFields(job.data) }, text);
    if (!(error instanceof IsolatedOutage)) this.circuitBreaker.failed(message);
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  private suspect(job: Job<unknown, void>): Promise<number> {
    return this.poisonDetector.suspect(job.name, this.worker.toKey(job.id!));
  }

  private recordSuccess(name: string, events = 1): void {
    this.count(name, 'done', events);
    this.poisonDetector.consumed(name);
    this.circuitBreaker.succeeded();
  }

  /**
   * Logs a failed attempt: a warning before a retry, an error after the last attempt, because an
   * operator must act.
   */
  private recordFailure(job: Job<unknown, void> | undefined, error: Error): void {
    if (!job) return;
    const isLast = job.finishedOn !== undefined;
    if (isLast)
      this.poisonDetector
        .clear(this.worker.toKey(job.id!))
        .catch((err: unknown) => this.log.debug({ err }, 'Redis command failed'));
    // The events of a failed batch are counted already, except after its last attempt
    const events = eventsOfBatch(job.data)?.length;
    if (isLast || events === undefined) this.count(job.name, isLast ? 'failed' : 'retried', events);
    const text = `${job.name} ${job.id} attempt ${job.attemptsMade} ${isLast ? 'failed permanently' : 'failed, retrying'}: ${error.message}`;
    // `attemptsMade` includes the failed attempt
    const fields = {
      ...jobLogFields(job, job.attemptsMade),
      ...(events === undefined ? eventLogFields(job.data) : { events }),
    };
    if (isLast) this.log.error({ ...fields, err: error }, text);
    else this.log.warn(fields, text);
  }

  private recordBatchFailure(job: Job<unknown, void>, event: BatchedEvent, { message }: Error): void {
    this.count(job.name, 'retried');
    this.log.warn(
      { ...jobLogFields(job), ...eventLogFields(event) },
      `${job.name} ${event.id} failed in a batch, retrying it separately: ${message}`,
    );
  }

  private count(event: string, outcome: Outcome, events = 1): void {
    this.metrics.consumed.inc({ service: this.options.service, event, outcome }, events);
  }
}
