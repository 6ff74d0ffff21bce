import { type ResizeMode, type Texture } from '#contracts';
import { type CatalogItem, type CatalogVariant } from '../items/catalog.snapshot.js';

/** What of an image decides how it prints: its pixels, and whether anything is visible (`dominantRgb` is not null). */
export type Artwork = Pick<Texture, 'width' | 'height' | 'dominantRgb'>;

/** A side of a product with an image of its own, as sent in `sub_materials` and stored with the product. */
export interface ProductPrint {
  readonly place: string;
  readonly textureHash: string;
  readonly enabled: boolean;
  /** Absent when the product was made before it was kept. */
  readonly artwork?: Artwork;
}

/** The title of a product: the material's and the display name of the item. */
export const productTitle = (materialTitle: string, item: CatalogItem): string =>
  `${materialTitle} ${item.humanizeName}`;

/** Where a product is printed: the item's default place carries the material, enabled sub-materials add theirs. */
export const printedPlaces = (item: CatalogItem, prints: readonly ProductPrint[]): string[] => [
  ...new Set([item.defaultPrintPlace, ...prints.filter(({ enabled }) => enabled).map(({ place }) => place)]),
];

/**
 * The price of a product without tax, in whole units: variant + margin + every printed place (docs/decisions.md, "Price").
 *
 * @param places printed places; one that the variant does not have costs nothing
 */
export function productPrice(variant: CatalogVariant, margin: number, places: readonly string[]): number {
  const printing = variant.printPlaces
    .filter(({ place }) => places.includes(place))
    .reduce((sum, { price }) => sum + price, 0);
  return variant.price + margin + printing;
}

/**
 * How an image is laid in when nobody said it: filling the area only where an item may be filled at all, whole
 * everywhere else. Nothing is cut off that a creator could not have asked to be cut off.
 */
export const usualResizeMode = ({ resizeModes }: Pick<CatalogItem, 'resizeModes'>): ResizeMode =>
  resizeModes.includes('cover') ? 'cover' : 'contain';
