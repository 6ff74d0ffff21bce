import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const imageNotFound = (): DomainError =>
  new DomainError(problems['picture.not-found'], 'No image exists at this URL.');

/**
 * Returns the 503 of an image that is not rendered yet, with `Retry-After`. After a timeout of the
 * service (504) rendering continues.
 */
export function notRenderedYet({ kind, status }: DomainError): DomainError {
  const problem = status === 504 ? problems['service.overloaded'] : kind;
  const headers = { 'retry-after': '2' };
  return new DomainError(problem, 'The image is not rendered yet; retry later.', undefined, headers);
}
