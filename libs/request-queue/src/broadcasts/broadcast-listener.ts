import { type Registry } from 'prom-client';
import { z } from 'zod';
import { deferred, withTimeout } from '#concurrency';
import { events, eventsFor, type EventEnvelope, type EventName, type NoticeName } from '#contracts';
import { QueueConnection } from '../connection/connection.js';
import { QueueKeys } from '../wire/keys.js';
import { queueMetrics, type QueueMetrics } from '../metrics.js';
import { silentLog, type QueueLog } from '../queue-log.js';

const Envelope = z.object({
  id: z.string(),
  name: z.enum(eventsFor('everyone') as [EventName, ...EventName[]]),
  version: z.int(),
  occurredAt: z.string(),
  payload: z.unknown(),
  metadata: z.record(z.string(), z.string()),
});

/** A subscribed connection has no command open most of the time, so this is what finds a half-open one. */
const pingEveryMs = 2_000;

interface NoticeListenerOptions {
  /** The Redis of the requests; its logical database is part of the channel's name. */
  readonly redisUrl: string;
  readonly keyPrefix?: string;
  readonly log?: QueueLog;
  readonly registry?: Registry;
}

/**
 * Hears the events whose subscriber is `everyone`, as long as the process is connected: a notice that is sent
 * meanwhile is missed, which is why `onGap` exists. Starts and ends with the Nest app that provides it.
 */
export class NoticeListener {
  private readonly listeners = new Map<string, Set<(event: EventEnvelope) => void>>();
  private readonly gapListeners = new Set<() => void>();
  private readonly metrics: QueueMetrics;
  private readonly log: QueueLog;
  private connection: QueueConnection | undefined;
  private pings: NodeJS.Timeout | undefined;
  private started: Promise<void> | undefined;

  constructor(private readonly options: NoticeListenerOptions) {
    this.metrics = queueMetrics(options.registry);
    this.log = options.log ?? silentLog;
  }

  /** Registers a listener; the result takes it away again. It must not throw. */
  on<Name extends NoticeName>(name: Name, listener: (event: EventEnvelope<Name>) => void): () => void {
    const registered = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, registered.add(listener as (event: EventEnvelope) => void));
    return () => registered.delete(listener as (event: EventEnvelope) => void);
  }

  /**
   * Called whenever notices begin to be heard, at the start and after each gap: what was remembered before may be what
   * a missed notice would have dropped.
   */
  onGap(listener: () => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  /** Resolves when notices are heard, or after two seconds without Redis; it goes on trying then. */
  start(): Promise<void> {
    return (this.started ??= this.subscribeAlways());
  }

  private async subscribeAlways(): Promise<void> {
    const { redisUrl, log } = this.options;
    const connection = (this.connection = new QueueConnection({ redisUrl, name: 'notices', ...(log && { log }) }));
    const channel = new QueueKeys(this.options.keyPrefix).notices(connection.redis.options.db ?? 0);
    connection.redis.on('message', (_channel: string, text: string) => this.receive(text));
    const subscribed = deferred<true>();
    connection.onReady(() => {
      this.subscribe(connection, channel).then(
        () => subscribed.resolve(true),
        () => undefined,
      );
    });
    this.pings = setInterval(() => {
      connection.run((redis) => redis.ping()).catch(() => undefined);
    }, pingEveryMs);
    await withTimeout(subscribed.promise, 2_000, () => false);
  }

  close(): void {
    clearInterval(this.pings);
    this.connection?.close();
    this.connection = undefined;
    this.started = undefined;
  }

  onApplicationBootstrap(): Promise<void> {
    return this.start();
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private async subscribe(connection: QueueConnection, channel: string): Promise<void> {
    await connection.run((redis) => redis.subscribe(channel));
    // Only now: a notice sent between the reconnection and the subscription would be missed as well
    for (const listener of this.gapListeners) listener();
  }

  private receive(text: string): void {
    const event = readNotice(text);
    this.metrics.notices.inc({ outcome: event ? 'heard' : 'unreadable' });
    if (!event) {
      this.log.warn({ bytes: text.length }, 'dropped a notice that cannot be read');
      return;
    }
    for (const listener of this.listeners.get(event.name) ?? []) listener(event);
  }
}

function readNotice(text: string): EventEnvelope | null {
  try {
    const envelope = Envelope.parse(JSON.parse(text));
    const { version, payload } = events[envelope.name];
    if (envelope.version !== version) return null;
    return { ...envelope, payload: payload.parse(envelope.payload) };
  } catch {
    return null;
  }
}
