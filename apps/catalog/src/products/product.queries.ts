import { Injectable } from '@nestjs/common';
import { type Language, type PayloadOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { RawReply } from '#request-queue';
import { type CatalogSnapshot, ItemCache } from '../items/item.cache.js';
import { materialNotFound } from '../materials/material.errors.js';
import { SaleCache } from '../sales/sale.cache.js';
import { catalogForRows } from './catalog-for-rows.snapshot.js';
import { productDataVersion } from './caching/cache-validator.queries.js';
import { anyViewer, ResponseCache } from './caching/response.cache.js';
import { type ProductRow } from './product.json.js';
import { pageOfNewest, pageOfProducts, type PageRequest, type PageStatement } from './product-page.queries.js';
import { unknownProduct, productNotFound } from './product.errors.js';
import { pageOfSale } from './sale-page.queries.js';
import { pageOfSearch } from './search-page.queries.js';
import { type ProductContext } from './context.snapshot.js';
import { productColumns, type VersionedProduct, versionedProducts } from './product-rows.queries.js';
import { draftsOf, visibleTo } from './visibility.queries.js';
import { type MaterialAndProductRow, ProductJsonCache } from './caching/product-json.cache.js';

/** Request for the response to a creation or update of a material. */
interface WrittenMaterialRequest {
  readonly viewerId: number;
  readonly materialId: number;
  /** Language of the warnings. */
  readonly language: Language;
  readonly nameLanguage?: Language | undefined;
}

/**
 * Time limit of the statement of a page. Only a search for a word that none of the newest products
 * contains, or an offset of millions, takes more than 0.1 s.
 */
const pageTimeoutMs = 2_000;

/**
 * Columns that a page's statement returns in addition to the products, even if the page is empty.
 */
interface DataState {
  readonly version: string;
  readonly hasDrafts: boolean;
}

type VersionedProductRow = ProductRow & VersionedProduct & { readonly listed: boolean; readonly version: string };

interface EmptyPageRow {
  readonly id: null;
}

interface SelectedPage {
  readonly rows: readonly ProductRow[];
  readonly rowContext: ProductContext;
  readonly version: string | undefined;
}

/** Statement of a product ($1) that a viewer ($2) may see. */
const visibleProduct = `
  select product.*, ${productDataVersion} as version
  from (${versionedProducts(`p.id = $1 and ${visibleTo(2)}`)}) product`;

/** Statement of a material ($1) with the products that a viewer ($2) may see. */
const materialAndProducts = `
  select ${productColumns}
  from materials m join accounts.users u on u.id = m.user_id
    left join products p on p.material_id = m.id and ${visibleTo(2)}
  where m.id = $1 and (m.user_id = $2 or (m.published and not m.violation))
  order by p.id`;

/** Reads products as responses. One statement reads all rows of a response. */
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

  /**
   * Returns the newest public product of each material, without drafts of any viewer.
   *
   * @returns a ProductListResponse
   */
  newest(request: PayloadOf<Services['catalog'], 'products.newest'>): Promise<RawReply> {
    return this.page('newest', { ...request, viewerId: anyViewer }, () => pageOfNewest(request));
  }

  /** @returns a ProductListResponse */
  search(request: PayloadOf<Services['catalog'], 'products.search'>): Promise<RawReply> {
    return this.page('search', request, ({ catalog }) => pageOfSearch(request, catalog));
  }

  /**
   * Returns the products that are in a running sale.
   *
   * @returns a ProductListResponse
   */
  onSale(request: PayloadOf<Services['catalog'], 'products.on-sale'>): Promise<RawReply> {
    return this.page('on-sale', request, ({ sales }) => pageOfSale(request, sales.targets));
  }

  /**
   * Returns products in the order and variants that another service has chosen. Omits products that
   * the viewer may not see.
   *
   * @returns a ProductListResponse
   */
  async chosen(request: PayloadOf<Services['catalog'], 'products.page'>): Promise<RawReply> {
    const { viewerId, nameLanguage, ...query } = request;
    const { entries, nextOffset } = query;
    const context = await this.currentContext(nameLanguage);
    return this.responses.get(`chosen ${JSON.stringify(query)}`, viewerId, context, async () => {
      const sql = `select p.id, p.created_at from products p where p.id = any($1) and ${visibleTo(2)}`;
      const parameters = [entries.map(({ productId }) => productId), viewerId];
      const { rows, rowContext, version } = await this.selectPage({ sql, parameters }, viewerId, context);
      const rowById = new Map(rows.map((row) => [row.id, row]));
      const products = entries.flatMap(({ productId, itemVariantId }) => {
        const row = rowById.get(productId);
        return row ? [withVariant(row, itemVariantId, rowContext.catalog)] : [];
      });
      return { reply: this.json.page(products, nextOffset, rowContext), version };
    });
  }

  /**
   * @returns a ProductResponse with its strong entity tag
   * @throws DomainError product.not-found
   */
  async get(viewerId: number, productId: number, nameLanguage?: Language): Promise<RawReply> {
    const context = await this.currentContext(nameLanguage);
    return this.responses.get(`get ${productId}`, null, context, async () => {
      const [row] = await this.database.read<VersionedProductRow>(visibleProduct, [productId, viewerId]);
      if (!row) throw productNotFound(productId);
      const rowContext = await this.contextFor([row], context);
      // Without a version, the response is not cached: only the owner may see the product, or the
      // catalog was reloaded
      return {
        reply: this.json.product(row, rowContext),
        version: row.listed && rowContext === context ? row.version : undefined,
        product: row,
      };
    });
  }

  /**
   * Returns the product of a page URL, in the variant of the URL; in the representative one if the
   * URL has none.
   *
   * @returns a ProductResponse with the id of the representative variant, and its strong entity tag
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
    if (!row) throw unknownProduct();
    const context = await this.contextOfRows([row]);
    const shown = variant ? withNamedVariant(row, variant, context.catalog) : row;
    return this.json.productOfPage(shown, row.variantId, context);
  }

  /**
   * Returns a material with the products that the viewer may see, in the order of creation.
   *
   * @returns a MaterialResponse as JSON
   * @throws DomainError material.not-found, also for a material that the viewer may not see
   */
  async ofMaterial(viewerId: number, materialId: number, nameLanguage?: Language): Promise<Buffer> {
    const rows = await this.rowsOfMaterial(viewerId, materialId);
    return this.json.material(rows, await this.contextOfRows(rows, nameLanguage));
  }

  /**
   * Returns the same as `ofMaterial`, with print warnings.
   *
   * @returns a MaterialWriteResponse as JSON
   * @throws DomainError material.not-found
   */
  async withWarnings({ viewerId, materialId, language, nameLanguage }: WrittenMaterialRequest): Promise<Buffer> {
    const rows = await this.rowsOfMaterial(viewerId, materialId);
    return this.json.changedMaterial(rows, await this.contextOfRows(rows, nameLanguage), language);
  }

  /**
   * Returns the response to a creation: the same as `withWarnings`.
   *
   * @param rows of the new material
   * @param context with the catalog of the validation
   * @returns a MaterialWriteResponse as JSON
   */
  ofNewMaterial(rows: readonly MaterialAndProductRow[], language: Language, context: ProductContext): Buffer {
    return this.json.changedMaterial(rows, context, language);
  }

  /** Returns the context with a catalog and the sales that run now. */
  async contextOf(catalog: CatalogSnapshot, nameLanguage: Language = 'ja'): Promise<ProductContext> {
    return { catalog, sales: await this.sales.running(), nameLanguage };
  }

  private async currentContext(nameLanguage?: Language): Promise<ProductContext> {
    return this.contextOf(await this.catalog.current(), nameLanguage);
  }

  /** Returns the context, with a reloaded catalog if the given one lacks a variant of the rows. */
  private async contextFor(
    rows: Parameters<typeof catalogForRows>[0],
    context: ProductContext,
  ): Promise<ProductContext> {
    const catalog = await catalogForRows(rows, this.catalog, context.catalog);
    return catalog === context.catalog ? context : { ...context, catalog };
  }

  private async rowsOfMaterial(viewerId: number, materialId: number): Promise<MaterialAndProductRow[]> {
    const rows = await this.database.read<MaterialAndProductRow>(materialAndProducts, [materialId, viewerId]);
    if (rows.length === 0) throw materialNotFound(materialId);
    return rows;
  }

  private async page(
    list: string,
    request: PageRequest & { readonly viewerId: number; readonly nameLanguage?: Language | undefined },
    statementIn: (context: ProductContext) => PageStatement,
  ): Promise<RawReply> {
    const { viewerId, nameLanguage, ...query } = request;
    const context = await this.currentContext(nameLanguage);
    return this.responses.get(`${list} ${JSON.stringify(query)}`, viewerId, context, async () => {
      const { rows, rowContext, version } = await this.selectPage(statementIn(context), viewerId, context);
      const nextOffset = rows.length > query.limit ? query.offset + query.limit : null;
      return { reply: this.json.page(rows.slice(0, query.limit), nextOffset, rowContext), version };
    });
  }

  /**
   * Returns the products of a page and the data version that they were read with.
   *
   * @param page selects `id` and `created_at` for the viewer
   * @param context current context
   * @returns the rows and a context that contains all their variants; without a version if the
   *   response must not be cached, because the viewer has drafts or the catalog was reloaded
   */
  private async selectPage(
    { sql, parameters }: PageStatement,
    viewerId: number,
    context: ProductContext,
  ): Promise<SelectedPage> {
    const viewer = `$${parameters.length + 1}::bigint`;
    const selected = await this.database.read<(ProductRow | EmptyPageRow) & DataState>(
      `with page as (${sql})
       select ${productColumns}, state.version, state."hasDrafts"
       from (select ${productDataVersion} as version, exists (select from products where ${draftsOf(viewer)}) as "hasDrafts") state
         left join (page join products p on p.id = page.id join materials m on m.id = p.material_id
           join accounts.users u on u.id = m.user_id) on true
       order by page.created_at desc, page.id desc`,
      [...parameters, viewerId],
      pageTimeoutMs,
    );
    const { version, hasDrafts } = selected[0]!;
    const rows = selected.filter((row) => row.id !== null);
    const rowContext = await this.contextFor(rows, context);
    return { rows, rowContext, version: hasDrafts || rowContext !== context ? undefined : version };
  }

  private async contextOfRows(
    rows: Parameters<typeof catalogForRows>[0],
    nameLanguage?: Language,
  ): Promise<ProductContext> {
    return this.contextFor(rows, await this.currentContext(nameLanguage));
  }
}

/**
 * Returns the row with the given variant, or the unchanged row if the id is null or is not a
 * variant of the row's item.
 */
function withVariant(row: ProductRow, variantId: number | null, catalog: CatalogSnapshot): ProductRow {
  const variant = variantId === null ? undefined : catalog.variant(variantId);
  return variant?.itemId === row.itemId ? { ...row, variantId: variant.id } : row;
}

/** @throws DomainError product.not-found */
function withNamedVariant(
  row: ProductRow,
  { size, color }: { readonly size: string; readonly color: string },
  catalog: CatalogSnapshot,
): ProductRow {
  const variants = catalog.item(row.itemId)?.variants ?? [];
  const variant = variants.find((it) => it.size.name === size && it.color.name === color);
  if (!variant) throw unknownProduct();
  return { ...row, variantId: variant.id };
}
