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
  /** Time for which the endpoint requests no other attempt; 0 without a request. */
  readonly retryAfterMs: number;
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

const after = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

/**
 * Returns the time of the next attempt after a failure: the next one of the schedule, or that of
 * Retry-After if it is later. Null after the last attempt.
 *
 * @param previousAttempts attempts of the schedule before the failed one
 * @param now by the clock of the database, which decides when the attempt is due
 */
export function nextAttemptAt(previousAttempts: number, retryAfterMs: number, now: Date): Date | null {
  const delayMs = retryDelaysMs[previousAttempts];
  return delayMs === undefined ? null : after(now, Math.max(withJitter(delayMs, jitterShare), retryAfterMs));
}

/**
 * Parses a Retry-After header, in seconds or as a date, into milliseconds, at most 24 hours. 0 for
 * a missing or invalid header.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * second : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) || ms <= 0 ? 0 : Math.min(ms, maxRetryAfterMs);
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
  readonly openUntil: Date | null;
}

/**
 * Returns the health of an endpoint after a failure. The circuit breaker opens after five failures
 * or a status of overload, for 30 seconds to 10 minutes, and until Retry-After. Then a single
 * attempt decides. Attempts that were in progress when the breaker opened do not prolong its pause.
 *
 * @param now by the clock of the database
 */
export function healthAfterFailure(
  { failures: before, failingSince, openUntil: opened }: EndpointHealth,
  { statusCode, retryAfterMs }: AttemptResult,
  now: Date,
) {
  const since = failingSince ?? now;
  const openMs = Math.max(0, (opened?.getTime() ?? 0) - now.getTime());
  const failures = openMs > 0 ? before : before + 1;
  const pauses = failures - failuresToOpen;
  const opens = openMs === 0 && (pauses >= 0 || overloadStatuses.includes(statusCode));
  const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.max(0, pauses));
  const closedAfterMs = Math.max(opens ? withJitter(pauseMs, jitterShare) : openMs, retryAfterMs);
  return {
    failures,
    failingSince: since,
    openUntil: closedAfterMs === 0 ? null : after(now, closedAfterMs),
    disabledReason: disabledReasonOf(statusCode, now.getTime() - since.getTime()),
  };
}

function disabledReasonOf(statusCode: number | null, failingMs: number): 'status-410' | 'failures' | null {
  if (statusCode === 410) return 'status-410';
  return failingMs >= disableAfterMs ? 'failures' : null;
}

/** Returns the host of a URL; the URL itself if this version of Node.js cannot parse it. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
