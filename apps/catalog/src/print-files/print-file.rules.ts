import {
  defaultResizeMode,
  type PayloadOf,
  type PlacedArtwork,
  type PrintFileFormat,
  type PrintOrder,
  problems,
  type ResizeMode,
  type Services,
  type StoredPlacement,
} from '#contracts';
import { placeArtwork } from '#placement';
import { type CatalogItem, type CatalogSnapshot, type CatalogVariant } from '../items/catalog.snapshot.js';
import { printWarnings } from '../materials/print-warning.rules.js';
import { type Artwork, type ProductPrint, productTitle } from '../products/product.rules.js';
import { ValidationErrors } from '../products/validation-errors.rules.js';

export type PrintFilesRequest = PayloadOf<Services['catalog'], 'print-files.create'>;

/** What to print of a product. Default: all. */
export type PrintSelection = Pick<PrintFilesRequest, 'format' | 'places' | 'variantId'>;

/** Row of a product with everything that its print files are made from. */
export interface PrintedProduct {
  readonly id: number;
  readonly userId: number;
  readonly materialId: number;
  readonly materialTitle: string;
  readonly textureHash: string;
  readonly artwork: Artwork;
  readonly itemId: number;
  readonly variantId: number;
  readonly resizeMode: ResizeMode | null;
  readonly placement: StoredPlacement | null;
  readonly prints: readonly ProductPrint[];
  readonly updatedAt: Date;
}

interface Side {
  readonly place: string;
  readonly textureHash: string;
  readonly artwork: Artwork;
  readonly placement: StoredPlacement | null;
}

/**
 * Returns the printed sides of a product: those of its enabled prints, and of the material's image
 * on the default place unless a print replaces it.
 */
function sidesOf(
  { textureHash, artwork, placement, prints }: PrintedProduct,
  { defaultPrintPlace }: CatalogItem,
): Side[] {
  const own = prints.filter(({ enabled }) => enabled);
  const sides = own.flatMap((print) =>
    print.artwork ? [{ ...print, artwork: print.artwork, placement: print.placement ?? null }] : [],
  );
  const isReplaced = own.some(({ place }) => place === defaultPrintPlace);
  return isReplaced ? sides : [{ place: defaultPrintPlace, textureHash, artwork, placement }, ...sides];
}

/** Returns the places of the sides of a product, also those that its item no longer has. */
export const printedPlacesOf = ({ prints }: PrintedProduct, { defaultPrintPlace }: CatalogItem): string[] => [
  ...new Set([defaultPrintPlace, ...prints.filter(({ enabled }) => enabled).map(({ place }) => place)]),
];

/** Returns the wanted places that an order lacks, because the item no longer has them. */
export const missingPlacesOf = (order: PrintOrder, wanted: readonly string[]): string[] =>
  wanted.filter((place) => !order.places.some((printed) => printed.place === place));

/**
 * Returns the order of the print files of a product.
 *
 * @throws DomainError 422 with a path for each unknown variant and place
 */
export function printOrderOf(product: PrintedProduct, catalog: CatalogSnapshot, request: PrintSelection): PrintOrder {
  const errors = new ValidationErrors();
  const item = catalog.item(product.itemId)!;
  const variant = variantOf(product, item, request, errors);
  const sides = sidesOf(product, item);
  for (const [index, place] of (request.places ?? []).entries())
    if (!sides.some((side) => side.place === place))
      errors.add(problems['print-place.not-of-item'], `body.places.${index}`, `the product has no print on ${place}`);
  errors.throwIfAny();
  const wanted = sides.filter(({ place }) => request.places?.includes(place) ?? true);
  const { id: productId, userId, materialId, materialTitle, updatedAt, artwork } = product;
  const { id, size, color, isDarkColor } = variant!;
  return {
    userId,
    productId,
    materialId,
    title: productTitle(materialTitle, item),
    changedAt: updatedAt.toISOString(),
    item: item.name,
    variant: { id, size: size.name, color: color.name, rgb: color.rgb, isDark: isDarkColor },
    places: wanted.flatMap((side) => placeOf(side, item, product.resizeMode, request.format)),
    warnings: printWarnings(artwork, [{ ...product, item }], 'en'),
  };
}

function variantOf(
  { variantId }: PrintedProduct,
  item: CatalogItem,
  request: PrintSelection,
  errors: ValidationErrors,
): CatalogVariant | undefined {
  const id = request.variantId ?? variantId;
  const variant = item.variants.find((it) => it.id === id);
  if (!variant) errors.add(problems['item-variant.not-of-item'], 'body.variantId', `${item.name} has no variant ${id}`);
  return variant;
}

function placeOf(
  { place, textureHash, artwork, placement }: Side,
  item: CatalogItem,
  resizeMode: ResizeMode | null,
  format: PrintFileFormat | undefined,
): PrintOrder['places'] {
  const area = item.printAreas[place]?.millimetres;
  const printing = item.printing[place];
  // A place that was removed from the item
  if (!area || !printing) return [];
  const mode = resizeMode ?? defaultResizeMode(item);
  const { matrix, repeat, period }: PlacedArtwork = placement ?? placeArtwork({ artwork, area, mode });
  const placed = { matrix, repeat, period };
  return [
    { place, format: format ?? (printing.colorSpace === 'cmyk' ? 'pdf' : 'png'), textureHash, placed, area, printing },
  ];
}
