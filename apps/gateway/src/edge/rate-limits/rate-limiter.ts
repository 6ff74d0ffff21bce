import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { OperationName, RateLimit } from '#contracts';
import { QueueConnection } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { Log } from '#observability';
import { rateLimitMetrics } from './rate-limit-metrics.js';
import { RateLimits } from './rate-limits.js';

/**
 * How long Redis may take; the connection adds 250 ms before it gives up. A Redis that stands still for a second, as on a
 * busy machine, still counts; one that is away is not waited for.
 */
const answerWithinMs = 2_000;

/** How much of a limit a user has left. */
interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** When everything is allowed again: milliseconds since the epoch. */
  readonly resetAt: number;
  /** More was asked for than allowed. */
  readonly isExceeded: boolean;
}

type Ask = (limiter: RateLimiterRedis) => Promise<RateLimiterRes | null>;

/**
 * Counts the requests of limited operations, per user and operation, in Redis and so over all gateways. A window begins
 * with the first request in it. Without Redis nothing is counted and everything is allowed: a limit protects the
 * service, and must not be what takes it down.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly connection: QueueConnection;
  private readonly limiters = new Map<OperationName, RateLimiterRedis>();
  private readonly metrics = rateLimitMetrics();
  private isAway = false;

  constructor(
    private readonly known: RateLimits,
    env: GatewayEnv,
    private readonly log: Log,
  ) {
    this.connection = new QueueConnection({ redisUrl: env.REDIS_REQUESTS_URL, name: 'rate-limits' });
  }

  /** Whether an operation has a limit. */
  limits(operation: OperationName): boolean {
    return this.known.of(operation) !== undefined;
  }

  /** Counts a request. Undefined for an operation without a limit. */
  async count(operation: OperationName, userId: number): Promise<RateState | undefined> {
    const limit = this.known.of(operation);
    if (!limit) return undefined;
    const state = await this.ask(operation, limit, (limiter) =>
      limiter.consume(userId).catch((reason: unknown) => {
        // What is over the limit is counted too, and told by a rejection
        if (reason instanceof RateLimiterRes) return reason;
        throw reason;
      }),
    );
    const outcome = !state ? 'uncounted' : state.isExceeded ? 'refused' : 'counted';
    this.metrics.requests.inc({ operation, outcome });
    return state ?? untouched(limit);
  }

  /** What is left, without counting. Undefined for an operation without a limit. */
  async look(operation: OperationName, userId: number): Promise<RateState | undefined> {
    const limit = this.known.of(operation);
    return limit && ((await this.ask(operation, limit, (limiter) => limiter.get(userId))) ?? untouched(limit));
  }

  onApplicationShutdown(): void {
    this.connection.close();
  }

  /** @returns undefined when Redis does not answer */
  private async ask(operation: OperationName, limit: RateLimit, ask: Ask): Promise<RateState | undefined> {
    try {
      const found = await this.connection.run(() => ask(this.limiterOf(operation, limit)), answerWithinMs);
      if (this.isAway) this.log.info('requests are counted again');
      this.isAway = false;
      return found ? stateOf(limit, found) : untouched(limit);
    } catch (error) {
      if (!this.isAway) this.log.warn({ err: error }, 'Redis is away: requests are not counted and all are allowed');
      this.isAway = true;
      return undefined;
    }
  }

  private limiterOf(operation: OperationName, { limit, periodSeconds }: RateLimit): RateLimiterRedis {
    let limiter = this.limiters.get(operation);
    if (!limiter) {
      const keyPrefix = `rate-limit:${operation}`;
      const storeClient = this.connection.redis;
      limiter = new RateLimiterRedis({ storeClient, keyPrefix, points: limit, duration: periodSeconds });
      this.limiters.set(operation, limiter);
    }
    return limiter;
  }
}

const untouched = ({ limit, periodSeconds }: RateLimit): RateState => ({
  limit,
  remaining: limit,
  resetAt: Date.now() + periodSeconds * 1_000,
  isExceeded: false,
});

const stateOf = (
  { limit }: RateLimit,
  { consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes,
): RateState => ({
  limit,
  remaining: remainingPoints,
  resetAt: Date.now() + msBeforeNext,
  isExceeded: consumedPoints > limit,
});

/** The three headers of an answer; the end of the window as epoch seconds, UTC. */
export const rateHeaders = ({ limit, remaining, resetAt }: RateState): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1_000)),
});
