import { type FilledImage, imageUrl, imageUrlTemplate, type ResizeMode, type SaleDiscount } from '#contracts';
import { type JsonPiece, withoutTax, withTax } from '#kernel';
import { type CatalogItem, type CatalogVariant } from '../items/catalog.snapshot.js';
import { filePathOfRow, materialJson, type MaterialRow } from '../materials/material.json.js';
import { dateTimeJson, type JsonContext } from '../context.json.js';
import { bestPrice } from '../sales/sale.rules.js';
import { printedPlaces, productPrice, type ProductPrint, productTitle } from './product.rules.js';

/** A product with its material and owner, as selected by `productColumns` of `product.queries.ts`. */
export interface ProductRow extends MaterialRow {
  readonly id: number;
  readonly itemId: number;
  readonly variantId: number;
  readonly published: boolean;
  readonly publishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly resizeMode: ResizeMode | null;
  readonly prints: readonly ProductPrint[];
  readonly imageRevision: number;
}

/** What a row is shown with. */
export interface ProductParts {
  readonly item: CatalogItem;
  /** The representative one, or the one that was asked for: images and prices are of it. */
  readonly variant: CatalogVariant;
  /** Of the running sales that the product is in. */
  readonly discounts: readonly SaleDiscount[];
}

/** Size of the filled-in images, in pixels (docs/decisions.md, "Image URL"). */
const sampleSize = { width: 500, height: 500 };

/** The fields of one Product (docs/specification.md 2.10) as JSON; item and variant are copied as the ready bytes they are. */
export function productFields(row: ProductRow, parts: ProductParts, by: JsonContext): JsonPiece[] {
  const { item, variant } = parts;
  return [
    `"id":${row.id},"title":${JSON.stringify(productTitle(row.materialTitle, item))},` +
      `"published":${row.published},"publishedAt":${dateTimeJson(row.publishedAt, by)},` +
      `"createdAt":"${by.dateTime(row.createdAt)}","updatedAt":"${by.dateTime(row.updatedAt)}",` +
      `${imageFields(row, parts, by)},${pageFields(row, parts, by)},${priceFields(row, parts, by)},` +
      `"secret":false,"resizeMode":${JSON.stringify(row.resizeMode)},"item":`,
    item.json,
    `,"material":${materialJson(row, by)},"sampleItemVariant":`,
    variant.json,
  ];
}

function imageFields(row: ProductRow, { item, variant }: ProductParts, by: JsonContext): string {
  const filePath = filePathOfRow(row);
  const hash = row.published ? by.signatureOf(filePath) : by.signatureOf(filePath, item.name);
  const target = { base: by.baseUrl, itemName: item.name, filePath, hash, revision: row.imageRevision };
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

function pageFields(row: MaterialRow, { item, variant }: ProductParts, by: JsonContext): string {
  const page = `${by.baseUrl}/${row.userName}/${row.materialId}/${item.name}`;
  return (
    `"url":${JSON.stringify(`${page}/{size}/{color}`)},` +
    `"sampleUrl":${JSON.stringify(`${page}/${variant.size.name}/${variant.color.name}`)}`
  );
}

/** A sale is taken off the tax-included price; without one, the price without tax comes out as it went in. */
function priceFields(row: ProductRow, { item, variant, discounts }: ProductParts, by: JsonContext): string {
  const price = productPrice(variant, row.materialPrice, printedPlaces(item, row.prints));
  const priceWithTax = withTax(price, by.taxPercent);
  const discountedWithTax = bestPrice(priceWithTax, discounts);
  return (
    `"price":${price},"priceWithTax":${priceWithTax},` +
    `"discountedPrice":${withoutTax(discountedWithTax, by.taxPercent)},"discountedPriceWithTax":${discountedWithTax}`
  );
}
