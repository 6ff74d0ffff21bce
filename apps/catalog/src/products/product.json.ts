import {
  type FilledImage,
  imageUrl,
  imageUrlTemplate,
  type ResizeMode,
  type SaleDiscount,
  type StoredPlacement,
} from '#contracts';
import { type JsonPiece, withoutTax, withTax } from '#kernel';
import { type CatalogItem, type CatalogVariant, imageRevisionOf } from '../items/catalog.snapshot.js';
import { filePathOfRow, materialJson, type MaterialRow } from '../materials/material.json.js';
import { dateTimeJson, type JsonContext } from '../context.json.js';
import { bestPrice } from '../sales/sale.rules.js';
import { placementOf } from './placement.rules.js';
import { printedPlaces, productPrice, type ProductPrint, productTitle } from './product.rules.js';

/**
 * A product with its material and owner, as selected by `productColumns` of `product.queries.ts`.
 */
export interface ProductRow extends MaterialRow {
  readonly id: number;
  readonly itemId: number;
  readonly variantId: number;
  readonly published: boolean;
  readonly publishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly resizeMode: ResizeMode | null;
  readonly placement: StoredPlacement | null;
  readonly prints: readonly ProductPrint[];
  readonly imageRevision: number;
}

/** Data of a product's JSON beside its row. */
export interface ProductParts {
  readonly item: CatalogItem;
  /** Variant of images and prices: the representative one, or the requested one. */
  readonly variant: CatalogVariant;
  /** Discounts of the running sales that include the product. */
  readonly discounts: readonly SaleDiscount[];
}

/** Size of sample images in pixels (docs/decisions.md, "Image URL"). */
const sampleSize = { width: 500, height: 500 };

/**
 * Returns the fields of a Product (docs/specification.md 2.10) as JSON. The JSON of item and
 * variant is copied as bytes.
 */
export function productFields(row: ProductRow, parts: ProductParts, context: JsonContext): JsonPiece[] {
  const { item, variant } = parts;
  return [
    `"id":${row.id},"title":${JSON.stringify(productTitle(row.materialTitle, item))},` +
      `"published":${row.published},"publishedAt":${dateTimeJson(row.publishedAt, context)},` +
      `"createdAt":"${context.dateTime(row.createdAt)}","updatedAt":"${context.dateTime(row.updatedAt)}",` +
      `${imageFields(row, parts, context)},${pageFields(row, parts, context)},${priceFields(row, parts, context)},` +
      `"secret":false,"resizeMode":${JSON.stringify(row.resizeMode)},${placementFields(row)}"item":`,
    item.json,
    `,"material":${materialJson(row, context)},"sampleItemVariant":`,
    variant.json,
  ];
}

/** Returns the placements, each followed by a comma. Empty for a product without a placement. */
function placementFields({ placement, prints }: ProductRow): string {
  const own = placement ? `"placement":${JSON.stringify(placementOf(placement))},` : '';
  if (!prints.some((print) => print.placement)) return own;
  const others = prints.map(({ place, enabled, placement: its }) => ({
    printSide: place,
    enabled,
    placement: its ? placementOf(its) : null,
  }));
  return `${own}"sub_materials":${JSON.stringify(others)},`;
}

function imageFields(row: ProductRow, { item, variant }: ProductParts, context: JsonContext): string {
  const filePath = filePathOfRow(row);
  const hash = row.published ? context.signatureOf(filePath) : context.signatureOf(filePath, item.name);
  const revision = imageRevisionOf(row.imageRevision, item);
  const target = { base: context.baseUrl, itemName: item.name, filePath, hash, revision };
  const angle = item.essentialAngles[0] ?? null;
  const sample: FilledImage = {
    ...target,
    ...sampleSize,
    size: variant.size.name,
    color: variant.color.name,
    angle,
    format: 'webp',
  };
  const samples = item.essentialAngles.map((essential) => imageUrl({ ...sample, angle: essential }));
  return (
    `"examplaryAngle":${JSON.stringify(angle)},"imageUrl":${JSON.stringify(imageUrlTemplate(target))},` +
    `"sampleImageUrl":${JSON.stringify(imageUrl(sample))},` +
    `"pngSampleImageUrl":${JSON.stringify(imageUrl({ ...sample, format: 'png' }))},` +
    `"sampleImageUrls":${JSON.stringify(samples)}`
  );
}

function pageFields(row: MaterialRow, { item, variant }: ProductParts, context: JsonContext): string {
  const page = `${context.baseUrl}/${row.userName}/${row.materialId}/${item.name}`;
  return (
    `"url":${JSON.stringify(`${page}/{size}/{color}`)},` +
    `"sampleUrl":${JSON.stringify(`${page}/${variant.size.name}/${variant.color.name}`)}`
  );
}

/**
 * Applies discounts to the tax-included price. Without a discount, `discountedPrice` equals
 * `price`.
 */
function priceFields(row: ProductRow, { item, variant, discounts }: ProductParts, context: JsonContext): string {
  const price = productPrice(variant, row.materialPrice, printedPlaces(item, row.prints));
  const priceWithTax = withTax(price, context.taxPercent);
  const discountedWithTax = bestPrice(priceWithTax, discounts);
  return (
    `"price":${price},"priceWithTax":${priceWithTax},` +
    `"discountedPrice":${withoutTax(discountedWithTax, context.taxPercent)},"discountedPriceWithTax":${discountedWithTax}`
  );
}
