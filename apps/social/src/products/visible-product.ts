/** What catalog publishes of its products, and who may see one: everybody, or its owner alone. A deleted one has no row. */
export const visibleProduct = (p: string, viewerId: string): string => `(${p}.listed or ${p}.user_id = ${viewerId})`;
