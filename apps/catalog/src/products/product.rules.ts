import { type StoredPlacement, type Texture } from '#contracts';
import { type CatalogItem, type CatalogVariant } from '../items/catalog.snapshot.js';

/**
 * Properties of an image that affect its print: size, visibility (`dominantRgb` is null for a fully
 * transparent image), and whether only its first frame is printed.
 */
export type Artwork = Pick<Texture, 'width' | 'height' | 'dominantRgb' | 'animated'>;

/** Returns the properties of a texture that affect its print. */
export const artworkOf = ({ width, height, dominantRgb, animated }: Artwork): Artwork => ({
  width,
  height,
  dominantRgb,
  ...(animated === true && { animated }),
});

/**
 * A print place of a product with a separate image, as sent in `sub_materials` and stored with the
 * product.
 */
export interface ProductPrint {
  readonly place: string;
  readonly textureHash: string;
  readonly enabled: boolean;
  /** Missing in products that were created before artworks were stored. */
  readonly artwork?: Artwork;
  /** Missing = as fitted by the resize mode. */
  readonly placement?: StoredPlacement;
}

/** Returns the title of a product: the title of the material and the display name of the item. */
export const productTitle = (materialTitle: string, item: CatalogItem): string =>
  `${materialTitle} ${item.humanizeName}`;

/**
 * Returns the printed places of a product: the item's default place and those of enabled
 * sub-materials.
 */
export const printedPlaces = (item: CatalogItem, prints: readonly ProductPrint[]): string[] => [
  ...new Set([item.defaultPrintPlace, ...prints.filter(({ enabled }) => enabled).map(({ place }) => place)]),
];

/**
 * Returns the price of a product without tax, in whole units: variant + margin + every printed
 * place (docs/decisions.md, "Price").
 *
 * @param places printed places; places that the variant does not have cost nothing
 */
export function productPrice(variant: CatalogVariant, margin: number, places: readonly string[]): number {
  const printingPrice = variant.printPlaces
    .filter(({ place }) => places.includes(place))
    .reduce((sum, { price }) => sum + price, 0);
  return variant.price + margin + printingPrice;
}
