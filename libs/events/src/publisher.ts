import { once } from 'node:events';
import { Queue } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { backoffMs, withTimeout } from '#concurrency';
import { redisTls } from '#config';
import { type BroadcastName, type EventEnvelope, type EventName, type ServiceName, subscriptions } from '#contracts';
import { readiness } from '#observability';
import { publishBroadcast } from '#request-queue';
import { jobsOf } from './batch.js';
import { jobOptions, queueName, type RetryOptions } from './event-queue.js';
import { fairPriorities } from './fair-priorities.js';
import { startConnectionWatchdog } from './connection-watchdog.js';

export type Subscriber = ServiceName | 'everyone';

/** Returns the subscribers of an event; undefined for one that is unknown to this version. */
export const subscribersOf = (name: string): readonly Subscriber[] | undefined =>
  Object.hasOwn(subscriptions, name) ? subscriptions[name as EventName] : undefined;

interface PublisherOptions extends RetryOptions {
  readonly jobsUrl: string;
  readonly requestsUrl: string;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly onError: (error: Error) => void;
}

const connectTimeoutMs = 1_000;

// The relay retries: while Redis is unavailable, commands fail immediately instead of accumulating
// in memory
const redisOptions: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 5_000,
  keepAlive: 30_000,
  retryStrategy: (times) => backoffMs(times - 1, { firstMs: 200, maxMs: 2_000 }),
};

/** Waits up to 1 s for a connection. @throws Error without one */
async function whenReady(redis: Redis): Promise<void> {
  if (redis.status !== 'ready')
    await once(redis, 'ready', { signal: AbortSignal.timeout(connectTimeoutMs) }).catch(() => undefined);
  if (redis.status !== 'ready') throw new Error('Redis is not connected');
}

/** Publishes events to the queues of their subscribers and as broadcasts. */
export class Publisher {
  private readonly jobs: Redis;
  private readonly broadcasts: Redis;
  private readonly stopCallbacks: readonly (() => void)[];
  private readonly queues = new Map<ServiceName, Queue>();

  constructor(private readonly options: PublisherOptions) {
    this.jobs = new Redis(options.jobsUrl, { ...redisOptions, ...redisTls(options.jobsUrl) });
    this.broadcasts = new Redis(options.requestsUrl, { ...redisOptions, ...redisTls(options.requestsUrl) });
    for (const redis of [this.jobs, this.broadcasts]) redis.on('error', options.onError);
    this.stopCallbacks = [
      ...[this.jobs, this.broadcasts].map(startConnectionWatchdog),
      readiness.addCheck('jobs', () => this.jobs.status === 'ready'),
      readiness.addCheck('requests', () => this.broadcasts.status === 'ready'),
    ];
  }

  /** Publishes events to one subscriber. When it throws, some of them may have been published. */
  async publish(subscriber: Subscriber, events: readonly EventEnvelope[]): Promise<void> {
    const redis = subscriber === 'everyone' ? this.broadcasts : this.jobs;
    await whenReady(redis);
    const published = subscriber === 'everyone' ? this.broadcast(events) : this.enqueue(subscriber, events);
    await this.withinTimeout(redis, published);
  }

  close(): void {
    for (const stop of this.stopCallbacks) stop();
    // The queues are not closed: they use the connection `jobs` and own no other resource
    this.jobs.disconnect();
    this.broadcasts.disconnect();
  }

  private async enqueue(subscriber: ServiceName, events: readonly EventEnvelope[]): Promise<void> {
    const queue = this.queueOf(subscriber);
    try {
      const opts = jobOptions(this.options);
      const jobs = jobsOf(subscriber, events);
      const priorities = await fairPriorities(this.jobs, `${this.options.prefix}:${queueName(subscriber)}`, jobs);
      await queue.addBulk(
        jobs.map(({ name, data }, n) => ({ name, data, opts: { ...opts, jobId: data.id, priority: priorities[n]! } })),
      );
    } catch (error) {
      // A queue whose first connection failed never recovers, so the next attempt creates a new one
      this.queues.delete(subscriber);
      void queue.close().catch(() => undefined);
      throw error;
    }
  }

  private async broadcast(events: readonly EventEnvelope[]): Promise<void> {
    await Promise.all(events.map((event) => publishBroadcast(this.broadcasts, event as EventEnvelope<BroadcastName>)));
  }

  private queueOf(subscriber: ServiceName): Queue {
    const existing = this.queues.get(subscriber);
    if (existing) return existing;
    const queue = new Queue(queueName(subscriber), {
      connection: this.jobs,
      prefix: this.options.prefix,
      // The state of jobs is read from their sets. Nothing reads the stream of BullMQ events
      streams: { events: { maxLen: 1_000 } },
    });
    queue.on('error', this.options.onError);
    this.queues.set(subscriber, queue);
    return queue;
  }

  /** Reconnects after the timeout, because a command on a dead connection may never settle. */
  private withinTimeout(redis: Redis, published: Promise<void>): Promise<void> {
    const { timeoutMs } = this.options;
    return withTimeout(published, timeoutMs, () => {
      redis.disconnect(true);
      throw new Error(`Redis did not accept the events within ${timeoutMs} ms`);
    });
  }
}
