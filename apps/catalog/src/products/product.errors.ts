import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Returns the error of a missing product and of one that is hidden from the viewer, which must be
 * indistinguishable.
 */
export const productNotFound = (productId: number): DomainError =>
  new DomainError(problems['product.not-found'], `Product ${productId} does not exist.`);

/** Returns the same error for a request without a product id. */
export const unknownProduct = (): DomainError =>
  new DomainError(problems['product.not-found'], 'The product does not exist.');
