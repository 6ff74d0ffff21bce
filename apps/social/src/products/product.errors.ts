import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

/**
 * Error for a missing product and for one that the viewer may not see, which are not distinguished.
 */
export const productNotFound = (productId: number, errors?: readonly FieldError[]): DomainError =>
  new DomainError(problems['product.not-found'], `Product ${productId} does not exist.`, errors);
