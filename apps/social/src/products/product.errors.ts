import { problems } from '#contracts';
import { DomainError, type FieldError } from '#kernel';

/** There is no such product, or none that this viewer may see: the answer is the same. */
export const productNotFound = (productId: number, errors?: readonly FieldError[]): DomainError =>
  new DomainError(problems['product.not-found'], `There is no product ${productId}.`, errors);
