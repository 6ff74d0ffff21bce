import {
  effectiveResizeMode,
  type Language,
  type PrintWarning,
  printTechniques,
  type PrintWarningCode,
  printWarningCodes,
  type ResizeMode,
  type StoredPlacement,
} from '#contracts';
import { placeArtwork } from '#placement';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type Artwork, type ProductPrint } from '../products/product.rules.js';
import { croppedShare, dpiOf, type ArtworkLayout } from './artwork-layout.rules.js';
import { warningTexts } from './print-warning.texts.js';

/** Fields of a product that its prints depend on. */
interface PrintedProduct {
  readonly item: CatalogItem;
  readonly resizeMode: ResizeMode | null;
  /** Position of the material's image; null = as fitted. */
  readonly placement: StoredPlacement | null;
  readonly prints: readonly ProductPrint[];
}

/**
 * Share of an image that may be cropped without a warning: an image of the recommended size has
 * whole pixels, so its aspect ratio differs slightly from that of the print.
 */
const maxUnnoticedCrop = 0.01;

/** Resolution for items that were loaded by a version without techniques: that of clothes. */
const defaultMinDpi = printTechniques['direct-to-garment'].minDpi;

const hasWarning = {
  'fully-transparent': ({ artwork }) => artwork.dominantRgb === null,
  'first-frame': ({ artwork }) => artwork.animated === true,
  // Equal within the rounding of the matrix
  'low-resolution': (layout) => dpiOf(layout) < layout.minDpi * (1 - 1e-9),
  cropped: (layout) => croppedShare(layout) > maxUnnoticedCrop,
} as const satisfies Record<PrintWarningCode, (layout: ArtworkLayout) => boolean>;

/** Returns the code of the most serious warning for an image in a print area. */
export const findWarningCode = (layout: ArtworkLayout): PrintWarningCode | undefined =>
  printWarningCodes.find((code) => hasWarning[code](layout));

/**
 * Returns the warnings for a material's products, in the order of the products: at most one per
 * product and printed place.
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
      const code = findWarningCode(layout);
      if (code === undefined) return [];
      return [{ itemId: product.item.id, printPlace: place, code, message: warningTexts[language][code](print) }];
    }),
  );
}

/**
 * Returns the image and area of each printed place, as material-rendering renders the product: the
 * enabled prints, and the material's image on the default place unless an enabled print replaces
 * it.
 */
function printedSides(artwork: Artwork, { item, resizeMode, placement, prints }: PrintedProduct) {
  const mode = effectiveResizeMode(item, resizeMode);
  const ownSides = prints.filter(({ enabled }) => enabled);
  const isReplaced = ownSides.some(({ place }) => place === item.defaultPrintPlace);
  const sides = isReplaced ? ownSides : [{ place: item.defaultPrintPlace, artwork, placement }, ...ownSides];
  return sides.flatMap(({ place, artwork: its, placement: stored }) => {
    const area = item.printAreas[place];
    // No warnings for a print that was stored by a version without artwork, or on a place that was
    // removed from the item
    if (!its || !area) return [];
    const printing = item.printing[place];
    return [
      {
        place,
        artwork: its,
        area,
        placed: stored ?? placeArtwork({ artwork: its, area: area.millimetres, mode }),
        minDpi: printing ? printTechniques[printing.technique].minDpi : defaultMinDpi,
      },
    ];
  });
}

/** Returns the name of a print place in a language. */
export const placeName = ({ printPlaceDisplayNames }: CatalogItem, place: string, language: Language): string =>
  language === 'ja' ? (printPlaceDisplayNames[place] ?? place) : place;
