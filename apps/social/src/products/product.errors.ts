import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

/**
 * Error for a missing product and for a product that the viewer may not see: a client must not be
 * able to distinguish the two.
 */
export const productNotFound = (productId: number, errors?: readonly FieldError[]): DomainError =>
  new DomainError(problems['product.not-found'], `Product ${productId} does not exist.`, errors);
