import { once } from 'node:events';
import { Queue } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { backoffMs, withTimeout } from '#concurrency';
import { redisTls } from '#config';
import { type EventEnvelope, type NoticeName, type ServiceName } from '#contracts';
import { readiness } from '#observability';
import { publishBroadcast } from '#request-queue';
import { jobsOf } from './batch.js';
import { jobOptions, queueName, type RetryOptions } from './event-queue.js';
import { fairPriorities } from './fair-priorities.js';
import { watchLink } from './link-watch.js';

export type Subscriber = ServiceName | 'everyone';

interface PublisherOptions extends RetryOptions {
  readonly jobsUrl: string;
  readonly requestsUrl: string;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly onError: (error: Error) => void;
}

const connectWaitMs = 1_000;

// A relay has its own patience: commands fail at once while Redis is away, instead of piling up in memory
const redisOptions: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 5_000,
  keepAlive: 30_000,
  retryStrategy: (times) => backoffMs(times - 1, { firstMs: 200, maxMs: 2_000 }),
};

/** A connection that is about to be made is waited for; one that Redis refuses is not. */
async function whenReady(redis: Redis): Promise<void> {
  if (redis.status !== 'ready')
    await once(redis, 'ready', { signal: AbortSignal.timeout(connectWaitMs) }).catch(() => undefined);
  if (redis.status !== 'ready') throw new Error('there is no connection to Redis');
}

/** Brings events to the queues of their subscribers. */
export class Publisher {
  private readonly jobs: Redis;
  private readonly notices: Redis;
  private readonly watches: readonly (() => void)[];
  private readonly queues = new Map<ServiceName, Queue>();

  constructor(private readonly options: PublisherOptions) {
    this.jobs = new Redis(options.jobsUrl, { ...redisOptions, ...redisTls(options.jobsUrl) });
    this.notices = new Redis(options.requestsUrl, { ...redisOptions, ...redisTls(options.requestsUrl) });
    for (const redis of [this.jobs, this.notices]) redis.on('error', options.onError);
    this.watches = [
      ...[this.jobs, this.notices].map(watchLink),
      readiness.addCheck('jobs', () => this.jobs.status === 'ready'),
      readiness.addCheck('requests', () => this.notices.status === 'ready'),
    ];
  }

  /** All events of one batch for one subscriber; when it throws, some of them may have been published. */
  async publish(subscriber: Subscriber, events: readonly EventEnvelope[]): Promise<void> {
    const redis = subscriber === 'everyone' ? this.notices : this.jobs;
    await whenReady(redis);
    const published = subscriber === 'everyone' ? this.announce(events) : this.enqueue(subscriber, events);
    await this.inTime(redis, published);
  }

  close(): void {
    for (const stop of this.watches) stop();
    // The queues share the connection and own nothing else
    this.jobs.disconnect();
    this.notices.disconnect();
  }

  private async enqueue(subscriber: ServiceName, events: readonly EventEnvelope[]): Promise<void> {
    const queue = this.queueOf(subscriber);
    try {
      const opts = jobOptions(this.options);
      const jobs = jobsOf(events);
      const priorities = await fairPriorities(this.jobs, `${this.options.prefix}:${queueName(subscriber)}`, jobs);
      await queue.addBulk(
        jobs.map(({ name, data }, n) => ({ name, data, opts: { ...opts, jobId: data.id, priority: priorities[n]! } })),
      );
    } catch (error) {
      // A queue whose first connection failed stays broken for good: the next attempt makes a new one
      this.queues.delete(subscriber);
      void queue.close().catch(() => undefined);
      throw error;
    }
  }

  private async announce(events: readonly EventEnvelope[]): Promise<void> {
    await Promise.all(events.map((event) => publishBroadcast(this.notices, event as EventEnvelope<NoticeName>)));
  }

  private queueOf(subscriber: ServiceName): Queue {
    const known = this.queues.get(subscriber);
    if (known) return known;
    const queue = new Queue(queueName(subscriber), {
      connection: this.jobs,
      prefix: this.options.prefix,
      // What happened to jobs is read from their sets; the stream of events is for nobody
      streams: { events: { maxLen: 1_000 } },
    });
    queue.on('error', this.options.onError);
    this.queues.set(subscriber, queue);
    return queue;
  }

  /** A command on a dead connection may never settle, so the time is taken here and the connection replaced. */
  private inTime(redis: Redis, published: Promise<void>): Promise<void> {
    const { timeoutMs } = this.options;
    return withTimeout(published, timeoutMs, () => {
      redis.disconnect(true);
      throw new Error(`Redis did not take the events within ${timeoutMs} ms`);
    });
  }
}
