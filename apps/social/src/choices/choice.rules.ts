import type { ProductVariant } from '#contracts';

/** Fields of a choice that can change, except for its entries. */
const fieldNames = ['title', 'description', 'bannerUrl', 'secret'] as const;
type FieldName = (typeof fieldNames)[number];

/** Returns the names of the requested fields whose value differs from the stored one. */
export const changedFields = (
  stored: { readonly [Name in FieldName]: unknown },
  requested: { readonly [Name in FieldName]?: unknown },
): FieldName[] => fieldNames.filter((name) => requested[name] !== undefined && requested[name] !== stored[name]);

const key = ({ productId, itemVariantId }: ProductVariant): string => `${productId} ${itemVariantId}`;

/** Returns whether the entries are equal and in the same order. Repeated entries count once. */
export const sameEntries = (stored: readonly ProductVariant[], requested: readonly ProductVariant[]): boolean =>
  stored.map(key).join() === [...new Set(requested.map(key))].join();
