import type { ItemDetail, ItemNames, Language, PrintArea } from '#contracts';
import { priceText } from '../shop/price.view.js';

/** An item to create a product of. */
interface ItemOption {
  readonly id: number;
  readonly name: string;
  /** Price with tax of a new product, which has the exemplary variant, without a margin. */
  readonly price: string;
  /** Size in pixels of the print area of the image. */
  readonly pixels: string;
}

/** Returns the items to create products of. Omits embroidery items, which have no images. */
export const itemOptionsOf = (items: readonly ItemDetail[], names: ItemNames, language: Language): ItemOption[] =>
  items
    .filter(({ isEmbroidery }) => !isEmbroidery)
    .map(({ id, name, humanizeName, variants, printAreas, defaultPrintPlace }) => ({
      id,
      name: names.items[name] ?? humanizeName,
      price: priceText(variants.find(({ exemplary }) => exemplary)!.priceWithTax, language),
      pixels: sizeText(printAreas[defaultPrintPlace]!.pixels, language),
    }));

// With spaces that do not break
const sizeText = ({ width, height }: PrintArea['pixels'], language: Language): string =>
  `${width.toLocaleString(language)}\u00a0×\u00a0${height.toLocaleString(language)}\u00a0px`;
