import { type CatalogSnapshot } from '../items/item.cache.js';
import { type RunningSales } from '../sales/sale.rules.js';

/** What the JSON of a product depends on beside its row: the items, and the sales of one moment. */
export interface ProductContext {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
}

/** Whether products have the same JSON with both. */
export const isSameContext = (one: ProductContext, other: ProductContext): boolean =>
  one.catalog === other.catalog && one.sales === other.sales;
