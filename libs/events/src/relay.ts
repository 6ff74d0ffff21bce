import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AutoResetEvent, backoffMs, withJitter, withTimeout } from '#concurrency';
import { type EventEnvelope, subscriptions } from '#contracts';
import { defaultPrefix } from './event-queue.js';
import { type EventMetrics, eventMetrics } from './metrics.js';
import { type RelayOptions } from './options.js';
import { OutboxReader } from './outbox-reader.js';
import { Publisher, type Subscriber } from './publisher.js';
import { beginPublishing } from './publishing.js';

const inboxDays = 30;
const measureEveryMs = 1_000;
const pruneEveryMs = 3_600_000;
/** A row this version does not know was written by a newer one in a rolling deployment, whose relay will take it. */
const unknownWaitMs = 30_000;
const closeWithinMs = 3_000;
const farewellMs = 500;
/**
 * What is written soon after a round goes with the next one, together, because a round costs as much as some events. The
 * slower rounds are, the more they carry.
 */
const restOfRound = 4;
const longestRestMs = 100;
/** The longest delay is short, because a retry costs one connection only. */
const retryBackoff = { firstMs: 200, maxMs: 2_000 };

const subscribersOf = (event: EventEnvelope): readonly Subscriber[] | undefined =>
  Object.hasOwn(subscriptions, event.name) ? subscriptions[event.name] : undefined;

/** Spreads what several replicas do at the same interval. */
const jitter = (ms: number): number => withJitter(ms, 0.25);

/**
 * Carries the events of one service from its outbox to the queues of their subscribers, at least once and roughly in
 * the order they were written. Any number of relays may run on one outbox. It survives the loss of PostgreSQL and of
 * Redis: rows stay until they are published, and the pause between attempts doubles up to 2 s.
 */
export class Relay {
  private readonly log = new Logger('Relay');
  private readonly work = new AutoResetEvent();
  private readonly closing = new AbortController();
  private readonly outbox: OutboxReader;
  private readonly publisher: Publisher;
  private readonly metrics: EventMetrics;
  private running: Promise<void> | undefined;
  private failures = 0;
  private measuredAt = 0;
  private prunedAt = Date.now();

  constructor(private readonly options: RelayOptions) {
    const { service, databaseUrl, leaseMs = 15_000, batch = 100 } = options;
    this.metrics = eventMetrics(options.registry);
    this.outbox = new OutboxReader({ service, databaseUrl, leaseMs, batch, onLost: () => this.wake() });
    this.publisher = new Publisher({
      jobsUrl: options.jobsUrl,
      requestsUrl: options.requestsUrl,
      prefix: options.prefix ?? defaultPrefix,
      attempts: options.attempts ?? 8,
      backoffMs: options.backoffMs ?? 5_000,
      timeoutMs: leaseMs / 3,
      onError: (error) => this.log.debug(`Redis: ${error.message}`),
    });
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Says that there may be something to publish. Unwoken it looks when it is time for a sweep. */
  wake(): void {
    this.work.set();
  }

  /**
   * Finishes the batch at hand and looks once more for rows of the last requests. Servers that do not answer hold it up
   * for a moment only: what it had claimed is free again when the lease ends.
   */
  async close(): Promise<void> {
    this.closing.abort();
    this.wake();
    await withTimeout(this.lastRounds(), closeWithinMs, () => undefined);
    this.publisher.close();
    await withTimeout(this.outbox.close(), farewellMs, () => undefined);
  }

  private async lastRounds(): Promise<void> {
    await this.running;
    if (this.running && this.failures === 0) await this.round();
  }

  private async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const began = performance.now();
      await this.round();
      const ended = performance.now();
      if (this.failures > 0) await this.pause();
      else {
        await this.work.wait(jitter(this.options.sweepMs ?? 2_000));
        await this.rest(ended + Math.min(restOfRound * (ended - began), longestRestMs) - performance.now());
      }
    }
  }

  /** An event after a quiet moment does not wait. */
  private async rest(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }

  /** Not ended by `wake`: while Redis is away, new events must not turn the pause into a busy loop. */
  private async pause(): Promise<void> {
    await this.rest(jitter(backoffMs(this.failures - 1, retryBackoff)));
  }

  /** Publishes what is there and looks after the tables. It never throws: `failures` says how it went. */
  private async round(): Promise<void> {
    try {
      // The lag is of interest above all when nothing can be published
      await this.drain().finally(() => this.lookAfter());
      if (this.failures > 0) this.log.log('the outbox is relayed again');
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      this.metrics.relayFailures.inc({ service: this.options.service });
      if (this.failures === 1) this.log.warn(`the outbox waits: ${String(error)}`);
    }
  }

  private async drain(): Promise<void> {
    for (;;) {
      const events = await this.outbox.claim();
      if (events.length > 0) await this.publish(events);
      if (events.length < (this.options.batch ?? 100) || this.closing.signal.aborted) return;
    }
  }

  private async publish(events: readonly EventEnvelope[]): Promise<void> {
    const strangers = events.filter((event) => subscribersOf(event) === undefined);
    const failed = await this.publishToAll(events);
    const done = events.filter((event) => !strangers.includes(event) && !failed.has(event.id));
    if (done.length > 0) await this.outbox.remove(done.map(({ id }) => id));
    if (strangers.length > 0) await this.setAside(strangers);
    if (failed.size > 0) {
      await this.outbox.release([...failed.keys()], 0);
      throw [...failed.values()][0]!;
    }
  }

  /** The events that did not reach all of their subscribers, each with the reason. */
  private async publishToAll(events: readonly EventEnvelope[]): Promise<Map<string, Error>> {
    const bySubscriber = new Map<Subscriber, EventEnvelope[]>();
    for (const event of events)
      for (const subscriber of subscribersOf(event) ?? [])
        bySubscriber.set(subscriber, [...(bySubscriber.get(subscriber) ?? []), event]);
    const failed = new Map<string, Error>();
    await Promise.all(
      [...bySubscriber].map(async ([subscriber, theirs]) => {
        const publishing = beginPublishing(subscriber, theirs);
        try {
          await this.publisher.publish(subscriber, publishing.events);
          publishing.end();
          for (const { name } of theirs) this.metrics.published.inc({ event: name, subscriber });
        } catch (error) {
          publishing.end(error);
          for (const { id } of theirs) failed.set(id, error instanceof Error ? error : new Error(String(error)));
        }
      }),
    );
    return failed;
  }

  private async setAside(strangers: readonly EventEnvelope[]): Promise<void> {
    this.log.warn(`left in the outbox, unknown to this version: ${strangers.map(({ name }) => name).join(', ')}`);
    await this.outbox.release(
      strangers.map(({ id }) => id),
      unknownWaitMs,
    );
  }

  /** Not in every round: under load there are many a second. */
  private async lookAfter(): Promise<void> {
    const now = Date.now();
    if (now - this.measuredAt < measureEveryMs) return;
    this.measuredAt = now;
    this.metrics.lag.set({ service: this.options.service }, await this.outbox.age());
    if (now - this.prunedAt < pruneEveryMs) return;
    // What is left is for the next look: events go before it
    if (!(await this.outbox.pruneInbox(inboxDays))) this.prunedAt = now;
  }
}
