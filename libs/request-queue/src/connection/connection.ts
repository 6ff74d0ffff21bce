import { Redis, ReplyError } from 'ioredis';
import { backoffMs, withJitter } from '#concurrency';
import { redisTls } from '#config';
import { silentLog, type QueueLog } from '../queue-log.js';

/** The command was not sent: there is no connection. */
class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** The command was sent and its outcome is unknown: the connection went away before the answer. */
class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** True when Redis has certainly not executed the command. */
export const certainlyNotDone = (error: unknown): boolean =>
  error instanceof NotConnected || error instanceof ReplyError;

interface ConnectionOptions {
  readonly redisUrl: string;
  /** Shown by `CLIENT LIST`. */
  readonly name: string;
  readonly log?: QueueLog | undefined;
  readonly onReconnect?: () => void;
}

/** 50 ms doubling to 1 s, with 25 % jitter so that a restarted Redis is not met by everybody at once. */
const retryDelay = (times: number): number => withJitter(backoffMs(times - 1, { firstMs: 50, maxMs: 1_000 }), 0.25);

/** To connect, and again to be greeted: a link may die between the two, and would then be waited on for ever. */
const connectWithinMs = 2_000;

/** A stalled event loop fires timers before it reads the socket, so an answer gets this long to be read. */
const graceMs = 250;

/**
 * One connection to Redis whose every command settles. With `autoResendUnfulfilledCommands: false` (a re-sent push
 * would run a request twice) ioredis 5.11 leaves commands that were in flight when the link dropped pending for ever,
 * so they are rejected here when the connection closes. A command without an answer after its limit destroys the
 * socket, because a half-open one is not noticed otherwise; ioredis' own `socketTimeout` is not used, as its timer
 * outlives the connection that it watched and cuts the next, healthy one.
 */
export class QueueConnection {
  readonly redis: Redis;
  private readonly waiting = new Set<(error: Error) => void>();
  private closed = false;
  private wasReady = false;
  private greeting: NodeJS.Timeout | undefined;

  constructor({ redisUrl, name, log = silentLog, onReconnect }: ConnectionOptions) {
    this.redis = new Redis(redisUrl, {
      ...redisTls(redisUrl),
      connectionName: name,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: null,
      connectTimeout: connectWithinMs,
      retryStrategy: retryDelay,
    });
    let lastError = '';
    this.redis.on('error', (error: Error) => {
      if (error.message !== lastError) log.warn({ connection: name, reason: error.message }, 'Redis is not reachable');
      lastError = error.message;
    });
    this.redis.on('connect', () => {
      const { stream } = this.redis;
      this.greeting = setTimeout(() => stream.destroy(new Error('Redis did not greet')), connectWithinMs);
    });
    this.redis.on('ready', () => {
      clearTimeout(this.greeting);
      if (this.wasReady || lastError) log.info({ connection: name }, 'Redis is reachable again');
      if (this.wasReady) onReconnect?.();
      this.wasReady = true;
      lastError = '';
    });
    this.redis.on('close', () => {
      clearTimeout(this.greeting);
      this.rejectAll(new ConnectionLost(`${name}: the connection to Redis was lost`));
    });
  }

  get ready(): boolean {
    return this.redis.status === 'ready' && this.redis.stream.writable;
  }

  /** Calls `listener` now if the connection is up, and again after each reconnection. */
  onReady(listener: () => void): void {
    this.redis.on('ready', listener);
    if (this.ready) listener();
  }

  /** Resolves with true as soon as the connection is up, with false after `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<boolean> {
    if (this.ready) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.redis.off('ready', settle).off('end', settle);
        resolve(this.ready);
      };
      const timer = setTimeout(settle, timeoutMs);
      this.redis.once('ready', settle).once('end', settle);
    });
  }

  /**
   * Runs commands and always settles.
   *
   * @throws NotConnected, ConnectionLost, or ioredis' ReplyError
   */
  run<Result>(send: (redis: Redis) => Promise<Result>, limitMs = 3_000): Promise<Result> {
    if (!this.ready) return Promise.reject(new NotConnected('there is no connection to Redis'));
    const { stream } = this.redis;
    return new Promise((resolve, reject) => {
      const cut = (): void => void stream.destroy(new Error(`Redis gave no answer within ${limitMs} ms`));
      let timer = setTimeout(() => (timer = setTimeout(cut, graceMs)), limitMs);
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(lost);
      };
      const lost = (error: Error): void => {
        done();
        reject(error);
      };
      this.waiting.add(lost);
      send(this.redis).then((result) => {
        done();
        resolve(result);
      }, lost);
    });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    // `disconnect` alone waits for the other side's FIN, which a half-open link never sends
    const stream = this.redis.stream as typeof this.redis.stream | undefined;
    this.redis.disconnect();
    stream?.destroySoon();
    this.rejectAll(new ConnectionLost('the connection to Redis was closed'));
  }

  private rejectAll(error: Error): void {
    for (const reject of [...this.waiting]) reject(error);
  }
}
