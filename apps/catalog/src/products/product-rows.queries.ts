import { materialColumns } from '../materials/material-rows.queries.js';

/** Columns of a `ProductRow`, from `products p` joined with the tables of `materialColumns`. */
export const productColumns = `
  p.id, p.listed, p.item_id as "itemId", p.exemplary_variant_id as "variantId", p.published, p.published_at as "publishedAt",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.resize_mode as "resizeMode", p.placement, p.prints,
  p.image_revision as "imageRevision", ${materialColumns}`;

/** A product with the hash of its row, which is the same until a column of `ProductRow` changes. */
export interface VersionedProduct {
  readonly id: number;
  readonly rowVersion: string;
}

/** Returns a statement of the products that fulfil a condition, with the hashes of their rows. */
export const versionedProducts = (condition: string): string => `
  select row.*, hash_record_extended(row, 0)::text as "rowVersion"
  from (
    select ${productColumns}
    from products p join materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id
    where ${condition}
  ) row`;
