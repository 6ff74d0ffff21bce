import { type CatalogSnapshot } from '../items/item.cache.js';
import { type RunningSales } from '../sales/sale.rules.js';

/** Snapshots of items and running sales that the JSON of a product depends on. */
export interface ProductContext {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
}

/** Returns true if both contexts have the same snapshots, with which a row has the same JSON. */
export const isSameContext = (one: ProductContext, other: ProductContext): boolean =>
  one.catalog === other.catalog && one.sales === other.sales;
