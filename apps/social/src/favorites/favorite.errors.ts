import { problems } from '#contracts';
import { DomainError } from '#kernel';

export const favoriteNotFound = (productId: number): DomainError =>
  new DomainError(problems['favorite.not-found'], `You have no favorite on product ${productId}.`);

/**
 * Error for a missing user, and for the built-in anonymous user, whose favorites cannot be listed.
 */
export const userNotFound = (userId: number): DomainError =>
  new DomainError(problems['user.not-found'], `User ${userId} does not exist.`);

/** Error for a rejected write, which has changed nothing. */
export const tooManyFavorites = (): DomainError =>
  new DomainError(problems['service.overloaded'], 'Too many favorites of this product are waiting.', undefined, {
    'retry-after': '1',
  });

/** Returns whether the service caused an error rather than the favorite. */
export const isOutage = (error: unknown): error is DomainError => error instanceof DomainError && error.status >= 500;
