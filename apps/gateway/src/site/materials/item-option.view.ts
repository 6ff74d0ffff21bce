import type { ItemDetail, ItemNames, Language } from '#contracts';
import { priceText } from '../shop/price.view.js';

/** An item to create a product of. */
interface ItemOption {
  readonly id: number;
  readonly name: string;
  /** Lowest price with tax, without a margin. */
  readonly price: string;
}

/** Returns the items to create products of. Omits embroidery items, which have no images. */
export const itemOptionsOf = (items: readonly ItemDetail[], names: ItemNames, language: Language): ItemOption[] =>
  items
    .filter(({ isEmbroidery }) => !isEmbroidery)
    .map(({ id, name, humanizeName, minPriceWithTax }) => ({
      id,
      name: names.items[name] ?? humanizeName,
      price: priceText(minPriceWithTax, language),
    }));
