import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Reasons to reject a request in the caller's process. It was not executed: `rq_client_rejected_total{reason}`. */
export const rejections = {
  full: ['service.overloaded', 'Too many requests wait already.'],
  inflight: ['service.overloaded', 'Too many requests are open already.'],
  down: ['service.unavailable', 'The request queue cannot be reached.'],
  nolive: ['service.unavailable', 'No replica is up.'],
} as const;

export type Rejection = keyof typeof rejections;

/** Returns the error for a rejection (503), or for a request of unknown outcome, which may have been executed (504). */
export function failureOf(service: string, failure: Rejection | 'timeout' | 'aborted'): DomainError {
  if (failure === 'timeout' || failure === 'aborted') {
    return new DomainError(problems['service.no-answer'], `${service}: No answer before the deadline.`);
  }
  const [code, text] = rejections[failure];
  return new DomainError(problems[code], `${service}: ${text}`, undefined, { 'Retry-After': '1' });
}
