import { type CatalogSnapshot } from '../items/item-catalog.js';
import { type RunningSales } from '../sales/sale.rules.js';

/** What a product is shown with: the items, and the sales of one moment. */
export interface Shop {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
}

/** Whether all that is shown with one is as with the other. */
export const isSameShop = (one: Shop, other: Shop): boolean =>
  one.catalog === other.catalog && one.sales === other.sales;
