import pg from 'pg';
import { type PayloadOf, problems, type ReplyOf, type Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { DomainError, type ProblemKind } from '#kernel';
import { type QueueClients, RawReply } from '#request-queue';
import { testDatabase, type TestDatabase } from '#testing';
import { ChoiceEntity } from '../choices/choice.entity.js';
import { ChoiceProductEntity } from '../choices/choice-product.entity.js';
import { ChoiceQueries } from '../choices/choice.queries.js';
import { ChoiceRepository } from '../choices/choice.repository.js';
import { ChoiceService } from '../choices/choice.service.js';
import { FavoriteBatcher } from '../favorites/favorite.batcher.js';
import { FavoriteEntity } from '../favorites/favorite.entity.js';
import { FavoriteQueries } from '../favorites/favorite.queries.js';
import { FavoriteRepository } from '../favorites/favorite.repository.js';
import { FavoriteService } from '../favorites/favorite.service.js';
import { ProductFavoritesEntity } from '../favorites/product-favorites.entity.js';
import { ProductWriteLimiter } from '../favorites/product-write.limiter.js';
import { ProductRepository } from '../products/product.repository.js';

type CatalogMessages = Services['catalog'];

const rejected = (kind: ProblemKind, path: string): DomainError =>
  new DomainError(kind, `${path}: is rejected`, [{ path, message: 'is rejected' }]);

/** Representative variant of each product, and a variant of another item. */
export const representative = 11;
export const foreignVariant = 666;

/** Fake client of the catalog service, which reads `catalog.products` as the real service does. */
class FakeCatalog {
  /** Pages requested so far. */
  readonly pages: PayloadOf<CatalogMessages, 'products.page'>[] = [];
  /** Runs before each page is read, to change data between the queries of the two services. */
  beforePage: () => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly owner: pg.Client) {}

  call(name: string, payload: never): Promise<unknown> {
    return name === 'products.choose' ? this.choose(payload) : this.page(payload);
  }

  async request(_name: 'products.page', payload: PayloadOf<CatalogMessages, 'products.page'>) {
    try {
      const page = await this.page(payload);
      const { status, headers, body } = RawReply.page(JSON.stringify(page), payload.nextOffset);
      return { status, headers, body, isProblem: false };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { status, headers } = error;
      return { status, headers, body: Buffer.from(JSON.stringify(error.body())), isProblem: true };
    }
  }

  private async choose({ viewerId, entries }: PayloadOf<CatalogMessages, 'products.choose'>) {
    const ids = entries.map(({ productId }) => productId);
    const visible = new Set((await this.visible(viewerId, ids)).map(({ id }) => id));
    for (const [index, { productId, itemVariantId }] of entries.entries()) {
      if (!visible.has(productId)) throw rejected(problems['product.not-found'], `entries.${index}.productId`);
      if (itemVariantId === foreignVariant)
        throw rejected(problems['item-variant.not-of-item'], `entries.${index}.itemVariantId`);
    }
    return { entries: entries.map((entry) => ({ ...entry, itemVariantId: entry.itemVariantId ?? representative })) };
  }

  private async page(request: PayloadOf<CatalogMessages, 'products.page'>) {
    this.pages.push(request);
    await this.beforePage();
    const ids = request.entries.map(({ productId }) => productId);
    const visible = new Set((await this.visible(request.viewerId, ids)).map(({ id }) => id));
    const products = request.entries
      .filter(({ productId }) => visible.has(productId))
      .map(({ productId, itemVariantId }) => ({ id: productId, sampleItemVariant: { id: itemVariantId } }));
    return { products, meta: { hasNext: request.nextOffset !== null } };
  }

  private async visible(viewerId: number, ids: readonly number[]) {
    const { rows } = await this.owner.query<{ id: number; user_id: number }>(
      'select id, user_id from catalog.products where id = any($1) and (listed or user_id = $2)',
      [ids, viewerId],
    );
    return rows;
  }
}

/** Writes users and products as the services that own them do. */
export class OtherServices {
  constructor(readonly owner: pg.Client) {}

  async addUsers(): Promise<{ hanako: number; taro: number; jiro: number }> {
    const { rows } = await this.owner.query<{ id: number }>(
      `insert into accounts.users (name, display_name, avatar_url, email)
       values ('Hanako-1', 'Hanako', 'https://example.com/1.png', 'h@example.com'),
         ('taro', null, null, 't@example.com'), ('jiro', null, null, 'j@example.com')
       returning id`,
    );
    const [hanako, taro, jiro] = rows.map(({ id }) => id);
    return { hanako: hanako!, taro: taro!, jiro: jiro! };
  }

  /** Adds products of one user and item, with the titles `Product <id> Mug`, in one statement. */
  async addProducts(ids: readonly number[], userId: number, { itemId = 1, published = true } = {}): Promise<void> {
    await this.owner.query(
      `with materials as (
         insert into catalog.materials (id, user_id, title, price, published, texture_hash, texture_format,
           original_width, original_height)
         overriding system value
         select id, $2, 'Product ' || id, 0, false, repeat('0', 64), 'png', 1, 1 from unnest($1::bigint[]) as id
       )
       insert into catalog.products
         (id, material_id, user_id, item_id, exemplary_variant_id, published, published_at)
       overriding system value
       select id, id, $2, $3, 11, $4, now() from unnest($1::bigint[]) as id`,
      [ids, userId, itemId, published],
    );
  }

  async publish(productId: number, published: boolean): Promise<void> {
    await this.owner.query('update catalog.products set published = $2 where id = $1', [productId, published]);
  }

  async deleteProducts(ids: readonly number[]): Promise<void> {
    await this.owner.query('delete from catalog.products where id = any($1)', [ids]);
  }
}

// Pauses a write after it has locked its rows; a table lock would block the write before it locks
// any
const slowOutbox = [
  `create function social.wait_for_test() returns trigger language plpgsql as $$
   begin
     perform pg_advisory_xact_lock_shared(1);
     return new;
   end $$`,
  'create trigger wait_for_test before insert on social.outbox for each row execute function social.wait_for_test()',
];
/** Simulates a slow disk: blocks inserts into the outbox until the end of the transaction. */
export const lockOutbox = 'select pg_advisory_xact_lock(1)';

/**
 * Connects as the owner of all schemas, disables triggers and foreign keys in the session, and adds
 * two items and the trigger of `lockOutbox`.
 */
export async function connectAsOwner(db: TestDatabase): Promise<pg.Client> {
  const owner = new pg.Client(db.ownerUrl);
  await owner.connect();
  // Without foreign keys, so that items need no rows of other tables
  await owner.query('set session_replication_role = replica');
  await owner.query(
    `insert into catalog.items (id, name, display_name, category_name, display_order, is_embroidery, resize_modes,
       available_print_places, default_print_place, print_place_display_names, print_areas, angles, image_descriptions,
       exemplary_variant_id, enabled)
     select id, 'mug-' || id, '{"ja": "Mug", "en": "Cup"}', 'mugs', 1, false, '{contain}', '{front}', 'front', '{}', '{}', '[]',
       '{}', 11, true
     from generate_series(1, 2) as id`,
  );
  for (const statement of slowOutbox) await owner.query(statement);
  return owner;
}

/** More slots than any test has concurrent requests. */
const slots = 1_000;

/** Creates a database with three users, and the services, repositories and queries that use it. */
export async function socialStack() {
  const db = await testDatabase('social', [ChoiceEntity, ChoiceProductEntity, FavoriteEntity, ProductFavoritesEntity]);
  const { database } = db;
  const owner = await connectAsOwner(db);
  const others = new OtherServices(owner);
  const catalog = new FakeCatalog(owner);
  const clients = { of: () => catalog } as unknown as QueueClients;
  const keys = new IdempotencyKeys(database);
  const products = new ProductRepository();
  const favorites = new FavoriteRepository(database);
  const choices = new ChoiceRepository(database, products);
  const choiceQueries = new ChoiceQueries(database, clients);
  return {
    db,
    database,
    others,
    catalog,
    products,
    choices: new ChoiceService(clients, keys, choices, choiceQueries),
    choiceQueries,
    favorites: new FavoriteService(keys, favorites, new FavoriteBatcher(favorites), new ProductWriteLimiter(slots)),
    favoriteQueries: new FavoriteQueries(database, clients),
    ...(await others.addUsers()),
    empty: async () => {
      for (const table of ['choices', 'favorites', 'product_favorites', 'outbox', 'inbox', 'idempotency_keys'])
        await database.query(`delete from ${table}`);
      for (const table of ['products', 'materials']) await owner.query(`delete from catalog.${table}`);
      catalog.pages.length = 0;
      catalog.beforePage = () => Promise.resolve();
    },
    close: async () => {
      await owner.end();
      await db.close();
    },
  };
}

export type SocialStack = Awaited<ReturnType<typeof socialStack>>;

/** Parses the body of a reply, typed as the reply to the given message. */
export const bodyOf = <Name extends keyof Services['social']>(_name: Name, reply: RawReply) =>
  JSON.parse(reply.body.toString()) as ReplyOf<Services['social'], Name>;
