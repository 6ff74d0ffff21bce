/**
 * Condition of the rows of `products p` that a viewer may see: public ones, and all of the viewer's
 * own.
 *
 * @param viewer number of the SQL parameter with the viewer's id
 */
export const visibleTo = (viewer: number): string => `(p.listed or p.user_id = $${viewer})`;

/**
 * Condition of the `products` of a user that others may not see.
 *
 * @param user SQL expression of the user id, for example `$2`
 */
export const draftsOf = (user: string): string => `not listed and user_id = ${user}`;
