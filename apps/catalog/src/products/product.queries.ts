import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { type CatalogSnapshot, ItemCatalog } from '../items/item-catalog.js';
import { materialNotFound } from '../materials/material.errors.js';
import { materialJson, type MaterialRow } from '../materials/material-json.js';
import { materialColumns } from '../materials/material.queries.js';
import { type Presentation, presentationOf } from '../presentation.js';
import { CatalogSettings } from '../settings.js';
import { catalogOf } from './catalog-of-rows.js';
import { productDetailJson, productJson, type ProductParts, type ProductRow } from './product-json.js';
import { pageOfProducts } from './product-page.js';
import { productTitle } from './product.js';
import { productNotFound } from './product.errors.js';

/** The columns of a `ProductRow`, beside those of its material: of `products p`. */
const productColumns = `
  p.id, p.item_id as "itemId", p.exemplary_variant_id as "variantId", p.published, p.published_at as "publishedAt",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.resize_mode as "resizeMode", p.prints,
  ${materialColumns}`;

type WithoutProduct = MaterialRow & { readonly id: null; readonly variantId: null };

/** Products as answers. Each is one statement and the assembly of texts. */
@Injectable()
export class ProductQueries {
  private readonly presentation: Presentation;

  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCatalog,
    settings: CatalogSettings,
  ) {
    this.presentation = presentationOf(settings);
  }

  /** @returns a ProductListResponse as JSON */
  async list(request: PayloadOf<Services['catalog'], 'products.list'>): Promise<string> {
    const page = pageOfProducts(request);
    const rows = await this.database.query<ProductRow>(
      `with page as (${page.sql})
       select ${productColumns}
       from page join products p on p.id = page.id join materials m on m.id = p.material_id
         join accounts.users u on u.id = m.user_id
       order by page.created_at desc, page.id desc`,
      page.parameters,
    );
    const catalog = await catalogOf(rows, this.catalog);
    const products = rows.slice(0, request.limit).map((row) => this.product(row, catalog));
    return `{"products":[${products.join()}],"meta":{"hasNext":${rows.length > request.limit}}}`;
  }

  /**
   * @returns a ProductResponse as JSON, and its strong entity tag
   * @throws DomainError product.not-found
   */
  async get(viewerId: number, productId: number): Promise<{ json: string; etag: string }> {
    const row = await this.visible(viewerId, productId);
    const parts = partsOf(row, await catalogOf([row], this.catalog));
    const product = productDetailJson(row, parts, this.presentation);
    const json = `{"products":${product},"product":${product}}`;
    return { json, etag: `"${createHash('sha1').update(json).digest('hex')}"` };
  }

  /** @throws DomainError product.not-found */
  async owner(viewerId: number, productId: number): Promise<ReplyOf<Services['catalog'], 'products.owner'>> {
    const row = await this.visible(viewerId, productId);
    const { item } = partsOf(row, await catalogOf([row], this.catalog));
    return { productId, title: productTitle(row.materialTitle, item), ownerId: row.userId };
  }

  /**
   * A material with all its products in the order in which they were made, as its owner sees it.
   *
   * @returns a MaterialResponse as JSON
   * @throws DomainError material.not-found
   */
  async ofMaterial(materialId: number): Promise<string> {
    // A material without products is one row without a product
    const rows = await this.database.query<ProductRow | WithoutProduct>(
      `select ${productColumns}
       from materials m join accounts.users u on u.id = m.user_id left join products p on p.material_id = m.id
       where m.id = $1
       order by p.id`,
      [materialId],
    );
    const catalog = await catalogOf(rows, this.catalog);
    const [first] = rows;
    if (!first) throw materialNotFound(materialId);
    const products = rows.flatMap((row) => (row.id === null ? [] : [this.product(row, catalog)]));
    return `{"material":${materialJson(first, this.presentation)},"products":[${products.join()}]}`;
  }

  private product(row: ProductRow, catalog: CatalogSnapshot): string {
    return productJson(row, partsOf(row, catalog), this.presentation);
  }

  /** What everybody may see, or the viewer as its owner. */
  private async visible(viewerId: number, productId: number): Promise<ProductRow> {
    const [row] = await this.database.query<ProductRow>(
      `select ${productColumns}
       from products p join materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id
       where p.id = $1 and (p.listed or p.user_id = $2)`,
      [productId, viewerId],
    );
    if (!row) throw productNotFound(productId);
    return row;
  }
}

function partsOf(row: ProductRow, catalog: CatalogSnapshot): ProductParts {
  const item = catalog.item(row.itemId);
  const variant = catalog.variant(row.variantId);
  if (!item || !variant) throw new Error(`product ${row.id}: its item ${row.itemId} is not in the catalogue`);
  return { item, variant };
}
