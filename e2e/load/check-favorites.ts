import type { UserFavorite } from '#contracts';
import type { Api } from './api.js';
import type { FavoriteRecord, Ledger, LoadUser } from './load.js';
import type { Notes } from './notes.js';

/** Returns the ids of the products of materials in one of the states of deletion. */
const productsOfDeleted = ({ materials }: Ledger, states: readonly (true | 'unknown')[]): Set<number> =>
  new Set(
    [...materials.values()].flatMap(({ deleted, products }) =>
      deleted !== false && states.includes(deleted) ? products.map(({ id }) => id) : [],
    ),
  );

/** Returns the ids of products that were certainly deleted. */
export const deletedProducts = (ledger: Ledger): Set<number> => productsOfDeleted(ledger, [true]);

/** Returns the favorites of products that certainly exist. */
export function existingFavorites(ledger: Ledger): FavoriteRecord[] {
  const uncertain = productsOfDeleted(ledger, [true, 'unknown']);
  return [...ledger.favorites.values()].filter(({ productId }) => !uncertain.has(productId));
}

/** Checks the favorites of a user as the API lists them. */
export async function checkFavorites(
  api: Api,
  existing: readonly FavoriteRecord[],
  user: LoadUser,
  notes: Notes,
): Promise<void> {
  const listed = await api.all<UserFavorite>(`/api/v1/users/${user.id}/favorites`, 'favorites', user);
  const counts = new Map(listed.map(({ product, count }) => [product.id, count]));
  if (counts.size < listed.length) notes.duplicated(`user ${user.id} has two favorites of one product`);
  for (const { userId, productId, counts: allowed } of existing) {
    if (userId !== user.id) continue;
    const count = counts.get(productId) ?? 0;
    counts.delete(productId);
    if (allowed.has(count)) continue;
    const sentence = `the favorite of user ${userId} on product ${productId} must count ${[...allowed].join(' or ')} and counts ${count}`;
    if (count > Math.max(...allowed)) notes.duplicated(sentence);
    else notes.lost(sentence);
  }
  for (const [productId, count] of counts)
    notes.duplicated(`user ${user.id} has a favorite of product ${productId}, ${count} times, that was never placed`);
}
