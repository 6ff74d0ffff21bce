import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Why a request was refused in the caller's own process, certainly not executed: `rq_client_rejected_total{reason}`. */
export const refusals = {
  full: ['service.overloaded', 'Too many requests wait already.'],
  inflight: ['service.overloaded', 'Too many requests are open already.'],
  down: ['service.unavailable', 'The request queue cannot be reached.'],
  nolive: ['service.unavailable', 'No replica is up.'],
} as const;

export type Refusal = keyof typeof refusals;

/** The error for a refusal (503), or for a request whose outcome is unknown: it may have been executed (504). */
export function failureOf(service: string, failure: Refusal | 'timeout' | 'aborted'): DomainError {
  if (failure === 'timeout' || failure === 'aborted') {
    return new DomainError(problems['service.no-answer'], `${service}: No answer before the deadline.`);
  }
  const [code, text] = refusals[failure];
  return new DomainError(problems[code], `${service}: ${text}`, undefined, { 'Retry-After': '1' });
}
