import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { type Registry } from 'prom-client';
import { isObservable, lastValueFrom } from 'rxjs';
import { Semaphore } from '#concurrency';
import { type Lane, type Message, type ServiceName, services } from '#contracts';
import { readiness } from '#observability';
import { RedisClock } from '../connection/clock.js';
import { QueueConnection } from '../connection/connection.js';
import { checkHandlers } from './handler-table.js';
import { Heartbeat } from './heartbeat.js';
import { QueueKeys } from '../wire/keys.js';
import { queueMetrics, type QueueMetrics } from '../metrics.js';
import { PopLoop } from '../connection/pop-loop.js';
import { type QueueContext } from './queue-context.js';
import { silentLog, type QueueLog } from '../queue-log.js';
import { ReplyWriter } from './reply-writer.js';
import { RequestRunner } from './request-runner.js';

interface QueueServerOptions {
  readonly service: ServiceName;
  readonly redisUrl: string;
  /** Handlers that run at once, as many slow ones, and up to 8 of the operator; requests beyond stay in the queue for other replicas. Default 64. */
  readonly slots?: number;
  /** Requests taken with one pop: 4 to 16 for handlers that wait, 1 for those that compute. Default 8. */
  readonly batch?: number;
  /**
   * Requests that may wait in each list, over all replicas, before callers are rejected. Default 16 for each slot, 2 for
   * each slot of the other lanes, at least 128.
   */
  readonly queueLimit?: number;
  /** How long `close` waits for running handlers. Default 20,000. */
  readonly drainMs?: number;
  readonly log?: QueueLog;
  /** Set before every key, so that several can share a logical database. */
  readonly keyPrefix?: string;
  readonly registry?: Registry;
}

/** Requests that wait for each slot: as many as may be answered in time. */
const waitingForSlot: Readonly<Record<Lane, number>> = { usual: 16, slow: 2, operator: 2 };

/** An operator sends one request after the other. */
const mostOperatorSlots = 8;

const lanesOf = (service: ServiceName): ReadonlySet<Lane> =>
  new Set(['usual', ...Object.values<Message>(services[service]).map(({ lane }) => lane)]);

/**
 * The transport of a service: `NestFactory.createMicroservice(Module, { strategy: new QueueServer({...}) })`.
 *
 * A replica takes as many requests as it has free slots, so a busy one does not ask. `close` takes nothing new, lets
 * the running handlers answer, then disconnects; call it (through `app.close()`) from the SIGTERM handler.
 */
export class QueueServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('request-queue');
  private readonly options: Required<Omit<QueueServerOptions, 'registry' | 'slots' | 'queueLimit'>>;
  private readonly metrics: QueueMetrics;
  private readonly keys: QueueKeys;
  private readonly lanes: readonly { readonly lane: Lane; readonly slots: Semaphore; readonly queueLimit: number }[];
  private readonly registered: string[] = [];
  private running: ReturnType<QueueServer['open']> | undefined;

  constructor(options: QueueServerOptions) {
    super();
    const slots = options.slots ?? 64;
    this.options = {
      service: options.service,
      redisUrl: options.redisUrl,
      batch: options.batch ?? 8,
      drainMs: options.drainMs ?? 20_000,
      log: options.log ?? silentLog,
      keyPrefix: options.keyPrefix ?? '',
    };
    this.metrics = queueMetrics(options.registry);
    this.keys = new QueueKeys(this.options.keyPrefix);
    this.lanes = [...lanesOf(options.service)].map((lane) => ({
      lane,
      slots: new Semaphore(lane === 'operator' ? Math.min(slots, mostOperatorSlots) : slots),
      queueLimit: options.queueLimit ?? Math.max(128, slots * waitingForSlot[lane]),
    }));
  }

  override addHandler(
    pattern: unknown,
    handler: MessageHandler,
    event?: boolean,
    extras?: Record<string, unknown>,
  ): void {
    this.registered.push(this.normalizePattern(pattern as string));
    super.addHandler(pattern, handler, event, extras);
  }

  /**
   * Starts to take requests and calls back once Redis was reached, however long that takes. `callback` gets an error
   * when the handlers do not fit the service's message table.
   */
  listen(callback: (error?: unknown) => void): void {
    try {
      checkHandlers(this.options.service, this.registered);
    } catch (error) {
      callback(error);
      return;
    }
    const running = (this.running = this.open());
    running.heartbeat.start();
    // Without the clock every deadline would look wrong, so nothing is taken before its first measurement
    running.clock.start(() => {
      if (this.running !== running) return;
      for (const { loop } of running.lanes) loop.start();
      callback();
    });
  }

  async close(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    const until = performance.now() + this.options.drainMs;
    // Takes seconds itself when Redis is silent
    await Promise.all(running.lanes.map(({ loop }) => loop.stop(running.commands)));
    const idle = await Promise.all(this.lanes.map(({ slots }) => slots.whenIdle(until - performance.now())));
    if (idle.includes(false)) {
      const handlers = this.lanes.reduce((sum, { slots }) => sum + slots.acquired, 0);
      this.options.log.warn({ handlers }, 'closed before all handlers had ended');
    }
    await running.replies.flushed();
    for (const forget of running.watched) forget();
    running.heartbeat.stop();
    running.clock.stop();
    for (const { blocking } of running.lanes) blocking.close();
    running.commands.close();
  }

  /** Redis is reached, and requests are taken from it. */
  private get takesRequests(): boolean {
    return this.alive && this.running!.commands.ready && this.running!.lanes.every(({ blocking }) => blocking.ready);
  }

  /** False when there was room but no answer of Redis for 10 s: the process should be replaced. */
  get alive(): boolean {
    const since = performance.now() - 10_000;
    return (
      this.running?.lanes.every(({ slots, loop }) => slots.acquired >= slots.permits || loop.lastPopAt > since) === true
    );
  }

  on(): never {
    throw new Error('QueueServer has no events of its own: see its log and its counters');
  }

  unwrap<Connection>(): Connection {
    return this.running?.commands.redis as Connection;
  }

  private open() {
    const { redisUrl, service, batch, log } = this.options;
    const { keys, metrics } = this;
    const onReconnect = (connection: string) => (): void => metrics.reconnects.inc({ connection });
    const commands = new QueueConnection({
      redisUrl,
      name: `${service}:commands`,
      log,
      onReconnect: onReconnect('commands'),
    });
    const replies = new ReplyWriter(commands, (lost, error) => {
      metrics.repliesLost.inc({ service }, lost);
      log.error({ replies: lost, err: error }, 'replies could not be pushed: their callers will see 504');
    });
    const clock = new RedisClock(commands, (offset) => metrics.clockOffset.set(offset));
    const invoke = this.invoke.bind(this);
    const runner = new RequestRunner({ service, keys, clock, replies, metrics, log, invoke });
    const lanes = this.lanes.map(({ lane, slots, queueLimit }) => {
      const blocking = new QueueConnection({
        redisUrl,
        name: `${service}:${lane === 'usual' ? '' : `${lane}-`}requests`,
        log,
        onReconnect: onReconnect('blocking'),
      });
      const key = keys.requests(service, lane);
      const loop = new PopLoop({
        connection: blocking,
        key,
        room: () => slots.whenAvailable(batch),
        deliver: (frames) => runner.take(frames, lane, slots),
      });
      // The gauge has no value while Redis is away, which the connection logs
      const length = (): Promise<number | undefined> => commands.run((redis) => redis.llen(key)).catch(() => undefined);
      const watched = [
        metrics.serverInFlight.watch({ service, lane }, () => slots.acquired),
        metrics.serverSlots.watch({ service, lane }, () => slots.permits),
        metrics.queueLength.watch({ service, lane }, length),
      ];
      return { slots, blocking, loop, marker: { key: keys.live(service, lane), queueLimit }, watched };
    });
    const heartbeat = new Heartbeat(
      commands,
      lanes.map(({ marker }) => marker),
    );
    const watched = [...lanes.flatMap(({ watched }) => watched), readiness.addCheck('requests', () => this.takesRequests)];
    return { commands, lanes, replies, clock, heartbeat, watched };
  }

  /** Runs the handler between Nest's processing hooks, where a tracer opens and closes its span. */
  private invoke(pattern: string, payload: unknown, context: QueueContext): Promise<unknown> {
    const handler = this.messageHandlers.get(pattern)!;
    return new Promise((resolve, reject) => {
      this.runWithProcessingHooks(context, async (end) => {
        try {
          const result: unknown = await handler(payload, context);
          // Interceptors and filters answer with a stream; plain handlers do not pay for RxJS
          resolve(isObservable(result) ? await lastValueFrom(result) : result);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
        } finally {
          end();
        }
      });
    });
  }
}
