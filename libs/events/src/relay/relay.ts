import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AutoResetEvent, backoffMs, withJitter, withTimeout } from '#concurrency';
import { type EventEnvelope } from '#contracts';
import { defaultPrefix } from '../event-queue.js';
import { type EventMetrics, eventMetrics } from '../metrics.js';
import { type RelayOptions } from '../options.js';
import { OutboxReader } from '../outbox-reader.js';
import { Publisher, type Subscriber, subscribersOf } from '../publisher.js';
import { startPublishSpans } from '../publish-spans.js';
import { pauseAfterRound } from './relay-pause.js';

const inboxDays = 30;
const measureEveryMs = 1_000;
const pruneEveryMs = 3_600_000;
/**
 * Delay until an event unknown to this version can be claimed again. A newer version wrote it in a
 * rolling update, and a relay of that version can publish it.
 */
const unknownEventDelayMs = 30_000;
const drainTimeoutMs = 3_000;
const closeGraceMs = 500;
/** The maximum is short, because a retry costs only one connection. */
const retryBackoff = { firstMs: 200, maxMs: 2_000 };

/** Spreads the intervals of several replicas. */
const jitter = (ms: number): number => withJitter(ms, 0.25);

/**
 * Publishes the events of one service from its outbox to the queues of their subscribers, at least
 * once and roughly in the order of writing. Any number of relays may run on one outbox. While
 * PostgreSQL or Redis is unavailable, rows stay in the outbox, and the delay between retries
 * doubles up to 2 s.
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
  /** Names of the events of the last claim of the last round; empty if it found none. */
  private lastNames: readonly string[] = [];
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

  /**
   * Requests a round, because the outbox may contain events. Without a call the next round starts
   * after about `sweepMs`. A backoff after a failure is not shortened.
   */
  wake(): void {
    this.work.set();
  }

  /**
   * Finishes the current round and, unless it failed, runs a last round for events of the last
   * requests. Waits at most 3.5 s for servers that do not respond: other relays can claim the rows
   * when their lease expires.
   */
  async close(): Promise<void> {
    this.closing.abort();
    this.wake();
    await withTimeout(this.drainLast(), drainTimeoutMs, () => undefined);
    this.publisher.close();
    await withTimeout(this.outbox.close(), closeGraceMs, () => undefined);
  }

  private async drainLast(): Promise<void> {
    await this.running;
    if (this.running && this.failures === 0) await this.round();
  }

  private async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const began = performance.now();
      await this.round();
      const ended = performance.now();
      if (this.failures > 0) await this.backOff();
      else {
        await this.work.wait(jitter(this.options.sweepMs ?? 2_000));
        await this.wait(ended + pauseAfterRound(ended - began, this.lastNames) - performance.now());
      }
    }
  }

  /**
   * Waits until `close` at the latest. After an idle time `ms` is negative, so that an event is
   * published immediately.
   */
  private async wait(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }

  /**
   * Waits before a retry. Not ended by `wake`: while Redis is unavailable, new events must not
   * cause a busy loop.
   */
  private async backOff(): Promise<void> {
    await this.wait(jitter(backoffMs(this.failures - 1, retryBackoff)));
  }

  /**
   * Publishes all events and maintains the tables. Never throws; counts consecutive failures in
   * `failures`.
   */
  private async round(): Promise<void> {
    try {
      // Also after a failure, because the lag matters most when nothing can be published
      await this.drain().finally(() => this.maintain());
      if (this.failures > 0) this.log.log('Outbox relay has recovered');
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      this.metrics.relayFailures.inc({ service: this.options.service });
      if (this.failures === 1) this.log.warn(`Outbox relay failed, retrying after 0.2 to 2 s: ${String(error)}`);
    }
  }

  private async drain(): Promise<void> {
    this.lastNames = [];
    for (;;) {
      const events = await this.outbox.claim();
      if (events.length > 0) {
        this.lastNames = events.map(({ name }) => name);
        await this.publish(events);
      }
      if (events.length < (this.options.batch ?? 100) || this.closing.signal.aborted) return;
    }
  }

  private async publish(events: readonly EventEnvelope[]): Promise<void> {
    const unknownEvents = events.filter((event) => subscribersOf(event.name) === undefined);
    const failed = await this.publishToAll(events);
    const done = events.filter((event) => !unknownEvents.includes(event) && !failed.has(event.id));
    if (done.length > 0) await this.outbox.remove(done.map(({ id }) => id));
    if (unknownEvents.length > 0) await this.releaseUnknown(unknownEvents);
    if (failed.size > 0) {
      await this.outbox.release([...failed.keys()], 0);
      throw [...failed.values()][0]!;
    }
  }

  /** Publishes to all subscribers. @returns the ids of the events that failed, with the error */
  private async publishToAll(events: readonly EventEnvelope[]): Promise<Map<string, Error>> {
    const bySubscriber = new Map<Subscriber, EventEnvelope[]>();
    for (const event of events)
      for (const subscriber of subscribersOf(event.name) ?? [])
        bySubscriber.set(subscriber, [...(bySubscriber.get(subscriber) ?? []), event]);
    const failed = new Map<string, Error>();
    await Promise.all(
      [...bySubscriber].map(async ([subscriber, batch]) => {
        const spans = startPublishSpans(subscriber, batch);
        try {
          await this.publisher.publish(subscriber, spans.events);
          spans.end();
          for (const { name } of batch) this.metrics.published.inc({ event: name, subscriber });
        } catch (error) {
          spans.end(error);
          for (const { id } of batch) failed.set(id, error instanceof Error ? error : new Error(String(error)));
        }
      }),
    );
    return failed;
  }

  private async releaseUnknown(unknownEvents: readonly EventEnvelope[]): Promise<void> {
    this.log.warn(
      `Events unknown to this version stay in the outbox: ${unknownEvents.map(({ name }) => name).join(', ')}`,
    );
    await this.outbox.release(
      unknownEvents.map(({ id }) => id),
      unknownEventDelayMs,
    );
  }

  /**
   * Measures the lag and prunes the inbox, at intervals: under load there are many rounds a second.
   */
  private async maintain(): Promise<void> {
    const now = Date.now();
    if (now - this.measuredAt < measureEveryMs) return;
    this.measuredAt = now;
    this.metrics.lag.set({ service: this.options.service }, await this.outbox.age());
    if (now - this.prunedAt < pruneEveryMs) return;
    // The remaining rows wait for the next call, because events take precedence
    if (!(await this.outbox.pruneInbox(inboxDays))) this.prunedAt = now;
  }
}
