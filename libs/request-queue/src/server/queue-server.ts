import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { type Registry } from 'prom-client';
import { isObservable, lastValueFrom } from 'rxjs';
import { Semaphore } from '#concurrency';
import { type Lane, type Message, type ServiceName, services } from '#contracts';
import { readiness } from '#observability';
import { RedisClock } from '../connection/clock.js';
import { QueueConnection } from '../connection/connection.js';
import { checkHandlers } from './handler-table.js';
import { LiveMarkers } from './live-markers.js';
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
  /**
   * Concurrency limit of each lane, at most 8 for the operator lane. Further requests wait in the
   * queue for any replica. Default 64.
   */
  readonly slots?: number;
  /**
   * Maximum of requests of one pop: 4 to 16 for handlers that wait, 1 for those that compute.
   * Default 8.
   */
  readonly batch?: number;
  /**
   * Maximum of waiting requests in each list, over all replicas; further ones are rejected. Default
   * 16 times `slots` for the usual lane and 2 times `slots` for the others, at least 128.
   */
  readonly queueLimit?: number;
  /** Maximum time that `close` waits for running handlers. Default 20,000. */
  readonly drainMs?: number;
  readonly log?: QueueLog;
  /** Prefix of every key, so that several stacks can share a logical database. */
  readonly keyPrefix?: string;
  readonly registry?: Registry;
}

/** Waiting requests per slot, as many as can be served in time. */
const waitingPerSlot: Readonly<Record<Lane, number>> = { usual: 16, slow: 2, operator: 2 };

/** Operators send their requests sequentially. */
const maxOperatorSlots = 8;

const lanesOf = (service: ServiceName): ReadonlySet<Lane> =>
  new Set(['usual', ...Object.values<Message>(services[service]).map(({ lane }) => lane)]);

/**
 * Transport of a service: `NestFactory.createMicroservice(Module, { strategy: new
 * QueueServer({...}) })`.
 *
 * A replica takes as many requests as it has free slots. `close` stops taking requests, waits for
 * the replies of running handlers, then disconnects; call it (through `app.close()`) from the
 * SIGTERM handler.
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
      slots: new Semaphore(lane === 'operator' ? Math.min(slots, maxOperatorSlots) : slots),
      queueLimit: options.queueLimit ?? Math.max(128, slots * waitingPerSlot[lane]),
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
   * Starts to take requests and calls `callback` when Redis is connected, without a timeout.
   * `callback` receives an error when the handlers do not match the message table of the service.
   */
  listen(callback: (error?: unknown) => void): void {
    try {
      checkHandlers(this.options.service, this.registered);
    } catch (error) {
      callback(error);
      return;
    }
    const running = (this.running = this.open());
    running.liveMarkers.start();
    // Deadlines need the clock, so no request is taken before its first measurement
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
    const deadline = performance.now() + this.options.drainMs;
    // `stop` takes seconds when Redis does not reply, so the deadline is set before
    await Promise.all(running.lanes.map(({ loop }) => loop.stop(running.commands)));
    const areIdle = await Promise.all(this.lanes.map(({ slots }) => slots.whenIdle(deadline - performance.now())));
    if (areIdle.includes(false)) {
      const handlers = this.lanes.reduce((sum, { slots }) => sum + slots.acquired, 0);
      this.options.log.warn({ handlers }, 'Drain timed out, closing with running handlers');
    }
    await running.replies.flushed();
    for (const stop of running.stopObservers) stop();
    running.liveMarkers.stop();
    running.clock.stop();
    for (const { blocking } of running.lanes) blocking.close();
    running.commands.close();
  }

  /** True while Redis is connected and requests are taken. */
  private get isReady(): boolean {
    return this.alive && this.running!.commands.ready && this.running!.lanes.every(({ blocking }) => blocking.ready);
  }

  /**
   * False while the server is closed, and after 10 s with free slots but without a reply of Redis:
   * then the process should be replaced.
   */
  get alive(): boolean {
    const since = performance.now() - 10_000;
    return (
      this.running?.lanes.every(({ slots, loop }) => slots.acquired >= slots.permits || loop.lastPopAt > since) === true
    );
  }

  on(): never {
    throw new Error('QueueServer emits no events: see its log and its metrics');
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
      log.error({ replies: lost, err: error }, 'Pushing replies failed: their callers get 504');
    });
    const clock = new RedisClock(commands, (offsetMs) => metrics.clockOffset.set(offsetMs / 1_000));
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
        capacity: () => slots.whenAvailable(batch),
        deliver: (frames) => runner.take(frames, lane, slots),
      });
      // Without Redis the gauge has no value; the connection logs that
      const length = (): Promise<number | undefined> => commands.run((redis) => redis.llen(key)).catch(() => undefined);
      const stopObservers = [
        metrics.serverInFlight.watch({ service, lane }, () => slots.acquired),
        metrics.serverSlots.watch({ service, lane }, () => slots.permits),
        metrics.queueLength.watch({ service, lane }, length),
      ];
      return { slots, blocking, loop, marker: { key: keys.live(service, lane), queueLimit }, stopObservers };
    });
    const liveMarkers = new LiveMarkers(
      commands,
      lanes.map(({ marker }) => marker),
    );
    const stopObservers = [
      ...lanes.flatMap((each) => each.stopObservers),
      readiness.addCheck('requests', () => this.isReady),
    ];
    return { commands, lanes, replies, clock, liveMarkers, stopObservers };
  }

  /**
   * Runs the handler between Nest's processing hooks, in which a tracer opens and closes its span.
   */
  private invoke(pattern: string, payload: unknown, context: QueueContext): Promise<unknown> {
    const handler = this.messageHandlers.get(pattern)!;
    return new Promise((resolve, reject) => {
      this.runWithProcessingHooks(context, async (end) => {
        try {
          const result: unknown = await handler(payload, context);
          // Interceptors and filters return an Observable; plain handlers avoid the cost of RxJS
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
