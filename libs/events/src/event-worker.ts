import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, Job, WaitingError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { redisTls } from '#config';
import { readiness, tracedEntry } from '#observability';
import { type Database } from '#persistence';
import { type QueueLog, runInCall, silentLog } from '#request-queue';
import { eventsOfBatch, type Gathered, type Left } from './batch.js';
import { type Consumers } from './consumer-table.js';
import { PermanentFailure } from './delivery.js';
import { Doubts } from './doubts.js';
import { NotKnownYet, readEnvelope } from './envelope.js';
import { defaultPrefix, queueName } from './event-queue.js';
import { Inbox } from './inbox.js';
import { asError, delaysOf, factsOf, idsOf, spanOf, withoutRetry } from './job-facts.js';
import { watchLink } from './link-watch.js';
import { type EventMetrics, eventMetrics } from './metrics.js';
import { type ConsumerOptions } from './options.js';
import { isOutage, OwnOutage } from './outage.js';
import { OutagePause } from './outage-pause.js';
import { QueueLook, queueStates } from './queue-look.js';

/** What an aborted consumer gets to stop before its process ends without it: two seconds in which the process runs. */
const graceSteps = 20;
const graceStepMs = 100;

/** As long as the relay's: a newer version is being rolled out, and a process of it will take the event. */
const notKnownWaitMs = 30_000;

type Outcome = 'done' | 'retried' | 'failed' | 'returned' | 'unknown' | 'postponed';

const defaultLockMs = 12_000;

/** Takes the events of one service from its queue and brings each to its consumer. */
export class EventWorker {
  private readonly log: QueueLog;
  private readonly redis: Redis;
  private readonly worker: Worker<unknown, void>;
  private readonly metrics: EventMetrics;
  private readonly running = new Set<Promise<void>>();
  private closing: Promise<void> | undefined;
  private readonly watched: readonly (() => void)[];
  private readonly outage: OutagePause;
  private readonly doubts: Doubts;

  constructor(
    private readonly options: ConsumerOptions,
    private readonly consumers: Consumers,
    private readonly database: Database,
  ) {
    this.log = options.log ?? silentLog;
    this.metrics = eventMetrics(options.registry);
    // A worker waits for Redis as long as it takes. Not lazyConnect: BullMQ gives up for good when the first try fails
    this.redis = new Redis(options.jobsUrl, {
      ...redisTls(options.jobsUrl),
      maxRetriesPerRequest: null,
      keepAlive: 30_000,
    });
    this.watched = [watchLink(this.redis), ...this.watchQueue()];
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
    this.doubts = new Doubts(this.redis);
    this.outage = new OutagePause(this.worker, () => this.running.size, this.log);
    this.worker.on('error', (err) => this.log.debug({ err }, 'Redis is not reached'));
    this.worker.on('failed', (job, error) => this.report(job, error));
  }

  /** Shows what waits in the queue, and that it can be reached. */
  private watchQueue(): (() => void)[] {
    const { service, prefix = defaultPrefix } = this.options;
    const look = new QueueLook(this.redis, `${prefix}:${queueName(service)}`);
    return [
      ...queueStates.map((state) =>
        this.metrics.jobs.watch({ service, state }, async () => (await look.facts())?.jobs[state]),
      ),
      this.metrics.waiting.watch({ service }, () => Number(this.outage.isWaiting)),
      this.metrics.oldestJob.watch({ service }, async () => (await look.facts())?.oldestSeconds),
      readiness.addCheck('jobs', () => this.redis.status === 'ready'),
    ];
  }

  start(): void {
    void this.worker.run().catch((err: unknown) => this.log.error({ err }, 'no events are taken any more'));
  }

  /** Takes no more events, waits for the running consumers, then aborts them and gives their events back. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    this.outage.close();
    const closed = this.redis.status === 'ready' ? this.worker.close() : this.closeOffline();
    const late = sleep(this.options.drainMs ?? 10_000, 'late', { ref: false });
    if ((await Promise.race([closed, late])) === 'late') {
      this.worker.cancelAllJobs('the process is closing');
      const isClosed = closed.then(() => true);
      // A process that stands still has all its timers at once when it goes on, before it reads what has come
      for (let step = 0; step < graceSteps; step += 1)
        if (await Promise.race([isClosed, sleep(graceStepMs, false, { ref: false })])) break;
    }
    for (const stop of this.watched) stop();
    this.redis.disconnect();
  }

  /**
   * Without Redis BullMQ waits for ever for the end of its connections; the consumers can finish all the same. What a batch
   * has left over cannot be given back, and is waited for in vain until the time is over: another process finds the batch.
   */
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
    const batch = eventsOfBatch(job.data);
    if (batch) return this.consumeAll(job, batch, token, signal);
    try {
      await this.deliver(job, job.data, signal, new Inbox(this.database, 1));
      this.done(job.name);
      this.log.info({ ...factsOf(job), ...idsOf(job.data) }, `${job.name} consumed`);
    } catch (error) {
      if (signal.aborted) {
        this.count(job.name, 'returned');
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof NotKnownYet) await this.putBack(job, token, error);
      if (error instanceof PermanentFailure) throw withoutRetry(error);
      if (isOutage(error) && !Doubts.isPoison(await this.doubtsOf(job)))
        await this.postpone(job, token, asError(error));
      throw asError(error);
    }
  }

  /**
   * Brings the events of a batch to their consumer side by side, once. What is left of them goes on as jobs of their own,
   * which have all their attempts, before the batch ends. A batch that was begun before is taken apart unseen: one of its
   * events may be what ended that process.
   */
  private async consumeAll(
    job: Job<unknown, void>,
    events: readonly Gathered[],
    token: string,
    signal: AbortSignal,
  ): Promise<void> {
    // Not `attemptsStarted`, which counts the times, too, that the batch was put back
    const isBegun = job.stalledCounter > 0 || job.attemptsMade > 0;
    if (isBegun)
      this.log.warn({ ...factsOf(job), events: events.length }, `${job.name} was begun before: its events go on alone`);
    const left = isBegun ? { alone: events, postponed: [] } : await this.deliverAll(job, events, signal);
    // An outage beside events that succeed may be of one event only: at the second time each goes on alone
    const waits = left.postponed.length > 0 && (await this.doubtsOf(job)) < 2;
    const goOn = waits ? left.alone : [...left.alone, ...left.postponed];
    const alone = goOn.map((data) => ({ name: job.name, data, opts: { ...job.opts, jobId: data.id } }));
    if (alone.length > 0) await Job.createBulk(this.worker, alone);
    if (!waits) return;
    if (left.postponed.length < events.length)
      await job.updateData({ ...(job.data as object), payload: { events: left.postponed } });
    await this.postpone(job, token, left.outage!, left.postponed.length);
  }

  private async deliverAll(job: Job<unknown, void>, events: readonly Gathered[], signal: AbortSignal): Promise<Left> {
    const inbox = new Inbox(this.database, events.length);
    const alone: Gathered[] = [];
    const postponed: Gathered[] = [];
    let outage: Error | undefined;
    const deliver = async (event: Gathered): Promise<void> => {
      try {
        await this.deliver(job, event, signal, inbox);
      } catch (error) {
        if (signal.aborted) this.count(job.name, 'returned');
        else if (isOutage(error)) {
          outage = asError(error);
          postponed.push(event);
          return;
        }
        // Alone it says so itself
        else if (!(error instanceof NotKnownYet)) this.reportLeft(job, event, asError(error));
        alone.push(event);
      }
    };
    await Promise.all(events.map(deliver));
    const done = events.length - alone.length - postponed.length;
    if (done > 0) this.done(job.name, done);
    this.log.info({ ...factsOf(job), events: events.length, done }, `${job.name} consumed together`);
    return { alone, postponed, ...(outage && { outage }) };
  }

  /** @param data an event, as far as is known */
  private async deliver(job: Job<unknown, void>, data: unknown, signal: AbortSignal, inbox: Inbox): Promise<void> {
    const { service } = this.options;
    const stop = this.metrics.seconds.startTimer({ service, event: job.name });
    const { ended, ...once } = inbox.of(String((data as { readonly id?: unknown } | null)?.id));
    try {
      const event = readEnvelope(data);
      const consume = this.consumers.get(event.name);
      // A newer version has subscribed to it
      if (!consume) throw new NotKnownYet(`${service} has no consumer of ${event.name}`);
      const { requestId = event.id, traceparent } = event.metadata;
      const delivery = {
        event,
        attempt: job.attemptsMade + 1,
        signal,
        progress: (value: number | object) => job.updateProgress(value),
        ...once,
      };
      const call = { requestId, traceparent, signal, service, pattern: event.name };
      await tracedEntry(`consume ${event.name}`, spanOf(service, job, event), () =>
        runInCall(call, () => consume(delivery)),
      );
    } finally {
      ended();
      stop();
    }
  }

  /** Without using up an attempt. Said at the first time only: it may come back often until the new version is there. */
  private async putBack(job: Job<unknown, void>, token: string, reason: NotKnownYet): Promise<never> {
    this.count(job.name, 'unknown');
    if (job.attemptsStarted === 1)
      this.log.warn(
        { ...factsOf(job), ...idsOf(job.data) },
        `${job.name} ${job.id} put back for ${notKnownWaitMs / 1_000} s: ${reason.message}`,
      );
    await job.moveToDelayed(Date.now() + notKnownWaitMs, token);
    throw new DelayedError();
  }

  /** Without using up an attempt: what the consumer depends on is away. Logged at the first time only. */
  private async postpone(job: Job<unknown, void>, token: string, error: Error, events = 1): Promise<never> {
    const { message } = error;
    const { times, delayMs } = delaysOf(job);
    this.count(job.name, 'postponed', events);
    const text = `${job.name} ${job.id} postponed until a dependency is back: ${message}`;
    if (times === 0) this.log.warn({ ...factsOf(job), ...idsOf(job.data) }, text);
    if (!(error instanceof OwnOutage)) this.outage.failed(message);
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  private doubtsOf(job: Job<unknown, void>): Promise<number> {
    return this.doubts.of(job.name, this.worker.toKey(job.id!));
  }

  private done(name: string, events = 1): void {
    this.count(name, 'done', events);
    this.doubts.consumed(name);
    this.outage.succeeded();
  }

  /** A failed attempt that is followed by another is a warning; the last one is an error, once: somebody must look. */
  private report(job: Job<unknown, void> | undefined, error: Error): void {
    if (!job) return;
    const last = job.finishedOn !== undefined;
    if (last)
      this.doubts
        .clear(this.worker.toKey(job.id!))
        .catch((err: unknown) => this.log.debug({ err }, 'Redis is not reached'));
    // A batch fails over what it has left over, which is counted already, until nobody goes on with it
    const events = eventsOfBatch(job.data)?.length;
    if (last || events === undefined) this.count(job.name, last ? 'failed' : 'retried', events);
    const text = `${job.name} ${job.id} attempt ${job.attemptsMade} ${last ? 'failed for good' : 'failed, will be tried again'}: ${error.message}`;
    // The attempt that has failed is counted already
    const facts = { ...factsOf(job, job.attemptsMade), ...(events === undefined ? idsOf(job.data) : { events }) };
    if (last) this.log.error({ ...facts, err: error }, text);
    else this.log.warn(facts, text);
  }

  private reportLeft(job: Job<unknown, void>, event: Gathered, { message }: Error): void {
    this.count(job.name, 'retried');
    this.log.warn(
      { ...factsOf(job), ...idsOf(event) },
      `${job.name} ${event.id} failed beside others, will be tried again alone: ${message}`,
    );
  }

  private count(event: string, outcome: Outcome, events = 1): void {
    this.metrics.consumed.inc({ service: this.options.service, event, outcome }, events);
  }
}
