import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** @param of what there are too many requests of: `image` */
export function overloaded(of: string): DomainError {
  const detail = `too many ${of} requests at once; try again in a moment`;
  return new DomainError(problems['service.overloaded'], detail, undefined, { 'Retry-After': '1' });
}
