import { type CatalogSnapshot } from '../items/item-catalog.js';
import { type RunningSales } from '../sales/sale.js';

/** What a product is shown with: the items, and the sales of one moment. */
export interface Shop {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
}
