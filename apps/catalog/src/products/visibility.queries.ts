/** Who may see a product, as conditions of statements; the viewer is bound as this parameter. */

/** A row of `products p` that everybody may see, or the viewer as its owner. */
export const visibleTo = (viewer: number): string => `(p.listed or p.user_id = $${viewer})`;

/** A user's own `products` that others may not see. @param user a piece of the statement, `$2` for a parameter */
export const draftsOf = (user: string): string => `not listed and user_id = ${user}`;
