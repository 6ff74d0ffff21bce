import { Injectable } from '@nestjs/common';
import { type Language, type PayloadOf, type Services } from '#contracts';
import { Database, type Tx } from '#persistence';
import { RawReply } from '#request-queue';
import { type CatalogSnapshot, ItemCache } from '../items/item.cache.js';
import { materialNotFound } from '../materials/material.errors.js';
import { materialColumns } from '../materials/material.queries.js';
import { SaleCache } from '../sales/sale.cache.js';
import { catalogOf } from './catalog-of-rows.snapshot.js';
import { productDataVersion } from './cache-validator.queries.js';
import { ResponseCache } from './response.cache.js';
import { type ProductRow } from './product.json.js';
import { pageOfProducts, type PageRequest, type PageStatement } from './product-page.queries.js';
import { noSuchProduct, productNotFound } from './product.errors.js';
import { pageOfSale } from './sale-page.queries.js';
import { pageOfSearch } from './search-page.queries.js';
import { type ProductContext } from './context.snapshot.js';
import { draftsOf, visibleTo } from './visibility.queries.js';
import { type MaterialAndProductRow, ProductJsonCache } from './product-json.cache.js';

/** Which material is answered to its owner, and in which language. */
interface WrittenMaterial {
  readonly viewerId: number;
  readonly materialId: number;
  readonly language: Language;
}

/** The columns of a `ProductRow`, beside those of its material: of `products p`. */
const productColumns = `
  p.id, p.listed, p.item_id as "itemId", p.exemplary_variant_id as "variantId", p.published, p.published_at as "publishedAt",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.resize_mode as "resizeMode", p.prints,
  p.picture_revision as "imageRevision", ${materialColumns}`;

/** Only a word that none of the newest products has, or a page behind millions, takes more than a tenth of a second. */
const pageWithinMs = 2_000;

/** Columns of a page's statement beside the products, also if there is none. */
interface Moment {
  readonly version: string;
  readonly hasDrafts: boolean;
}

interface NoProduct {
  readonly id: null;
}

interface Selected {
  readonly rows: readonly ProductRow[];
  readonly shown: ProductContext;
  readonly version: string | undefined;
}

const oneVisible = `
  select ${productColumns}, ${productDataVersion} as version
  from products p join materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id
  where p.id = $1 and ${visibleTo(2)}`;

/** A material ($1) with its products, as a viewer ($2) sees them. */
const materialAndProducts = `
  select ${productColumns}
  from materials m join accounts.users u on u.id = m.user_id
    left join products p on p.material_id = m.id and ${visibleTo(2)}
  where m.id = $1 and (m.user_id = $2 or (m.published and not m.violation))
  order by p.id`;

/** Products as responses: each one statement, and the JSON of `ProductJsonCache`. */
@Injectable()
export class ProductQueries {
  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCache,
    private readonly sales: SaleCache,
    private readonly responses: ResponseCache,
    private readonly json: ProductJsonCache,
  ) {}

  /** @returns a ProductListResponse */
  list(request: PayloadOf<Services['catalog'], 'products.list'>): Promise<RawReply> {
    return this.page('list', request, () => pageOfProducts(request));
  }

  /** @returns a ProductListResponse */
  search(request: PayloadOf<Services['catalog'], 'products.search'>): Promise<RawReply> {
    return this.page('search', request, ({ catalog }) => pageOfSearch(request, catalog));
  }

  /**
   * What costs less at this moment.
   *
   * @returns a ProductListResponse
   */
  onSale(request: PayloadOf<Services['catalog'], 'products.on-sale'>): Promise<RawReply> {
    return this.page('on-sale', request, ({ sales }) => pageOfSale(request, sales.targets));
  }

  /**
   * Products that another service has chosen, in its order and each in the variant that it names.
   *
   * @returns a ProductListResponse
   */
  async chosen({ viewerId, ...asked }: PayloadOf<Services['catalog'], 'products.page'>): Promise<RawReply> {
    const { entries, nextOffset } = asked;
    const context = await this.currentContext();
    return this.responses.get(`chosen ${JSON.stringify(asked)}`, viewerId, context, async () => {
      const sql = `select p.id, p.created_at from products p where p.id = any($1) and ${visibleTo(2)}`;
      const parameters = [entries.map(({ productId }) => productId), viewerId];
      const { rows, shown, version } = await this.selected({ sql, parameters }, viewerId, context);
      const found = new Map(rows.map((row) => [row.id, row]));
      const products = entries.flatMap(({ productId, itemVariantId }) => {
        const row = found.get(productId);
        return row ? [inVariant(row, itemVariantId, shown.catalog)] : [];
      });
      return { reply: this.json.page(products, nextOffset, shown), version };
    });
  }

  /**
   * @returns a ProductResponse with its strong entity tag
   * @throws DomainError product.not-found
   */
  async get(viewerId: number, productId: number): Promise<RawReply> {
    const context = await this.currentContext();
    return this.responses.get(`get ${productId}`, null, context, async () => {
      const [row] = await this.database.read<ProductRow & { readonly listed: boolean; readonly version: string }>(
        oneVisible,
        [productId, viewerId],
      );
      if (!row) throw productNotFound(productId);
      const shown = await this.contextFor([row], context);
      // A product that only its owner sees is not cached
      return {
        reply: this.json.product(row, shown),
        version: row.listed && shown === context ? row.version : undefined,
      };
    });
  }

  /**
   * The product that a page address names, in the variant that it names.
   *
   * @returns a ProductResponse with its strong entity tag
   * @throws DomainError product.not-found, also for a variant that the item does not have
   */
  async find(request: PayloadOf<Services['catalog'], 'products.find'>): Promise<RawReply> {
    const { viewerId, userName, materialId, itemName, variant } = request;
    const [row] = await this.database.read<ProductRow>(
      `select ${productColumns}
       from products p join materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id
         join items i on i.id = p.item_id
       where p.material_id = $1 and i.name = $2 and lower(u.name) = lower($3) and ${visibleTo(4)}`,
      [materialId, itemName, userName, viewerId],
    );
    if (!row) throw noSuchProduct();
    const context = await this.contextOfRows([row]);
    return this.json.product(variant ? inNamedVariant(row, variant, context.catalog) : row, context);
  }

  /**
   * A material with those of its products that the viewer may see, in the order in which they were made.
   *
   * @returns a MaterialResponse as JSON
   * @throws DomainError material.not-found, also for one that this viewer may not see
   */
  async ofMaterial(viewerId: number, materialId: number): Promise<Buffer> {
    const rows = await this.rowsOfMaterial(viewerId, materialId);
    return this.json.material(rows, await this.contextOfRows(rows));
  }

  /**
   * A material as `ofMaterial`, for its owner who has changed it: with what may disappoint about the prints.
   *
   * @returns a WrittenMaterialResponse as JSON
   * @throws DomainError material.not-found
   */
  async ofChangedMaterial({ viewerId, materialId, language }: WrittenMaterial): Promise<Buffer> {
    const rows = await this.rowsOfMaterial(viewerId, materialId);
    return this.json.changedMaterial(rows, await this.contextOfRows(rows), language);
  }

  /**
   * A material as `ofChangedMaterial`, read in the transaction that makes it.
   *
   * @param context with the catalogue that its products were checked with: nothing but the transaction is waited for
   * @returns a WrittenMaterialResponse as JSON
   */
  async ofNewMaterial(
    tx: Tx,
    { viewerId, materialId, language }: WrittenMaterial,
    context: ProductContext,
  ): Promise<Buffer> {
    const rows = await tx.query<MaterialAndProductRow[]>(materialAndProducts, [materialId, viewerId]);
    return this.json.changedMaterial(rows, context, language);
  }

  /** The context of products that were checked with a catalogue. */
  async contextOf(catalog: CatalogSnapshot): Promise<ProductContext> {
    return { catalog, sales: await this.sales.running() };
  }

  private async currentContext(): Promise<ProductContext> {
    return this.contextOf(await this.catalog.current());
  }

  /** The same context, or one with newer items if a row has an item that it lacks. */
  private async contextFor(rows: Parameters<typeof catalogOf>[0], context: ProductContext): Promise<ProductContext> {
    const catalog = await catalogOf(rows, this.catalog, context.catalog);
    return catalog === context.catalog ? context : { ...context, catalog };
  }

  private async rowsOfMaterial(viewerId: number, materialId: number): Promise<MaterialAndProductRow[]> {
    const rows = await this.database.read<MaterialAndProductRow>(materialAndProducts, [materialId, viewerId]);
    if (rows.length === 0) throw materialNotFound(materialId);
    return rows;
  }

  private async page<Request extends PageRequest & { readonly viewerId: number }>(
    list: string,
    request: Request,
    statementIn: (context: ProductContext) => PageStatement,
  ): Promise<RawReply> {
    const { viewerId, ...asked } = request;
    const context = await this.currentContext();
    return this.responses.get(`${list} ${JSON.stringify(asked)}`, viewerId, context, async () => {
      const { rows, shown, version } = await this.selected(statementIn(context), viewerId, context);
      const nextOffset = rows.length > asked.limit ? asked.offset + asked.limit : null;
      return { reply: this.json.page(rows.slice(0, asked.limit), nextOffset, shown), version };
    });
  }

  /**
   * The products of a page, and the moment in which that was so.
   *
   * @param page selects `id` and `created_at` for the viewer
   * @param context of now
   * @returns with the context that has all their items; no version if they are for this viewer alone
   */
  private async selected(
    { sql, parameters }: PageStatement,
    viewerId: number,
    context: ProductContext,
  ): Promise<Selected> {
    const viewer = `$${parameters.length + 1}::bigint`;
    const answered = await this.database.read<(ProductRow | NoProduct) & Moment>(
      `with page as (${sql})
       select ${productColumns}, moment.version, moment."hasDrafts"
       from (select ${productDataVersion} as version, exists (select from products where ${draftsOf(viewer)}) as "hasDrafts") moment
         left join (page join products p on p.id = page.id join materials m on m.id = p.material_id
           join accounts.users u on u.id = m.user_id) on true
       order by page.created_at desc, page.id desc`,
      [...parameters, viewerId],
      pageWithinMs,
    );
    const { version, hasDrafts } = answered[0]!;
    const rows = answered.filter((row) => row.id !== null);
    const shown = await this.contextFor(rows, context);
    return { rows, shown, version: hasDrafts || shown !== context ? undefined : version };
  }

  private async contextOfRows(rows: Parameters<typeof catalogOf>[0]): Promise<ProductContext> {
    return this.contextFor(rows, await this.currentContext());
  }
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
