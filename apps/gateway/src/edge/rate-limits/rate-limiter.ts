import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type OperationName, problems, type RateLimit } from '#contracts';
import { DomainError } from '#kernel';
import { QueueConnection } from '#request-queue';
import { GatewayEnv } from '../../env.js';
import { Log } from '#observability';
import { type Count, RateCounter } from './rate-counter.js';
import { rateLimitMetrics } from './rate-limit-metrics.js';
import { RateLimits } from './rate-limits.js';

/** State of a rate limit for a user. */
interface RateState extends RateLimit {
  readonly remaining: number;
  /** End of the window in milliseconds since the epoch. */
  readonly resetAt: number;
  readonly isExceeded: boolean;
}

/**
 * Counts requests of limited operations per user and operation, in Redis and so over all gateways.
 * A window starts with its first request. Without Redis, all requests are allowed and none is
 * counted, because a limit protects the service and must not be a reason for an outage.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly connection: QueueConnection;
  private readonly counter: RateCounter;
  private readonly metrics = rateLimitMetrics();
  private isUnavailable = false;

  constructor(
    private readonly rateLimits: RateLimits,
    env: GatewayEnv,
    private readonly log: Log,
  ) {
    this.connection = new QueueConnection({ redisUrl: env.REDIS_REQUESTS_URL, name: 'rate-limits' });
    this.counter = new RateCounter(this.connection);
  }

  /** Returns whether an operation has a limit. */
  limits(operation: OperationName): boolean {
    return this.rateLimits.of(operation) !== undefined;
  }

  /**
   * Counts a request and returns the new state, or an unused limit if Redis is unavailable.
   * Undefined for an operation without a limit.
   */
  async count(operation: OperationName, userId: number): Promise<RateState | undefined> {
    const limit = this.rateLimits.of(operation);
    if (!limit) return undefined;
    // Counts requests above the limit, too
    const state = await this.stateOf(limit, this.counter.increment(keyOf(operation, userId), limit.periodSeconds));
    const outcome = !state ? 'uncounted' : state.isExceeded ? 'rejected' : 'counted';
    this.metrics.requests.inc({ operation, outcome });
    return state ?? untouched(limit);
  }

  /**
   * Counts a request.
   *
   * @returns the rate limit headers of the response; none for an operation without a limit
   * @throws DomainError `rate-limit.exceeded`
   */
  async check(operation: OperationName, userId: number): Promise<Record<string, string>> {
    const state = await this.count(operation, userId);
    if (state?.isExceeded === true) throw exceeded(state);
    return state ? rateHeaders(state) : {};
  }

  /** Returns the state without counting. Undefined for an operation without a limit. */
  async peek(operation: OperationName, userId: number): Promise<RateState | undefined> {
    const limit = this.rateLimits.of(operation);
    return limit && ((await this.stateOf(limit, this.counter.read(keyOf(operation, userId)))) ?? untouched(limit));
  }

  onApplicationShutdown(): void {
    this.connection.close();
  }

  /** Returns the state of a count; undefined if Redis is unavailable. */
  private async stateOf(limit: RateLimit, count: Promise<Count | undefined>): Promise<RateState | undefined> {
    try {
      const counted = await count;
      if (this.isUnavailable) this.log.info('Redis is available again, requests are counted');
      this.isUnavailable = false;
      return counted ? stateOf(limit, counted) : untouched(limit);
    } catch (error) {
      if (!this.isUnavailable)
        this.log.warn({ err: error }, 'Redis is unavailable: requests are not counted and all are allowed');
      this.isUnavailable = true;
      return undefined;
    }
  }
}

const keyOf = (operation: OperationName, userId: number): string => `rate-limit:${operation}:${userId}`;

const untouched = ({ limit, periodSeconds }: RateLimit): RateState => ({
  limit,
  periodSeconds,
  remaining: limit,
  resetAt: Date.now() + periodSeconds * 1_000,
  isExceeded: false,
});

const stateOf = ({ limit, periodSeconds }: RateLimit, { requests, leftMs }: Count): RateState => ({
  limit,
  periodSeconds,
  remaining: Math.max(limit - requests, 0),
  resetAt: Date.now() + leftMs,
  isExceeded: requests > limit,
});

function exceeded(state: RateState): DomainError {
  const { limit, periodSeconds, resetAt } = state;
  const seconds = String(Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000)));
  const detail = `At most ${limit} of these requests are allowed in ${periodSeconds} seconds. Try again in ${seconds} seconds.`;
  const headers = { ...rateHeaders(state), 'retry-after': seconds };
  return new DomainError(problems['rate-limit.exceeded'], detail, undefined, headers);
}

/** Returns the rate limit headers; the end of the window is in epoch seconds, UTC. */
export const rateHeaders = ({ limit, remaining, resetAt }: RateState): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt / 1_000)),
});
