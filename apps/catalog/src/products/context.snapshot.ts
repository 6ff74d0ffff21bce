import { type CatalogSnapshot } from '../items/item.cache.js';
import { type RunningSales } from '../sales/sale.rules.js';

/** Context of a product's JSON beside its row: the items, and the sales of one moment. */
export interface ProductContext {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
}

/** Returns true if products have the same JSON with both. */
export const isSameContext = (one: ProductContext, other: ProductContext): boolean =>
  one.catalog === other.catalog && one.sales === other.sales;
