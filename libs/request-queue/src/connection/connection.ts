import { Redis, ReplyError } from 'ioredis';
import { backoffMs, withJitter } from '#concurrency';
import { redisTls } from '#config';
import { silentLog, type QueueLog } from '../queue-log.js';

/** Error of a command that was not sent, because there is no connection. */
class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** Error of a command with an unknown outcome: the connection was lost before the reply. */
class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Returns true when Redis has certainly not executed the command. */
export const isNotExecuted = (error: unknown): boolean => error instanceof NotConnected || error instanceof ReplyError;

interface ConnectionOptions {
  readonly redisUrl: string;
  /** Shown by `CLIENT LIST`. */
  readonly name: string;
  readonly log?: QueueLog | undefined;
  readonly onReconnect?: () => void;
}

/** 50 ms doubling to 1 s, with 25 % jitter, so that clients do not reconnect at the same moment. */
const retryDelay = (times: number): number => withJitter(backoffMs(times - 1, { firstMs: 50, maxMs: 1_000 }), 0.25);

/**
 * Timeout of the TCP connect, and again of the handshake: a connection that is lost between the two
 * would otherwise be pending for ever.
 */
const connectTimeoutMs = 2_000;

/**
 * Grace period to read a reply, because a stalled event loop runs timers before it reads sockets.
 */
const readGraceMs = 250;

/**
 * Redis connection whose commands always settle. With `autoResendUnfulfilledCommands: false` (a
 * push that is sent again would run a request twice) ioredis 5.11 never settles commands that were
 * in flight at a disconnect, so they are rejected here when the connection closes. A command
 * without a reply after its timeout destroys the socket, because a half-open connection is not
 * detected otherwise. The `socketTimeout` of ioredis is not used: its timer outlives its connection
 * and destroys the next, healthy connection.
 */
export class QueueConnection {
  readonly redis: Redis;
  private readonly pendingRejects = new Set<(error: Error) => void>();
  private isClosed = false;
  private wasReady = false;
  private handshakeTimer: NodeJS.Timeout | undefined;

  constructor({ redisUrl, name, log = silentLog, onReconnect }: ConnectionOptions) {
    this.redis = new Redis(redisUrl, {
      ...redisTls(redisUrl),
      connectionName: name,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: null,
      connectTimeout: connectTimeoutMs,
      retryStrategy: retryDelay,
    });
    let lastError = '';
    this.redis.on('error', (error: Error) => {
      if (error.message !== lastError)
        log.warn({ connection: name, reason: error.message }, 'Redis is not reachable, retrying');
      lastError = error.message;
    });
    this.redis.on('connect', () => {
      const { stream } = this.redis;
      this.handshakeTimer = setTimeout(
        () => stream.destroy(new Error('Redis did not reply to the handshake')),
        connectTimeoutMs,
      );
    });
    this.redis.on('ready', () => {
      clearTimeout(this.handshakeTimer);
      if (this.wasReady || lastError) log.info({ connection: name }, 'Redis is connected again');
      if (this.wasReady) onReconnect?.();
      this.wasReady = true;
      lastError = '';
    });
    this.redis.on('close', () => {
      clearTimeout(this.handshakeTimer);
      this.rejectAll(new ConnectionLost(`${name}: connection to Redis lost`));
    });
  }

  get ready(): boolean {
    return this.redis.status === 'ready' && this.redis.stream.writable;
  }

  /** Calls `listener` now if connected, and at each later connection. */
  onReady(listener: () => void): void {
    this.redis.on('ready', listener);
    if (this.ready) listener();
  }

  /** Resolves with true when connected, with false after `timeoutMs`. */
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
   * Runs commands. The promise always settles.
   *
   * @throws NotConnected, ConnectionLost, or ioredis' ReplyError
   */
  run<Result>(send: (redis: Redis) => Promise<Result>, timeoutMs = 3_000): Promise<Result> {
    if (!this.ready) return Promise.reject(new NotConnected('no connection to Redis'));
    const { stream } = this.redis;
    return new Promise((resolve, reject) => {
      const destroy = (): void => void stream.destroy(new Error(`no reply of Redis within ${timeoutMs} ms`));
      let timer = setTimeout(() => (timer = setTimeout(destroy, readGraceMs)), timeoutMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.pendingRejects.delete(fail);
      };
      const fail = (error: Error): void => {
        finish();
        reject(error);
      };
      this.pendingRejects.add(fail);
      send(this.redis).then((result) => {
        finish();
        resolve(result);
      }, fail);
    });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    // `disconnect` alone waits for the FIN of the peer, which never arrives on a half-open
    // connection
    const stream = this.redis.stream as typeof this.redis.stream | undefined;
    this.redis.disconnect();
    stream?.destroySoon();
    this.rejectAll(new ConnectionLost('connection to Redis closed'));
  }

  private rejectAll(error: Error): void {
    for (const reject of [...this.pendingRejects]) reject(error);
  }
}
