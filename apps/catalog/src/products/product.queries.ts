import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Language, type PayloadOf, type PrintWarning, type Services } from '#contracts';
import { Database, type Tx } from '#persistence';
import { RawReply } from '#request-queue';
import { type CatalogSnapshot, ItemCatalog } from '../items/item-catalog.js';
import { materialNotFound } from '../materials/material.errors.js';
import { materialJson, type MaterialRow } from '../materials/material-json.js';
import { materialColumns } from '../materials/material.queries.js';
import { printWarnings } from '../materials/print-warning.js';
import { type Presentation, presentationOf } from '../presentation.js';
import { type RunningSales } from '../sales/sale.js';
import { SaleBook } from '../sales/sale-book.js';
import { CatalogSettings } from '../settings.js';
import { catalogOf } from './catalog-of-rows.js';
import { productDetailJson, productJson, type ProductParts, type ProductRow } from './product-json.js';
import { pageOfProducts, type PageRequest, type PageStatement } from './product-page.js';
import { noSuchProduct, productNotFound } from './product.errors.js';
import { pageOfSale } from './sale-page.js';
import { pageOfSearch } from './search-page.js';
import { visibleTo } from './visibility.js';

/** What a product is shown with: the items, and the sales of one moment. */
export interface Shop {
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
}

/** Which material is answered to its owner, and in which language. */
interface WrittenMaterial {
  readonly viewerId: number;
  readonly materialId: number;
  readonly language: Language;
}

/** The columns of a `ProductRow`, beside those of its material: of `products p`. */
const productColumns = `
  p.id, p.item_id as "itemId", p.exemplary_variant_id as "variantId", p.published, p.published_at as "publishedAt",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.resize_mode as "resizeMode", p.prints,
  p.picture_revision as "pictureRevision", ${materialColumns}`;

/** A material without products is one row without a product. */
type MaterialAndProductRow = ProductRow | (MaterialRow & { readonly id: null; readonly variantId: null });

/** A material ($1) with its products, as a viewer ($2) sees them. */
const materialAndProducts = `
  select ${productColumns}
  from materials m join accounts.users u on u.id = m.user_id
    left join products p on p.material_id = m.id and ${visibleTo(2)}
  where m.id = $1 and (m.user_id = $2 or (m.published and not m.violation))
  order by p.id`;

/** Products as answers. Each is one statement and the assembly of texts. */
@Injectable()
export class ProductQueries {
  private readonly presentation: Presentation;

  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCatalog,
    private readonly sales: SaleBook,
    settings: CatalogSettings,
  ) {
    this.presentation = presentationOf(settings);
  }

  /** @returns a ProductListResponse */
  async list(request: PayloadOf<Services['catalog'], 'products.list'>): Promise<RawReply> {
    return this.page(pageOfProducts(request), request, await this.sales.running());
  }

  /** @returns a ProductListResponse */
  async search(request: PayloadOf<Services['catalog'], 'products.search'>): Promise<RawReply> {
    return this.page(pageOfSearch(request, await this.catalog.current()), request, await this.sales.running());
  }

  /**
   * What costs less at this moment.
   *
   * @returns a ProductListResponse
   */
  async onSale(request: PayloadOf<Services['catalog'], 'products.on-sale'>): Promise<RawReply> {
    const sales = await this.sales.running();
    return this.page(pageOfSale(request, sales.targets), request, sales);
  }

  /**
   * Products that another service has chosen, in its order and each in the variant that it names.
   *
   * @returns a ProductListResponse
   */
  async chosen({ viewerId, entries, nextOffset }: PayloadOf<Services['catalog'], 'products.page'>): Promise<RawReply> {
    const ids = entries.map(({ productId }) => productId);
    const rows = await this.visibleOf(viewerId, ids);
    const shop = await this.shop(rows);
    const found = new Map(rows.map((row) => [row.id, row]));
    const products = entries.flatMap(({ productId, itemVariantId }) => {
      const row = found.get(productId);
      return row ? [this.product(inVariant(row, itemVariantId, shop.catalog), shop)] : [];
    });
    return pageReply(products, nextOffset);
  }

  /**
   * @returns a ProductResponse as JSON, and its strong entity tag
   * @throws DomainError product.not-found
   */
  async get(viewerId: number, productId: number): Promise<{ json: string; etag: string }> {
    const row = await this.visible(viewerId, productId);
    return this.detail(row, await this.shop([row]));
  }

  /**
   * The product that a page address names, in the variant that it names.
   *
   * @returns a ProductResponse as JSON, and its strong entity tag
   * @throws DomainError product.not-found, also for a variant that the item does not have
   */
  async find(request: PayloadOf<Services['catalog'], 'products.find'>): Promise<{ json: string; etag: string }> {
    const { viewerId, userName, materialId, itemName, variant } = request;
    const [row] = await this.database.query<ProductRow>(
      `select ${productColumns}
       from products p join materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id
         join items i on i.id = p.item_id
       where p.material_id = $1 and i.name = $2 and lower(u.name) = lower($3) and ${visibleTo(4)}`,
      [materialId, itemName, userName, viewerId],
    );
    if (!row) throw noSuchProduct();
    const shop = await this.shop([row]);
    return this.detail(variant ? inNamedVariant(row, variant, shop.catalog) : row, shop);
  }

  /**
   * A material with those of its products that the viewer may see, in the order in which they were made.
   *
   * @returns a MaterialResponse as JSON
   * @throws DomainError material.not-found, also for one that this viewer may not see
   */
  async ofMaterial(viewerId: number, materialId: number): Promise<string> {
    const rows = await this.rowsOfMaterial(viewerId, materialId);
    return `{${this.material(rows, await this.shop(rows))}}`;
  }

  /**
   * A material as `ofMaterial`, for its owner who has changed it: with what may disappoint about the prints.
   *
   * @returns a WrittenMaterialResponse as JSON
   * @throws DomainError material.not-found
   */
  async ofChangedMaterial({ viewerId, materialId, language }: WrittenMaterial): Promise<string> {
    const rows = await this.rowsOfMaterial(viewerId, materialId);
    return this.written(rows, await this.shop(rows), language);
  }

  /**
   * A material as `ofChangedMaterial`, read in the transaction that makes it.
   *
   * @param shop with the catalogue that its products were checked with: nothing but the transaction is waited for
   * @returns a WrittenMaterialResponse as JSON
   */
  async ofNewMaterial(tx: Tx, { viewerId, materialId, language }: WrittenMaterial, shop: Shop): Promise<string> {
    const rows = await tx.query<MaterialAndProductRow[]>(materialAndProducts, [materialId, viewerId]);
    return this.written(rows, shop, language);
  }

  /** What products are shown with that were checked with a catalogue. */
  async shopOf(catalog: CatalogSnapshot): Promise<Shop> {
    return { catalog, sales: await this.sales.running() };
  }

  private async rowsOfMaterial(viewerId: number, materialId: number): Promise<MaterialAndProductRow[]> {
    const rows = await this.database.query<MaterialAndProductRow>(materialAndProducts, [materialId, viewerId]);
    if (rows.length === 0) throw materialNotFound(materialId);
    return rows;
  }

  private material(rows: readonly MaterialAndProductRow[], shop: Shop): string {
    const products = rows.flatMap((row) => (row.id === null ? [] : [this.product(row, shop)]));
    return `"material":${materialJson(rows[0]!, this.presentation)},"products":[${products.join()}]`;
  }

  private written(rows: readonly MaterialAndProductRow[], shop: Shop, language: Language): string {
    const warnings = warningsOf(rows, shop.catalog, language);
    return `{${this.material(rows, shop)},"warnings":${JSON.stringify(warnings)}}`;
  }

  private detail(row: ProductRow, shop: Shop): { json: string; etag: string } {
    const product = productDetailJson(row, partsOf(row, shop), this.presentation);
    const json = `{"products":${product},"product":${product}}`;
    return { json, etag: `"${createHash('sha1').update(json).digest('hex')}"` };
  }

  private product(row: ProductRow, shop: Shop): string {
    return productJson(row, partsOf(row, shop), this.presentation);
  }

  private async page({ sql, parameters }: PageStatement, request: PageRequest, sales: RunningSales): Promise<RawReply> {
    const rows = await this.database.query<ProductRow>(
      `with page as (${sql})
       select ${productColumns}
       from page join products p on p.id = page.id join materials m on m.id = p.material_id
         join accounts.users u on u.id = m.user_id
       order by page.created_at desc, page.id desc`,
      parameters,
    );
    const shop = { catalog: await catalogOf(rows, this.catalog), sales };
    const products = rows.slice(0, request.limit).map((row) => this.product(row, shop));
    return pageReply(products, rows.length > request.limit ? request.offset + request.limit : null);
  }

  private async visible(viewerId: number, productId: number): Promise<ProductRow> {
    const [row] = await this.visibleOf(viewerId, [productId]);
    if (!row) throw productNotFound(productId);
    return row;
  }

  private visibleOf(viewerId: number, productIds: readonly number[]): Promise<ProductRow[]> {
    return this.database.query<ProductRow>(
      `select ${productColumns}
       from products p join materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id
       where p.id = any($1) and ${visibleTo(2)}`,
      [productIds, viewerId],
    );
  }

  private async shop(rows: Parameters<typeof catalogOf>[0]): Promise<Shop> {
    return this.shopOf(await catalogOf(rows, this.catalog));
  }
}

function pageReply(products: readonly string[], nextOffset: number | null): RawReply {
  return RawReply.page(`{"products":[${products.join()}],"meta":{"hasNext":${nextOffset !== null}}}`, nextOffset);
}

/** A product as it looks in a variant of its item; in the representative one when there is no such variant. */
function inVariant(row: ProductRow, variantId: number | null, catalog: CatalogSnapshot): ProductRow {
  const variant = variantId === null ? undefined : catalog.variant(variantId);
  return variant?.itemId === row.itemId ? { ...row, variantId: variant.id } : row;
}

/** @throws DomainError product.not-found */
function inNamedVariant(
  row: ProductRow,
  { size, color }: { readonly size: string; readonly color: string },
  catalog: CatalogSnapshot,
): ProductRow {
  const variants = catalog.item(row.itemId)?.variants ?? [];
  const variant = variants.find((it) => it.size.name === size && it.color.name === color);
  if (!variant) throw noSuchProduct();
  return { ...row, variantId: variant.id };
}

function warningsOf(
  rows: readonly MaterialAndProductRow[],
  catalog: CatalogSnapshot,
  language: Language,
): PrintWarning[] {
  const { originalWidth: width, originalHeight: height, dominantRgb } = rows[0]!;
  const products = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, item: catalog.item(row.itemId)! }]));
  return printWarnings({ width, height, dominantRgb }, products, language);
}

function partsOf(row: ProductRow, { catalog, sales }: Shop): ProductParts {
  const item = catalog.item(row.itemId);
  const variant = catalog.variant(row.variantId);
  if (!item || !variant) throw new Error(`product ${row.id}: its item ${row.itemId} is not in the catalogue`);
  return { item, variant, discounts: sales.of({ productId: row.id, itemId: row.itemId, userId: row.userId }) };
}
