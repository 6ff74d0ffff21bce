import { withJitter } from '#concurrency';
import type { AttemptError } from './attempt.entity.js';

/** Result of an attempt. */
export interface AttemptResult {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null without a response. */
  readonly statusCode: number | null;
  /** Null for a success. */
  readonly error: AttemptError | null;
  /** Time before which the endpoint requests no other attempt. */
  readonly retryAt: Date | null;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Delays before the second attempt of a delivery, the third, and so on. */
const retryDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const jitterShare = 0.1;
const maxRetryAfterMs = 24 * hour;

/**
 * Returns the time of the next attempt after a failure: the next one of the schedule, or that of
 * Retry-After if it is later. Null after the last attempt.
 *
 * @param previousAttempts attempts of the schedule before the failed one
 */
export function nextAttemptAt(previousAttempts: number, retryAt: Date | null, now: Date): Date | null {
  const delayMs = retryDelaysMs[previousAttempts];
  if (delayMs === undefined) return null;
  return new Date(Math.max(now.getTime() + withJitter(delayMs, jitterShare), retryAt?.getTime() ?? 0));
}

/**
 * Parses a Retry-After header, in seconds or as a date, of at most 24 hours. Null for a missing or
 * invalid header.
 */
export function parseRetryAfter(header: string | undefined, now: Date): Date | null {
  if (header === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * second : Date.parse(header) - now.getTime();
  if (Number.isNaN(ms) || ms <= 0) return null;
  return new Date(now.getTime() + Math.min(ms, maxRetryAfterMs));
}

/** Failures after which the circuit breaker of an endpoint opens. */
const failuresToOpen = 5;
/** Statuses of an overloaded endpoint, which open the circuit breaker at once. */
const overloadStatuses: readonly (number | null)[] = [429, 502, 504];
const [firstPauseMs, maxPauseMs] = [30 * second, 10 * minute];
/** Time of only failures after which an endpoint is disabled. */
const disableAfterMs = 5 * 24 * hour;

interface EndpointHealth {
  readonly failures: number;
  readonly failingSince: Date | null;
}

/**
 * Returns the health of an endpoint after a failure. The circuit breaker opens after five failures
 * or a status of overload, for 30 seconds to 10 minutes, and until Retry-After. Then a single
 * attempt decides.
 */
export function healthAfterFailure(
  { failures, failingSince }: EndpointHealth,
  { startedAt, statusCode, retryAt }: AttemptResult,
  now: Date,
) {
  const since = failingSince ?? startedAt;
  const pauses = failures + 1 - failuresToOpen;
  const opens = pauses >= 0 || overloadStatuses.includes(statusCode);
  const pauseMs = opens ? Math.min(maxPauseMs, firstPauseMs * 2 ** Math.max(0, pauses)) : 0;
  const openUntil = Math.max(pauseMs && now.getTime() + withJitter(pauseMs, jitterShare), retryAt?.getTime() ?? 0);
  return {
    failures: failures + 1,
    failingSince: since,
    openUntil: openUntil === 0 ? null : new Date(openUntil),
    disabledReason: disabledReasonOf(statusCode, now.getTime() - since.getTime()),
  };
}

function disabledReasonOf(statusCode: number | null, failingMs: number): 'status-410' | 'failures' | null {
  if (statusCode === 410) return 'status-410';
  return failingMs >= disableAfterMs ? 'failures' : null;
}
