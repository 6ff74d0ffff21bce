import { userExists, userNotDeleted } from '#persistence';

const listedOrOwn = (p: string, viewerId: string): string => `(${p}.listed or ${p}.user_id = ${viewerId})`;

/**
 * Products as catalog publishes them. One is visible to everybody, or to its owner alone. A deleted one has no row; one
 * of a deleted user is hidden before its row is deleted.
 */
export const visibleProduct = (p: string, viewerId: string): string =>
  `${listedOrOwn(p, viewerId)} and ${userExists(`${p}.user_id`)}`;

/** The same where the products of each row of a page are counted: without a look-up for each product. */
export const countedProduct = (p: string, viewerId: string): string =>
  `${listedOrOwn(p, viewerId)} and ${userNotDeleted(`${p}.user_id`)}`;
