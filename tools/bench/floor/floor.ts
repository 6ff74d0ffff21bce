import { createHash } from 'node:crypto';
import type pg from 'pg';
import { commaSeparated, joinJson, searchColumns } from '#kernel';
import { Database, serviceDataSource } from '#persistence';
import type { FolderBlobStore } from '#storage';
import { buildSnapshot, type CatalogSnapshot } from '../../../apps/catalog/src/items/catalog.snapshot.js';
import { ItemQueries } from '../../../apps/catalog/src/items/item.queries.js';
import { printWarnings } from '../../../apps/catalog/src/materials/print-warning.rules.js';
import { pageOfSale } from '../../../apps/catalog/src/products/sale-page.queries.js';
import { pageOfSearch } from '../../../apps/catalog/src/products/search-page.queries.js';
import { RunningSales } from '../../../apps/catalog/src/sales/sale.rules.js';
import { SaleQueries } from '../../../apps/catalog/src/sales/sale.queries.js';
import { drawStamp } from '../../../apps/social/src/favorites/favorite.rules.js';
import { measure } from '../../../apps/material-rendering/src/children/measure.js';
import { FloorProducts, type FloorSettings, type Row } from './products.js';
import * as statements from './statements.js';

const textTypes = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

interface NewMaterial {
  readonly texture: string;
  readonly title: string;
  readonly price: number;
  readonly products: readonly { readonly itemId: number }[];
}

/** Dependencies of the floor. */
interface Parts {
  readonly pool: pg.Pool;
  readonly blobs: FolderBlobStore;
  readonly catalog: CatalogSnapshot;
  readonly sales: RunningSales;
  readonly products: FloorProducts;
  /** Id of the caller. */
  readonly viewerId: number;
}

/** Minimal implementation of the measured calls, with the same responses as the service. */
export class Floor {
  /** Names of prepared statements by text. */
  private readonly names = new Map<string, string>();

  private constructor(private readonly parts: Parts) {}

  /** Creates the floor; reads items and sales once. */
  static async of(pool: pg.Pool, blobs: FolderBlobStore, settings: FloorSettings, viewerId: number): Promise<Floor> {
    const url = pool.options.connectionString!;
    const source = serviceDataSource({ service: 'catalog', url, poolSize: 1, entities: [] });
    const database = new Database(await source.initialize());
    const catalog = buildSnapshot(await new ItemQueries(database).wholeCatalog(), settings);
    const sales = new RunningSales(await new SaleQueries(database).notEnded());
    await source.destroy();
    const products = new FloorProducts(catalog, sales, settings);
    return new Floor({ pool, blobs, catalog, sales, products, viewerId });
  }

  /** Handles a request. Returns the body, or undefined if the product is missing or not listed. */
  async respond(method: string, address: string, pieces: readonly Buffer[]): Promise<Buffer | undefined> {
    const [path, query] = address.slice('/api/v1'.length).split('?') as [string, string | undefined];
    if (method === 'POST') {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as unknown;
      if (path === '/materials') return this.createMaterial(body as NewMaterial);
      return this.placeFavorite(Number(path.split('/')[2]), (body as { count: number }).count);
    }
    if (path === '/items') return this.parts.catalog.listJson;
    const parameters = new URLSearchParams(query);
    const page = { limit: Number(parameters.get('limit') ?? 20), offset: Number(parameters.get('offset') ?? 0) };
    if (path === '/products') {
      const filters = { user_id: parameters.get('userId'), item_id: parameters.get('itemId') };
      const [filter] = Object.entries(filters).filter(([, value]) => value !== null);
      const sql = statements.listOf(filter && `${filter[0]} = $1`, page);
      return this.page(await this.rows(sql, filter ? [filter[1]] : []), page);
    }
    if (path === '/products/search') {
      const request = { viewerId: this.parts.viewerId, q: parameters.get('q')!, ...page };
      return this.readPage(pageOfSearch(request, this.parts.catalog), page);
    }
    if (path === '/products/on_sale')
      return this.readPage(pageOfSale({ viewerId: this.parts.viewerId, ...page }, this.parts.sales.targets), page);
    if (path === '/materials')
      return this.materials(await this.rows(statements.materialsOf(page), [this.parts.viewerId]), page);
    const [, kind, id] = path.split('/');
    if (kind === 'choices')
      return this.page(await this.rows(statements.choiceOf(page), [id]), page, (row) => Number(row.at(-1)));
    const [row] = await this.rows(statements.productById, [id]);
    if (!row) return undefined;
    const product = this.parts.products.detail(row);
    return joinJson(['{"products":', ...product, ',"product":', ...product, '}']);
  }

  /**
   * Returns a page of found products or of products on sale. The statement of the service selects
   * their ids.
   */
  private async readPage(found: { sql: string; parameters: readonly unknown[] }, page: Page): Promise<Buffer> {
    const sql = statements.productsOf(found.sql.replaceAll(/\bfrom products\b/g, 'from catalog.products'));
    return this.page(await this.rows(sql, found.parameters), page);
  }

  /** Serializes a page. @param variantIdOf variant of a product; default: its exemplary variant */
  private page(rows: readonly Row[], { limit }: Page, variantIdOf?: (row: Row) => number): Buffer {
    const products = rows.slice(0, limit).map((row) => this.parts.products.product(row, variantIdOf?.(row)));
    return joinJson(['{"products":[', ...commaSeparated(products), `],"meta":{"hasNext":${rows.length > limit}}}`]);
  }

  private materials(rows: readonly Row[], { limit }: Page): Buffer {
    const materials = rows.slice(0, limit).map((row) => this.parts.products.material(row));
    return Buffer.from(`{"materials":[${materials.join()}],"meta":{"hasNext":${rows.length > limit}}}`);
  }

  private async placeFavorite(productId: number, count: number): Promise<Buffer | undefined> {
    const { x, y, rotation } = drawStamp(Math.random);
    const [row] = await this.rows(statements.placeFavorite, [this.parts.viewerId, productId, count, x, y, rotation]);
    if (!row) return undefined;
    const favorite = `{"id":${row[0]},"count":${row[1]},"rotation":${row[2]},"x":${row[3]},"y":${row[4]}}`;
    return Buffer.from(`{"favorite":${favorite},"meta":{"totalCount":${row[5]}}}`);
  }

  private async createMaterial({ texture, title, price, products }: NewMaterial): Promise<Buffer> {
    const bytes = Buffer.from(texture.slice(texture.indexOf(',') + 1), 'base64');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const measured = await measure(bytes);
    if (measured.kind !== 'measured') throw new Error(measured.reason);
    const { width, height, format, dominantRgb } = measured;
    await this.parts.blobs.put(`textures/${hash}`, bytes);
    const { searchText, searchTokens } = searchColumns(title);
    const itemIds = products.map(({ itemId }) => itemId);
    const values = [this.parts.viewerId, hash, format, width, height, bytes.length, dominantRgb, title, price];
    const [made] = await this.rows(statements.createMaterial, [...values, searchText, searchTokens, itemIds]);
    const rows = await this.rows(statements.productsOfMaterial, [made![0]]);
    const printed = rows.map((row) => ({
      item: this.parts.catalog.item(Number(row[1]))!,
      resizeMode: null,
      placement: null,
      prints: [],
    }));
    const warnings = printWarnings({ width, height, dominantRgb }, printed, 'en');
    const material = this.parts.products.material(rows[0]!, 10);
    const shown = commaSeparated(rows.map((row) => this.parts.products.product(row)));
    return joinJson([`{"material":${material},"products":[`, ...shown, `],"warnings":${JSON.stringify(warnings)}}`]);
  }

  private async rows(text: string, values: readonly unknown[]): Promise<Row[]> {
    let name = this.names.get(text);
    if (name === undefined) this.names.set(text, (name = `s${this.names.size}`));
    const query = { name, text, values: [...values], rowMode: 'array' as const, types: textTypes };
    return (await this.parts.pool.query<(string | null)[]>(query)).rows;
  }
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}
