import { userExists, userNotDeleted } from '#persistence';

const listedOrOwn = (p: string, viewerId: string): string => `(${p}.listed or ${p}.user_id = ${viewerId})`;

/**
 * Returns the condition under which `viewerId` sees a row of `catalog.products`: the product is
 * listed or the viewer's own. A deleted product has no row; a product of a deleted user is hidden
 * before its row is deleted.
 */
export const visibleProduct = (p: string, viewerId: string): string =>
  `${listedOrOwn(p, viewerId)} and ${userExists(`${p}.user_id`)}`;

/**
 * Returns the same condition as `visibleProduct`, without a lookup of the owner for each product.
 * For counting the products of each choice of a page.
 */
export const countedProduct = (p: string, viewerId: string): string =>
  `${listedOrOwn(p, viewerId)} and ${userNotDeleted(`${p}.user_id`)}`;
