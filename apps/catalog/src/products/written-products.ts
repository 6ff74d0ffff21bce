import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Language, type PrintWarning } from '#contracts';
import { commaSeparated, joinJson, type JsonPiece } from '#kernel';
import { RawReply } from '#request-queue';
import { materialJson, type MaterialRow } from '../materials/material.json.js';
import { printWarnings } from '../materials/print-warning.rules.js';
import { type Presentation, presentationOf } from '../presentation.js';
import { CatalogSettings } from '../catalog.settings.js';
import { productFields, type ProductParts, type ProductRow } from './product.json.js';
import { isSameShop, type Shop } from './shop.js';

/** A material without products is one row without a product. */
export type MaterialAndProductRow = ProductRow | (MaterialRow & { readonly id: null; readonly variantId: null });

/** A product that was written before: of which row, and its fields as JSON. */
interface Written {
  readonly row: ProductRow;
  readonly fields: Buffer;
}

/** For some 4,000 products, each with the row that it was written of. */
const rememberedBytes = 16 * 1024 ** 2;
/** What V8 takes for a row without its texts. */
const rowBytes = 1_500;

/**
 * The bodies of answers with products. Writing one product takes longer than its row does in PostgreSQL, and when something
 * has changed, most products of a page have not: those are copied. The rows decide which, so that nothing can be out of date.
 */
@Injectable()
export class WrittenProducts {
  private readonly presentation: Presentation;

  private readonly written = new LRUCache<string, Written>({
    maxSize: rememberedBytes,
    // What people wrote stands in the row once more, with two bytes for each character when one of them is not Latin
    sizeCalculation: ({ row, fields }) => fields.length + 2 * (row.description?.length ?? 0) + rowBytes,
  });
  /** What all of them were written with. */
  private shop: Shop | undefined;

  constructor(settings: CatalogSettings) {
    this.presentation = presentationOf(settings);
  }

  /**
   * @param nextOffset null on the last page
   * @returns a ProductListResponse with its strong entity tag
   */
  page(rows: readonly ProductRow[], nextOffset: number | null, shop: Shop): RawReply {
    const end = `],"meta":{"hasNext":${nextOffset !== null}}}`;
    return RawReply.page(joinJson(['{"products":[', ...this.products(rows, shop), end]), nextOffset).tagged();
  }

  /** @returns a ProductResponse, with all variants of the product's item, and its strong entity tag */
  product(row: ProductRow, shop: Shop): RawReply {
    const { item } = partsOf(row, shop);
    const product = ['{', this.fields(row, shop), ',"itemVariants":', item.variantsJson, '}'];
    return RawReply.json(joinJson(['{"products":', ...product, ',"product":', ...product, '}'])).tagged();
  }

  /** @returns a MaterialResponse as JSON */
  material(rows: readonly MaterialAndProductRow[], shop: Shop): Buffer {
    return joinJson([...this.materialFields(rows, shop), '}']);
  }

  /** @returns a WrittenMaterialResponse as JSON: with what may disappoint about the prints */
  changedMaterial(rows: readonly MaterialAndProductRow[], shop: Shop, language: Language): Buffer {
    const warnings = JSON.stringify(warningsOf(rows, shop, language));
    return joinJson([...this.materialFields(rows, shop), `,"warnings":${warnings}}`]);
  }

  private materialFields(rows: readonly MaterialAndProductRow[], shop: Shop): JsonPiece[] {
    const material = materialJson(rows[0]!, this.presentation);
    return [`{"material":${material},"products":[`, ...this.products(productsOf(rows), shop), ']'];
  }

  private products(rows: readonly ProductRow[], shop: Shop): JsonPiece[] {
    return commaSeparated(rows.map((row) => ['{', this.fields(row, shop), '}']));
  }

  private fields(row: ProductRow, shop: Shop): Buffer {
    this.enter(shop);
    const key = `${row.id} ${row.variantId}`;
    const known = this.written.get(key);
    if (known && isSameProduct(known.row, row)) return known.fields;
    const fields = joinJson(productFields(row, partsOf(row, shop), this.presentation));
    this.written.set(key, { row, fields });
    return fields;
  }

  private enter(shop: Shop): void {
    if (this.shop && isSameShop(this.shop, shop)) return;
    this.written.clear();
    this.shop = shop;
  }
}

/** Of the moment of a statement, and no part of a product. */
const ofTheMoment: ReadonlySet<string> = new Set(['mark', 'hasDrafts']);

/** Whether two rows are written the same: they have the same columns. */
function isSameProduct(one: ProductRow, other: ProductRow): boolean {
  for (const column in one) {
    const [known, read] = [one[column as keyof ProductRow], other[column as keyof ProductRow]];
    if (known === read || ofTheMoment.has(column)) continue;
    const same = known instanceof Date ? read instanceof Date && +known === +read : isDeepStrictEqual(known, read);
    if (!same) return false;
  }
  return true;
}

const productsOf = (rows: readonly MaterialAndProductRow[]): readonly ProductRow[] =>
  rows.filter((row) => row.id !== null);

function warningsOf(rows: readonly MaterialAndProductRow[], { catalog }: Shop, language: Language): PrintWarning[] {
  const { originalWidth: width, originalHeight: height, dominantRgb } = rows[0]!;
  const products = productsOf(rows).map((row) => ({ ...row, item: catalog.item(row.itemId)! }));
  return printWarnings({ width, height, dominantRgb }, products, language);
}

function partsOf(row: ProductRow, { catalog, sales }: Shop): ProductParts {
  const item = catalog.item(row.itemId);
  const variant = catalog.variant(row.variantId);
  if (!item || !variant) throw new Error(`product ${row.id}: its item ${row.itemId} is not in the catalogue`);
  return { item, variant, discounts: sales.of({ productId: row.id, itemId: row.itemId, userId: row.userId }) };
}
