import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const favoriteNotFound = (productId: number): DomainError =>
  new DomainError(problems['favorite.not-found'], `You have no favorite on product ${productId}.`);

/** The built-in anonymous user is nobody whose favorites could be listed. */
export const userNotFound = (userId: number): DomainError =>
  new DomainError(problems['user.not-found'], `There is no user ${userId}.`);

/** Nothing was written. */
export const tooManyFavorites = (): DomainError =>
  new DomainError(problems['service.overloaded'], 'Too many favorites of this product are waiting.', undefined, {
    'retry-after': '1',
  });
