import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '#observability';
import { QueueConnection } from '#request-queue';
import { RenderingEnv } from '../env.js';

type Redis = QueueConnection['redis'];

/** What a process that dies in the middle of a drawing costs those who wait for it. A claim is renewed while it is held. */
const claimMs = 3_000;
const renewEveryMs = 1_000;

/** How long Redis may take; the connection adds 250 ms before it gives up. */
const answerWithinMs = 150;

/** A drawing takes 10 to 40 ms. */
const shortestPauseMs = 15;
const longestPauseMs = 150;

const ifMine = (command: string): string =>
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call(${command})`;
const release = ifMine(`'DEL', KEYS[1]`);
const renew = ifMine(`'PEXPIRE', KEYS[1], ${claimMs}`);

const keyOf = (drawing: string): string => `drawing:${createHash('sha256').update(drawing).digest('base64url')}`;

/**
 * Lets one process at a time make a drawing, over all replicas. Without Redis everybody does: to draw twice costs time
 * and harms nothing.
 */
@Injectable()
export class RenderLock implements OnApplicationShutdown {
  private readonly connection: QueueConnection;
  private isAway = false;
  private isClosing = false;

  constructor(
    { REDIS_REQUESTS_URL: redisUrl }: RenderingEnv,
    private readonly log: Log,
  ) {
    this.connection = new QueueConnection({ redisUrl, name: 'drawing-claims' });
  }

  /**
   * Does the work, unless another process is about to draw the same.
   *
   * @returns false when another one is: nothing was done
   */
  async hold(drawing: string, work: () => Promise<void>): Promise<boolean> {
    const key = keyOf(drawing);
    const token = randomUUID();
    const answer = await this.ask((redis) => redis.set(key, token, 'PX', claimMs, 'NX'));
    if (answer === null) return false;
    const renewal = setInterval(() => void this.ask((redis) => redis.eval(renew, 1, key, token)), renewEveryMs).unref();
    try {
      await work();
      return true;
    } finally {
      clearInterval(renewal);
      // Nobody here waits for that: what follows on this connection comes after it
      void this.ask((redis) => redis.eval(release, 1, key, token));
    }
  }

  /**
   * Waits for the process that is about to make the drawing.
   *
   * @param isThere looks for its result: a holder that lost its connection cannot say that it is done
   * @returns false when nobody is about to make it any more, and it is not there: that process failed or died
   */
  async made(drawing: string, isThere: () => Promise<boolean>): Promise<boolean> {
    const key = keyOf(drawing);
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, longestPauseMs)) {
      await sleep(pauseMs);
      const held = (await this.ask((redis) => redis.exists(key))) === 1;
      if (await isThere()) return true;
      if (!held) return false;
    }
  }

  onApplicationShutdown(): void {
    this.isClosing = true;
    this.connection.close();
  }

  /** @returns undefined when Redis does not answer */
  private async ask<Answer>(send: (redis: Redis) => Promise<Answer>): Promise<Answer | undefined> {
    try {
      // The first image may come before the connection is there. While Redis is away nobody waits for it
      if (!this.isAway) await this.connection.whenReady(answerWithinMs);
      const answer = await this.connection.run(send, answerWithinMs);
      if (this.isAway) this.log.info('images are drawn once again');
      this.isAway = false;
      return answer;
    } catch (error) {
      if (!this.isAway && !this.isClosing)
        this.log.warn({ err: error }, 'Redis is away: replicas may draw the same image');
      this.isAway = true;
      return undefined;
    }
  }
}
