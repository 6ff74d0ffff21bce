import { problems } from '#contracts';
import { DomainError } from '#kernel';

/**
 * Returns the error for a missing product and for a product that is hidden from the viewer: a
 * client must not be able to distinguish the two.
 */
export const productNotFound = (productId: number): DomainError =>
  new DomainError(problems['product.not-found'], `Product ${productId} does not exist.`);

/** Returns the error for a visible product of another user. */
export const productNotOwned = (productId: number): DomainError =>
  new DomainError(problems['product.not-owned'], `Product ${productId} belongs to another user.`);

/** Returns the same error for a request by page URL, which contains no product id. */
export const unknownProduct = (): DomainError =>
  new DomainError(problems['product.not-found'], 'The product does not exist.');
