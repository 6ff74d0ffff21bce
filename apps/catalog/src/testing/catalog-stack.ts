import { createHash } from 'node:crypto';
import pg from 'pg';
import { MaterialResponse, type PayloadOf, type Services, type Texture, type TextureSource } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { DomainError } from '#kernel';
import { type Database } from '#persistence';
import { type BroadcastListener, type QueueClients, type RawReply } from '#request-queue';
import { testDatabase } from '#testing';
import { ItemCache } from '../items/item.cache.js';
import { itemEntities } from '../items/item.entity.js';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { ItemQueries } from '../items/item.queries.js';
import { ItemRepository } from '../items/item.repository.js';
import { rowsOf } from '../items/item-row.rules.js';
import { MaterialEntity } from '../materials/material.entity.js';
import { MaterialQueries } from '../materials/material.queries.js';
import { MaterialRepository } from '../materials/material.repository.js';
import { MaterialService } from '../materials/material.service.js';
import { ImageSourceQueries } from '../materials/image-source.queries.js';
import { ProductEntity } from '../products/product.entity.js';
import { ProductFactsQueries } from '../products/product-facts.queries.js';
import { CacheValidator } from '../products/caching/cache-validator.queries.js';
import { ReplyValidity } from '../products/caching/reply-validity.rules.js';
import { ResponseCache } from '../products/caching/response.cache.js';
import { ProductQueries } from '../products/product.queries.js';
import { ProductJsonCache } from '../products/caching/product-json.cache.js';
import { PrintedProductQueries } from '../print-files/printed-product.queries.js';
import { PurchaseRepository } from '../purchases/purchase.repository.js';
import { PurchaseService } from '../purchases/purchase.service.js';
import { SaleCache } from '../sales/sale.cache.js';
import { SaleEntity } from '../sales/sale.entity.js';
import { SaleQueries } from '../sales/sale.queries.js';
import { SaleRepository } from '../sales/sale.repository.js';
import { SaleService } from '../sales/sale.service.js';
import { settings } from './catalog-fixture.js';

/** Fake client of material-rendering. Computes the hash of a texture from the source. */
class FakeRenderingClient {
  readonly storedSources: TextureSource[] = [];
  /** Texts that were rendered, with their colors. */
  readonly renderedTexts: { text: string; rgb: string }[] = [];
  /** Returns the error that rejects an image, or undefined for an accepted image. */
  rejectionOf: ((source: TextureSource) => DomainError | undefined) | undefined;
  /** Returns fields of a texture that differ from the default ones. */
  textureFieldsOf: ((source: object) => Partial<Texture>) | undefined;
  /** Runs before each reply; if it rejects, the call fails with its error. */
  beforeReply: (() => Promise<void>) | undefined;

  call(message: 'textures.store', payload: { sources: TextureSource[] }): Promise<Texture[]>;
  call(message: 'textures.render-text', payload: { text: string; rgb: string }): Promise<Texture>;
  async call(
    _message: string,
    payload: { sources: TextureSource[] } | { text: string; rgb: string },
  ): Promise<Texture | Texture[]> {
    await this.beforeReply?.();
    if ('sources' in payload) return this.store(payload.sources);
    this.renderedTexts.push(payload);
    return this.textureOf(payload);
  }

  private store(sources: TextureSource[]): Promise<Texture[]> {
    this.storedSources.push(...sources);
    const rejected = sources.flatMap((source, index) => {
      const error = this.rejectionOf?.(source);
      return error ? [{ error, path: `sources.${index}`, message: error.detail }] : [];
    });
    const [first] = rejected;
    if (!first) return Promise.resolve(sources.map((source) => this.textureOf(source)));
    const errors = rejected.map(({ path, message }) => ({ path, message }));
    return Promise.reject(new DomainError(first.error.kind, first.error.detail, errors));
  }

  private textureOf(source: object): Texture {
    const hash = createHash('sha256').update(JSON.stringify(source)).digest('hex');
    const defaults = { hash, format: 'png', width: 640, height: 480, bytes: 1_000, dominantRgb: '#274b6d' } as const;
    return { ...defaults, ...this.textureFieldsOf?.(source) };
  }
}

export type WantedMaterial = PayloadOf<Services['catalog'], 'materials.create'>;

/** Returns a request to create a material, with defaults for missing fields. */
export const wantedMaterial = (viewerId: number, more: Partial<WantedMaterial> = {}): WantedMaterial => ({
  viewerId,
  texture: { kind: 'url', url: 'https://example.com/cat.png' },
  title: 'Lighthouse',
  price: 300,
  description: null,
  products: [],
  language: 'en',
  ...more,
});

export const wantedProduct = (itemId: number, more: Partial<WantedMaterial['products'][number]> = {}) => ({
  itemId,
  published: true,
  sub_materials: [],
  ...more,
});

/**
 * Opens a new database with the shipped catalog and three users, and creates services and queries
 * of the app.
 */
export async function catalogStack() {
  const db = await testDatabase('catalog', [...itemEntities, MaterialEntity, ProductEntity, SaleEntity]);
  const { database } = db;
  await new ItemRepository(database).replace(rowsOf(readCatalogFiles(blanksFolder)));
  const users = await addUsers(db.ownerUrl);
  // Only this process loads items and creates sales, so no broadcasts are needed
  const noBroadcasts = undefined as unknown as BroadcastListener;
  const catalog = new ItemCache(new ItemQueries(database), settings, noBroadcasts);
  const rendering = new FakeRenderingClient();
  const clients = { of: () => rendering } as unknown as QueueClients;
  const saleQueries = new SaleQueries(database);
  const saleCache = new SaleCache(saleQueries, noBroadcasts);
  const products = createProductQueries({ database, catalog, saleCache });
  const facts = new ProductFactsQueries(database, catalog);
  return {
    database,
    ownerUrl: db.ownerUrl,
    catalog,
    close: () => db.close(),
    rendering,
    products,
    facts,
    saleCache,
    saleQueries,
    sales: new SaleService(new SaleRepository(database), saleQueries, saleCache),
    purchases: new PurchaseService(
      new PurchaseRepository(database),
      saleQueries,
      facts,
      new PrintedProductQueries(database),
      catalog,
    ),
    ...users,
    materials: new MaterialService(
      catalog,
      clients,
      new MaterialRepository(database),
      products,
      new IdempotencyKeys(database),
    ),
    materialQueries: new MaterialQueries(database, new ReplyValidity(settings), settings),
    images: new ImageSourceQueries(database, catalog),
  };
}

interface QueryDependencies {
  readonly database: Database;
  readonly catalog: ItemCache;
  readonly saleCache: SaleCache;
}

/**
 * Creates product queries with empty response and JSON caches, as in another replica. The item
 * cache and the sale cache are the given ones.
 */
export const createProductQueries = ({ database, catalog, saleCache }: QueryDependencies): ProductQueries =>
  new ProductQueries(
    database,
    catalog,
    saleCache,
    new ResponseCache(new CacheValidator(database), new ReplyValidity(settings), settings),
    new ProductJsonCache(settings),
  );

/** Parses the JSON body of a reply. */
export const bodyOf = (reply: RawReply): unknown => JSON.parse(reply.body.toString());

export type CatalogStack = Awaited<ReturnType<typeof catalogStack>>;

/** Ids of items of the shipped catalog. */
export const shirt = 1;
export const mug = 3;
export const phoneCase = 4;

/** Creates a material with the defaults of `wantedMaterial`. */
export const createMaterial = async (
  { materials }: CatalogStack,
  viewerId: number,
  more: Partial<WantedMaterial> = {},
) => MaterialResponse.parse(bodyOf(await materials.create(wantedMaterial(viewerId, more))));

/** Inserts users, as the owner of the database: their table belongs to another service. */
export async function addUsers(ownerUrl: string): Promise<{ hanako: number; taro: number; jiro: number }> {
  const owner = new pg.Client(ownerUrl);
  await owner.connect();
  try {
    const { rows } = await owner.query<{ id: number }>(
      `insert into accounts.users (name, display_name, email)
       values ('Hanako-1', 'Hanako', 'h@example.com'), ('taro', null, 't@example.com'), ('jiro', null, 'j@example.com')
       returning id`,
    );
    const [hanako, taro, jiro] = rows.map(({ id }) => id);
    return { hanako: hanako!, taro: taro!, jiro: jiro! };
  } finally {
    await owner.end();
  }
}

/** Returns the events in the outbox, except those of items and products. */
export const outbox = (database: Database): Promise<{ name: string; payload: Record<string, unknown> }[]> =>
  database.query(
    `select name, payload from outbox where name not like 'items.%' and name not like 'product.%' order by seq`,
  );
