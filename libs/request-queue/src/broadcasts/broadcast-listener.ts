import { type Registry } from 'prom-client';
import { z } from 'zod';
import { deferred, withTimeout } from '#concurrency';
import { events, eventsFor, type EventEnvelope, type EventName, type BroadcastName } from '#contracts';
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

/**
 * Interval of the pings, which detect a half-open connection: a subscriber sends no other commands.
 */
const pingIntervalMs = 2_000;

interface BroadcastListenerOptions {
  /** URL of the requests Redis; its logical database is part of the channel's name. */
  readonly redisUrl: string;
  readonly keyPrefix?: string;
  readonly log?: QueueLog;
  readonly registry?: Registry;
}

/**
 * Subscriber of broadcasts, the events whose subscriber is `everyone`. Broadcasts are missed while
 * the process is disconnected; `onGap` reports that. Starts and closes with the Nest app that
 * provides it.
 */
export class BroadcastListener {
  private readonly listeners = new Map<string, Set<(event: EventEnvelope) => void>>();
  private readonly gapListeners = new Set<() => void>();
  private readonly metrics: QueueMetrics;
  private readonly log: QueueLog;
  private connection: QueueConnection | undefined;
  private pings: NodeJS.Timeout | undefined;
  private started: Promise<void> | undefined;

  constructor(private readonly options: BroadcastListenerOptions) {
    this.metrics = queueMetrics(options.registry);
    this.log = options.log ?? silentLog;
  }

  /** Adds a listener, which must not throw. Returns the function that removes it. */
  on<Name extends BroadcastName>(name: Name, listener: (event: EventEnvelope<Name>) => void): () => void {
    const registered = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, registered.add(listener as (event: EventEnvelope) => void));
    return () => registered.delete(listener as (event: EventEnvelope) => void);
  }

  /**
   * Adds a listener that is called after each subscription, at the start and after each
   * reconnection. Caches may be stale then, because broadcasts may have been missed. Returns the
   * function that removes it.
   */
  onGap(listener: () => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  /** Resolves when subscribed, or after two seconds without Redis; retries continue then. */
  start(): Promise<void> {
    return (this.started ??= this.connectAndSubscribe());
  }

  private async connectAndSubscribe(): Promise<void> {
    const { redisUrl, log } = this.options;
    const connection = (this.connection = new QueueConnection({ redisUrl, name: 'broadcasts', ...(log && { log }) }));
    const channel = new QueueKeys(this.options.keyPrefix).broadcasts(connection.redis.options.db ?? 0);
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
    }, pingIntervalMs);
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
    // After the subscription, because a broadcast between reconnection and subscription is missed
    // too
    for (const listener of this.gapListeners) listener();
  }

  private receive(text: string): void {
    const event = decodeBroadcast(text);
    this.metrics.broadcasts.inc({ outcome: event ? 'received' : 'malformed' });
    if (!event) {
      this.log.warn({ bytes: text.length }, 'Malformed broadcast dropped');
      return;
    }
    for (const listener of this.listeners.get(event.name) ?? []) listener(event);
  }
}

function decodeBroadcast(text: string): EventEnvelope | null {
  try {
    const envelope = Envelope.parse(JSON.parse(text));
    const { version, payload } = events[envelope.name];
    if (envelope.version !== version) return null;
    return { ...envelope, payload: payload.parse(envelope.payload) };
  } catch {
    return null;
  }
}
