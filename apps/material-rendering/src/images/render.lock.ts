import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '#observability';
import { QueueConnection } from '#request-queue';
import { RenderingEnv } from '../env.js';

type Redis = QueueConnection['redis'];

/**
 * Lease of the lock: the time that other processes wait at most after its holder died. The lease is
 * renewed while the lock is held.
 */
const leaseMs = 3_000;
const renewIntervalMs = 1_000;

/** Timeout of a Redis command; the connection adds 250 ms before it gives up. */
const commandTimeoutMs = 150;

/** Poll intervals: rendering an image takes 10 to 40 ms. */
const minPollMs = 15;
const maxPollMs = 150;

const ifOwned = (command: string): string =>
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call(${command})`;
const releaseScript = ifOwned(`'DEL', KEYS[1]`);
const renewScript = ifOwned(`'PEXPIRE', KEYS[1], ${leaseMs}`);

const keyOf = (id: string): string => `render-lock:${createHash('sha256').update(id).digest('base64url')}`;

/**
 * Lock across all replicas: one process at a time renders an image. Without Redis every process
 * renders, because rendering an image twice only costs time.
 */
@Injectable()
export class RenderLock implements OnApplicationShutdown {
  private readonly connection: QueueConnection;
  private isUnavailable = false;
  private isClosing = false;

  constructor(
    { REDIS_REQUESTS_URL: redisUrl }: RenderingEnv,
    private readonly log: Log,
  ) {
    this.connection = new QueueConnection({ redisUrl, name: 'render-lock' });
  }

  /**
   * Runs `work` under the lock, unless another process holds it. Without Redis, `work` runs without
   * the lock.
   *
   * @returns false when another process holds the lock, and `work` did not run
   */
  async tryRun(id: string, work: () => Promise<void>): Promise<boolean> {
    const key = keyOf(id);
    const token = randomUUID();
    const reply = await this.run((redis) => redis.set(key, token, 'PX', leaseMs, 'NX'));
    if (reply === null) return false;
    const renewal = setInterval(
      () => void this.run((redis) => redis.eval(renewScript, 1, key, token)),
      renewIntervalMs,
    ).unref();
    try {
      await work();
      return true;
    } finally {
      clearInterval(renewal);
      // The release is not awaited: later commands on this connection are executed after it
      void this.run((redis) => redis.eval(releaseScript, 1, key, token));
    }
  }

  /**
   * Waits for the process that holds the lock.
   *
   * @param isStored checks for the result, because a holder that lost its connection cannot release
   *   the lock
   * @returns false when the result is missing and the lock is free, because its holder failed or
   *   died, or Redis does not reply
   */
  async waitForResult(id: string, isStored: () => Promise<boolean>): Promise<boolean> {
    const key = keyOf(id);
    for (let pollMs = minPollMs; ; pollMs = Math.min(1.5 * pollMs, maxPollMs)) {
      await sleep(pollMs);
      const isLocked = (await this.run((redis) => redis.exists(key))) === 1;
      if (await isStored()) return true;
      if (!isLocked) return false;
    }
  }

  onApplicationShutdown(): void {
    this.isClosing = true;
    this.connection.close();
  }

  /** Runs a Redis command. Returns undefined when Redis is not connected or does not reply. */
  private async run<Reply>(send: (redis: Redis) => Promise<Reply>): Promise<Reply | undefined> {
    try {
      // The first image may arrive before the connection is ready. During an outage no image waits
      // for the connection
      if (!this.isUnavailable) await this.connection.whenReady(commandTimeoutMs);
      const reply = await this.connection.run(send, commandTimeoutMs);
      if (this.isUnavailable) this.log.info('Redis available again: images are rendered by one replica only');
      this.isUnavailable = false;
      return reply;
    } catch (error) {
      if (!this.isUnavailable && !this.isClosing)
        this.log.warn({ err: error }, 'Redis unavailable: replicas may render the same image');
      this.isUnavailable = true;
      return undefined;
    }
  }
}
