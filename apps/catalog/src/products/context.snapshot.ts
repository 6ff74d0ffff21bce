import { type Language } from '#contracts';
import { type CatalogSnapshot } from '../items/item.cache.js';
import { type RunningSales } from '../sales/sale.rules.js';

/** Everything that the JSON of a product depends on, except its row. */
export interface ProductContext {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
  readonly nameLanguage: Language;
}

/** Returns true if both contexts have the same snapshots. Keys of caches contain the language. */
export const isSameContext = (one: ProductContext, other: ProductContext): boolean =>
  one.catalog === other.catalog && one.sales === other.sales;
