import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { type Registry } from 'prom-client';
import { isObservable, lastValueFrom } from 'rxjs';
import { type ServiceName } from '#contracts';
import { readiness } from '#observability';
import { RedisClock } from './clock.js';
import { QueueConnection } from './connection.js';
import { checkHandlers } from './handler-table.js';
import { Heartbeat } from './heartbeat.js';
import { QueueKeys } from './keys.js';
import { queueMetrics, type QueueMetrics } from './metrics.js';
import { PopLoop } from './pop-loop.js';
import { type QueueContext } from './queue-context.js';
import { silentLog, type QueueLog } from './queue-log.js';
import { ReplyWriter } from './reply-writer.js';
import { RequestRunner } from './request-runner.js';
import { Slots } from './slots.js';

export interface QueueServerOptions {
  readonly service: ServiceName;
  readonly redisUrl: string;
  /** Handlers that run at once; requests beyond stay in the queue for other replicas. Default 64. */
  readonly slots?: number;
  /** Requests taken with one pop: 4 to 16 for handlers that wait, 1 for those that compute. Default 8. */
  readonly batch?: number;
  /** Requests that may wait, over all replicas, before callers are refused. Default 16 for each slot, at least 128. */
  readonly queueLimit?: number;
  /** How long `close` waits for running handlers. Default 20,000. */
  readonly drainMs?: number;
  readonly log?: QueueLog;
  /** Set before every key, so that several can share a logical database. */
  readonly keyPrefix?: string;
  readonly registry?: Registry;
}

/**
 * The transport of a service: `NestFactory.createMicroservice(Module, { strategy: new QueueServer({...}) })`.
 *
 * A replica takes as many requests as it has free slots, so a busy one does not ask. `close` takes nothing new, lets
 * the running handlers answer, then disconnects; call it (through `app.close()`) from the SIGTERM handler.
 */
export class QueueServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('request-queue');
  private readonly options: Required<Omit<QueueServerOptions, 'registry'>>;
  private readonly metrics: QueueMetrics;
  private readonly keys: QueueKeys;
  private readonly slots: Slots;
  private readonly registered: string[] = [];
  private running: ReturnType<QueueServer['open']> | undefined;

  constructor(options: QueueServerOptions) {
    super();
    const slots = options.slots ?? 64;
    this.options = {
      service: options.service,
      redisUrl: options.redisUrl,
      slots,
      batch: options.batch ?? 8,
      queueLimit: options.queueLimit ?? Math.max(128, slots * 16),
      drainMs: options.drainMs ?? 20_000,
      log: options.log ?? silentLog,
      keyPrefix: options.keyPrefix ?? '',
    };
    this.metrics = queueMetrics(options.registry);
    this.keys = new QueueKeys(this.options.keyPrefix);
    this.slots = new Slots(slots);
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
      running.loop.start();
      callback();
    });
  }

  async close(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    const until = performance.now() + this.options.drainMs;
    // Takes seconds itself when Redis is silent
    await running.loop.stop(running.commands);
    if (!(await this.slots.idle(until - performance.now()))) {
      this.options.log.warn({ handlers: this.slots.busy }, 'closed before all handlers had ended');
    }
    await running.replies.flushed();
    for (const forget of running.watched) forget();
    running.heartbeat.stop();
    running.clock.stop();
    running.blocking.close();
    running.commands.close();
  }

  /** Redis is reached, and requests are taken from it. */
  private get takesRequests(): boolean {
    return this.alive && this.running!.commands.ready && this.running!.blocking.ready;
  }

  /** False when there was room but no answer of Redis for 10 s: the process should be replaced. */
  get alive(): boolean {
    if (!this.running) return false;
    return this.slots.busy >= this.slots.total || performance.now() - this.running.loop.lastPopAt < 10_000;
  }

  on(): never {
    throw new Error('QueueServer has no events of its own: see its log and its counters');
  }

  unwrap<Connection>(): Connection {
    return this.running?.commands.redis as Connection;
  }

  private open() {
    const { redisUrl, service, batch, queueLimit, log } = this.options;
    const { keys, metrics, slots } = this;
    const onReconnect = (connection: string) => (): void => metrics.reconnects.inc({ connection });
    const commands = new QueueConnection({
      redisUrl,
      name: `${service}:commands`,
      log,
      onReconnect: onReconnect('commands'),
    });
    const blocking = new QueueConnection({
      redisUrl,
      name: `${service}:requests`,
      log,
      onReconnect: onReconnect('blocking'),
    });
    const replies = new ReplyWriter(commands, (lost, error) => {
      metrics.repliesLost.inc({ service }, lost);
      log.error({ replies: lost, err: error }, 'replies could not be pushed: their callers will see 504');
    });
    const clock = new RedisClock(commands, (offset) => metrics.clockOffset.set(offset));
    const invoke = this.invoke.bind(this);
    const runner = new RequestRunner({ service, keys, slots, clock, replies, metrics, log, invoke });
    const loop = new PopLoop({
      connection: blocking,
      key: keys.requests(service),
      room: () => slots.room(batch),
      deliver: (frames) => runner.take(frames),
    });
    const heartbeat = new Heartbeat(commands, keys, { service, queueLimit });
    const length = (): Promise<number | undefined> =>
      commands.run((redis) => redis.llen(keys.requests(service))).catch(() => undefined);
    const watched = [
      metrics.serverInFlight.watch({ service }, () => slots.busy),
      metrics.serverSlots.watch({ service }, () => slots.total),
      metrics.queueLength.watch({ service }, length),
      readiness.needs('requests', () => this.takesRequests),
    ];
    return { commands, blocking, replies, clock, loop, heartbeat, watched };
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
