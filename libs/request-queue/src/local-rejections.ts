import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Reasons to reject a request in the caller's process, unexecuted:
 * `rq_client_rejected_total{reason}`.
 */
export const rejections = {
  full: ['service.overloaded', 'Too many requests are waiting.'],
  inflight: ['service.overloaded', 'Too many requests are open.'],
  down: ['service.unavailable', 'The request queue is not reachable.'],
  nolive: ['service.unavailable', 'No replica is up.'],
} as const;

export type Rejection = keyof typeof rejections;

/** Returns the error of a rejection (503) or of a request that may have been executed (504). */
export function failureOf(service: string, failure: Rejection | 'timeout' | 'aborted'): DomainError {
  if (failure === 'timeout' || failure === 'aborted') {
    return new DomainError(problems['service.no-answer'], `${service}: No reply before the deadline.`);
  }
  const [code, text] = rejections[failure];
  return new DomainError(problems[code], `${service}: ${text}`, undefined, { 'Retry-After': '1' });
}
