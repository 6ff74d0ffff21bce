import {
  type Language,
  type PrintWarning,
  type PrintWarningCode,
  printWarningCodes,
  type ResizeMode,
} from '#contracts';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork, type ProductPrint, usualResizeMode } from '../products/product.rules.js';
import { croppedOf, dpiOf, type LaidArtwork, upscalingOf } from './laid-artwork.rules.js';
import { sharpDpi, warningTexts } from './print-warning.texts.js';

/** A product as far as its prints go. */
interface PrintedProduct {
  readonly item: CatalogItem;
  readonly resizeMode: ResizeMode | null;
  readonly prints: readonly ProductPrint[];
}

/** What may be cut off of the width or height unnoticed: areas in whole pixels have not quite the shape of the print. */
const sliver = 0.01;

const applies = {
  'low-resolution': (laid) => dpiOf(laid) < sharpDpi,
  upscaled: (laid) => upscalingOf(laid) > 1,
  'fully-transparent': ({ artwork }) => artwork.dominantRgb === null,
  cropped: (laid) => {
    const { width, height } = croppedOf(laid);
    return Math.max(width, height) > sliver;
  },
} as const satisfies Record<PrintWarningCode, (laid: LaidArtwork) => boolean>;

/** What may disappoint about an image that is laid so. Nobody misses pixels of one that is not seen at all. */
export function warningCodes(laid: LaidArtwork): PrintWarningCode[] {
  const codes = printWarningCodes.filter((code) => applies[code](laid));
  return codes.includes('fully-transparent') ? ['fully-transparent'] : codes;
}

/**
 * What may disappoint about the prints of a material's products, in their order: one warning per product, printed place
 * and code.
 *
 * @param artwork the material's own, which the default place of each item carries
 */
export function printWarnings(
  artwork: Artwork,
  products: readonly PrintedProduct[],
  language: Language,
): PrintWarning[] {
  return products.flatMap((product) =>
    sidesOf(artwork, product).flatMap(({ place, ...laid }) => {
      const print = { ...laid, place: placeName(product.item, place, language) };
      return warningCodes(laid).map((code) => ({
        itemId: product.item.id,
        printPlace: place,
        code,
        message: warningTexts[language][code](print),
      }));
    }),
  );
}

/** As the renderer lays them: the default place carries the material, unless it has an image of its own. */
function sidesOf(artwork: Artwork, { item, resizeMode, prints }: PrintedProduct) {
  const mode = resizeMode ?? usualResizeMode(item);
  const own = prints.filter(({ enabled }) => enabled);
  const isReplaced = own.some(({ place }) => place === item.defaultPrintPlace);
  const sides = isReplaced ? own : [{ place: item.defaultPrintPlace, artwork }, ...own];
  return sides.flatMap(({ place, artwork: its }) => {
    const area = item.printAreas[place];
    // A print of before artworks were kept, or a place that the item has lost: nobody can say
    return its && area ? [{ place, artwork: its, area, mode }] : [];
  });
}

const placeName = ({ printPlaceDisplayNames }: CatalogItem, place: string, language: Language): string =>
  language === 'ja' ? (printPlaceDisplayNames[place] ?? place) : place;
