import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** @param kind of the requests, such as `image` */
export function overloaded(kind: string): DomainError {
  const detail = `too many concurrent ${kind} requests; try again in a moment`;
  return new DomainError(problems['service.overloaded'], detail, undefined, { 'Retry-After': '1' });
}
