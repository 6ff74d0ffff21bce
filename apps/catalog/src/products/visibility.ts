/** Who may see a product, as conditions of statements; the viewer is bound as this parameter. */

/** A row of `products p` that everybody may see, or the viewer as its owner. */
export const visibleTo = (viewer: number): string => `(p.listed or p.user_id = $${viewer})`;

/** The viewer's own `products` that others may not see. */
export const draftsOf = (viewer: number): string => `not listed and user_id = $${viewer}`;
