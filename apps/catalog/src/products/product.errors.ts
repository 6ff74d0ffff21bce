import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** There is no such product, or none that this viewer may see: the answer is the same. */
export const productNotFound = (productId: number): DomainError =>
  new DomainError(problems['product.not-found'], `There is no product ${productId}.`);

/** As above, where no id is known. */
export const noSuchProduct = (): DomainError =>
  new DomainError(problems['product.not-found'], 'There is no such product.');
