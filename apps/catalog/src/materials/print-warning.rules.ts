import {
  defaultResizeMode,
  type Language,
  type PrintWarning,
  type PrintWarningCode,
  printWarningCodes,
  type ResizeMode,
} from '#contracts';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork, type ProductPrint } from '../products/product.rules.js';
import { croppedShare, dpiOf, type ArtworkLayout, upscalingFactor } from './artwork-layout.rules.js';
import { sharpDpi, warningTexts } from './print-warning.texts.js';

/** Fields of a product that its prints depend on. */
interface PrintedProduct {
  readonly item: CatalogItem;
  readonly resizeMode: ResizeMode | null;
  readonly prints: readonly ProductPrint[];
}

/**
 * Share of the width or height that may be cropped without a warning: an image of the recommended
 * size has whole pixels, so its aspect ratio differs slightly from that of the print.
 */
const maxUnnoticedCrop = 0.01;

const hasWarning = {
  'low-resolution': (layout) => dpiOf(layout) < sharpDpi,
  upscaled: (layout) => upscalingFactor(layout) > 1,
  'fully-transparent': ({ artwork }) => artwork.dominantRgb === null,
  cropped: (layout) => {
    const { width, height } = croppedShare(layout);
    return Math.max(width, height) > maxUnnoticedCrop;
  },
} as const satisfies Record<PrintWarningCode, (layout: ArtworkLayout) => boolean>;

/**
 * Returns the codes of the warnings for an image in a print area. A fully transparent image has no
 * other warnings.
 */
export function findWarningCodes(layout: ArtworkLayout): PrintWarningCode[] {
  const codes = printWarningCodes.filter((code) => hasWarning[code](layout));
  return codes.includes('fully-transparent') ? ['fully-transparent'] : codes;
}

/**
 * Returns the warnings for a material's products, in the order of the products: one per product,
 * printed place and code.
 *
 * @param artwork the material's image, printed on the default place of each item
 */
export function printWarnings(
  artwork: Artwork,
  products: readonly PrintedProduct[],
  language: Language,
): PrintWarning[] {
  return products.flatMap((product) =>
    printedSides(artwork, product).flatMap(({ place, ...layout }) => {
      const print = { ...layout, place: placeName(product.item, place, language) };
      return findWarningCodes(layout).map((code) => ({
        itemId: product.item.id,
        printPlace: place,
        code,
        message: warningTexts[language][code](print),
      }));
    }),
  );
}

/**
 * Returns the image and area of each printed place, as material-rendering renders the product: the
 * enabled prints, and the material's image on the default place unless an enabled print replaces
 * it.
 */
function printedSides(artwork: Artwork, { item, resizeMode, prints }: PrintedProduct) {
  const mode = resizeMode ?? defaultResizeMode(item);
  const ownSides = prints.filter(({ enabled }) => enabled);
  const isReplaced = ownSides.some(({ place }) => place === item.defaultPrintPlace);
  const sides = isReplaced ? ownSides : [{ place: item.defaultPrintPlace, artwork }, ...ownSides];
  return sides.flatMap(({ place, artwork: its }) => {
    const area = item.printAreas[place];
    // No warnings for a print that was stored by a version without artwork, or on a place that was
    // removed from the item
    return its && area ? [{ place, artwork: its, area, mode }] : [];
  });
}

const placeName = ({ printPlaceDisplayNames }: CatalogItem, place: string, language: Language): string =>
  language === 'ja' ? (printPlaceDisplayNames[place] ?? place) : place;
