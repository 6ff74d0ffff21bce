import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { type Language, type PrintWarning } from '#contracts';
import { commaSeparated, joinJson, type JsonPiece } from '#kernel';
import { RawReply } from '#request-queue';
import { materialJson, type MaterialRow } from '../../materials/material.json.js';
import { printWarnings } from '../../materials/print-warning.rules.js';
import { type JsonContext, jsonContextOf } from '../../context.json.js';
import { CatalogSettings } from '../../catalog.settings.js';
import { productFields, type ProductParts, type ProductRow } from '../product.json.js';
import { isSameContext, type ProductContext } from '../context.snapshot.js';

/**
 * Row of a material joined with a product. A material without products has one row, whose `id` is
 * null.
 */
export type MaterialAndProductRow = ProductRow | (MaterialRow & { readonly id: null; readonly variantId: null });

interface ProductJson {
  readonly row: ProductRow;
  /** The fields of the product as JSON, without braces. */
  readonly fields: Buffer;
}

/** Limit of the cache: about 4,000 products, each with its row. */
const maxBytes = 16 * 1024 ** 2;
/** Memory of a row in V8, without its description; the other strings are short. */
const rowBytes = 1_500;

/**
 * Builds the bodies of responses with products. Building the JSON of a product takes longer than
 * reading its row from PostgreSQL, and after a change most products of a page are unchanged: their
 * JSON is cached and validated against the row.
 */
@Injectable()
export class ProductJsonCache {
  private readonly jsonContext: JsonContext;

  private readonly cache = new Cache<ProductJson>({
    name: 'product-json',
    maxBytes,
    // The row also has the description, with two bytes per character if any is not Latin-1
    bytesOf: ({ row, fields }) => fields.length + 2 * (row.description?.length ?? 0) + rowBytes,
  });
  /** Context of all cached products. */
  private context: ProductContext | undefined;

  constructor(settings: CatalogSettings) {
    this.jsonContext = jsonContextOf(settings);
  }

  /**
   * @param nextOffset null on the last page
   * @returns a ProductListResponse with its strong entity tag
   */
  page(rows: readonly ProductRow[], nextOffset: number | null, context: ProductContext): RawReply {
    const end = `],"meta":{"hasNext":${nextOffset !== null}}}`;
    return RawReply.page(joinJson(['{"products":[', ...this.products(rows, context), end]), nextOffset).tagged();
  }

  /**
   * @returns a ProductResponse, with all variants of the product's item, and its strong entity tag
   */
  product(row: ProductRow, context: ProductContext): RawReply {
    return RawReply.json(joinJson([...this.productPieces(row, context), '}'])).tagged();
  }

  /**
   * @param shown the row with the variant of the page
   * @returns the reply to `products.find`, with its strong entity tag
   */
  productOfPage(shown: ProductRow, representativeVariantId: number, context: ProductContext): RawReply {
    const representative = `,"representativeVariantId":${representativeVariantId}}`;
    return RawReply.json(joinJson([...this.productPieces(shown, context), representative])).tagged();
  }

  /** @returns a MaterialResponse as JSON */
  material(rows: readonly MaterialAndProductRow[], context: ProductContext): Buffer {
    return joinJson([...this.materialFields(rows, context), '}']);
  }

  /** @returns a MaterialWriteResponse as JSON, with print warnings */
  changedMaterial(rows: readonly MaterialAndProductRow[], context: ProductContext, language: Language): Buffer {
    const warnings = JSON.stringify(warningsOf(rows, context, language));
    return joinJson([...this.materialFields(rows, context), `,"warnings":${warnings}}`]);
  }

  private productPieces(row: ProductRow, context: ProductContext): JsonPiece[] {
    const { item } = partsOf(row, context);
    const product = ['{', this.fields(row, context), ',"itemVariants":', item.variantsJson, '}'];
    return ['{"products":', ...product, ',"product":', ...product];
  }

  private materialFields(rows: readonly MaterialAndProductRow[], context: ProductContext): JsonPiece[] {
    const material = materialJson(rows[0]!, this.jsonContext);
    return [`{"material":${material},"products":[`, ...this.products(productsOf(rows), context), ']'];
  }

  private products(rows: readonly ProductRow[], context: ProductContext): JsonPiece[] {
    return commaSeparated(rows.map((row) => ['{', this.fields(row, context), '}']));
  }

  private fields(row: ProductRow, context: ProductContext): Buffer {
    this.switchContext(context);
    const key = `${row.id} ${row.variantId} ${context.nameLanguage}`;
    const cached = this.cache.peek(key);
    const isHit = cached !== undefined && isSameProduct(cached.row, row);
    this.cache.count(isHit ? 'hit' : 'miss');
    if (isHit) return cached.fields;
    const fields = joinJson(productFields(row, partsOf(row, context), this.jsonContext));
    this.cache.set(key, { row, fields });
    return fields;
  }

  /** Clears the cache if the context has changed. */
  private switchContext(context: ProductContext): void {
    if (this.context && isSameContext(this.context, context)) return;
    this.cache.clear();
    this.context = context;
  }
}

/** Columns that the JSON of a product does not depend on. */
const ignored: ReadonlySet<string> = new Set(['version', 'rowVersion', 'hasDrafts', 'animated']);

/**
 * Returns true if all columns that the JSON depends on are equal. Except for `ignored`, both rows
 * have the same columns.
 */
function isSameProduct(one: ProductRow, other: ProductRow): boolean {
  for (const column in one) {
    const [cached, read] = [one[column as keyof ProductRow], other[column as keyof ProductRow]];
    if (cached === read || ignored.has(column)) continue;
    const same = cached instanceof Date ? read instanceof Date && +cached === +read : isDeepStrictEqual(cached, read);
    if (!same) return false;
  }
  return true;
}

const productsOf = (rows: readonly MaterialAndProductRow[]): readonly ProductRow[] =>
  rows.filter((row) => row.id !== null);

function warningsOf(
  rows: readonly MaterialAndProductRow[],
  { catalog }: ProductContext,
  language: Language,
): PrintWarning[] {
  const { originalWidth: width, originalHeight: height, dominantRgb, animated } = rows[0]!;
  const products = productsOf(rows).map((row) => ({ ...row, item: catalog.item(row.itemId)! }));
  return printWarnings({ width, height, dominantRgb, animated }, products, language);
}

function partsOf(row: ProductRow, { sales, ...context }: ProductContext): ProductParts {
  const catalog = context.catalog.in(context.nameLanguage);
  const item = catalog.item(row.itemId);
  const variant = catalog.variant(row.variantId);
  if (!item || !variant) throw new Error(`product ${row.id}: its item ${row.itemId} is not in the catalog`);
  return { item, variant, discounts: sales.discountsOf({ productId: row.id, itemId: row.itemId, userId: row.userId }) };
}
