import pg from 'pg';
import { Database, serviceDataSource } from '#persistence';
import { rowsOf } from '../../../apps/catalog/src/items/item-row.rules.js';
import { ItemRepository } from '../../../apps/catalog/src/items/item.repository.js';
import { itemEntities } from '../../../apps/catalog/src/items/item.entity.js';
import { searchColumns } from '#kernel';
import { Random } from '../../../e2e/load/random.js';
import { largeCatalog } from './items.js';
import { copyRows, setSequence, vacuum } from './tables.js';
import { titleOf } from './titles.js';

interface SeedPlan {
  readonly products: number;
  readonly users: number;
  readonly items: number;
  /** Ids of creators whose tokens the measurement has. */
  readonly creators: readonly number[];
}

/** Seeded objects that calls request. */
export interface Seeded {
  readonly itemIds: readonly number[];
  readonly userIds: readonly number[];
  /** Published products. */
  readonly productIds: readonly number[];
  readonly choiceId: number;
}

const productsPerMaterial = 5;
const unpublishedShare = 0.05;
/** Upper limit of the creation times of products, which are one second apart. */
const newest = Date.UTC(2026, 9, 1);
const productsOfChoice = 200;

/**
 * Fills the tables of a running stack with the same data each time, except for times relative to
 * now: items with up to 30 variants, users, materials with titles in two languages, products, sales
 * and a choice. COPY writes users, materials and products. About one in twenty products is
 * unpublished, but none of `creators`.
 */
export async function seed(databaseUrl: string, plan: SeedPlan): Promise<Seeded> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const itemIds = await seedItems(databaseUrl, plan.items);
    const userIds = await seedUsers(client, plan);
    const context = { ...plan, client, random: new Random(7) };
    await seedProducts(context, itemIds, await seedMaterials(context, userIds));
    await client.query(
      `insert into catalog.sales (name, item_id, percent, starts_at) values ('Item', $1, 20, now() - interval '1 day')`,
      [itemIds[3]],
    );
    await client.query(
      `insert into catalog.sales (name, user_id, percent, starts_at) select 'User', id, 10, now() - interval '1 day'
       from unnest($1::bigint[]) id`,
      [userIds.slice(100, 110)],
    );
    const choiceId = await seedChoice(client, plan.creators[0]!);
    for (const table of ['accounts.users', 'catalog.materials', 'catalog.products', 'social.choice_products'])
      await vacuum(client, table);
    // The floor writes events into a separate table, so that relays do not publish them
    for (const schema of ['social', 'catalog'])
      await client.query(`create table ${schema}.floor_outbox (like ${schema}.outbox including all)`);
    await client.query('checkpoint');
    const { rows } = await client.query<{ id: string }>(
      'select id from catalog.products where listed and id % 7 = 0 order by md5(id::text) limit 2000',
    );
    return { itemIds, userIds, productIds: rows.map(({ id }) => Number(id)), choiceId };
  } finally {
    await client.end();
  }
}

async function seedItems(databaseUrl: string, count: number): Promise<number[]> {
  const source = serviceDataSource({ service: 'catalog', url: databaseUrl, poolSize: 1, entities: itemEntities });
  const files = largeCatalog(count);
  try {
    await new ItemRepository(new Database(await source.initialize())).replace(rowsOf(files));
  } finally {
    await source.destroy();
  }
  return files.items.map(({ id }) => id);
}

async function seedUsers(client: pg.Client, { users, creators }: SeedPlan): Promise<number[]> {
  const first = Math.max(...creators) + 1;
  const ids = Array.from({ length: Math.max(0, users - creators.length) }, (_, n) => first + n);
  await copyRows(client, 'accounts.users (id, name, display_name, avatar_url, email)', ids, (id) => [
    id,
    `artist-${id}`,
    id % 3 === 0 ? `作家 ${id}` : `Artist ${id}`,
    id % 2 === 0 ? `https://images.example.com/avatars/${id}.png` : null,
    `artist-${id}@example.com`,
  ]);
  await setSequence(client, 'accounts.users');
  return [...creators, ...ids];
}

interface SeededMaterial {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  readonly at: Date;
}

interface SeedContext extends SeedPlan {
  readonly client: pg.Client;
  /** Deterministic random numbers. */
  readonly random: Random;
}

async function seedMaterials(
  { client, random, products }: SeedContext,
  userIds: readonly number[],
): Promise<SeededMaterial[]> {
  const count = Math.ceil(products / productsPerMaterial);
  const materials = Array.from({ length: count }, (_, n): SeededMaterial => {
    // Skewed: a few users have most materials
    const creator = userIds[Math.floor(userIds.length * random.next() ** 2)]!;
    const at = new Date(newest - (products - n * productsPerMaterial) * 1_000);
    return { id: n + 1, userId: creator, title: titleOf(random, n, count), at };
  });
  await copyRows(
    client,
    `catalog.materials (id, user_id, title, description, price, published, published_at, texture_hash, texture_format,
      original_width, original_height, dominant_rgb, uploaded_at, created_at, updated_at)`,
    materials,
    ({ id, userId, title, at }) => [
      ...[id, userId, title, id % 4 === 0 ? `${title}.\nDrawn by hand.` : null, (id % 10) * 100, true, at],
      ...[id.toString(16).padStart(64, '0'), 'png', 2_000 + (id % 500), 1_500, '#a0522d', at, at, at],
    ],
  );
  await setSequence(client, 'catalog.materials');
  return materials;
}

async function seedProducts(
  context: SeedContext,
  itemIds: readonly number[],
  materials: readonly SeededMaterial[],
): Promise<void> {
  const { client } = context;
  const variants = await exemplaryVariants(client);
  await copyRows(
    client,
    `catalog.products (id, material_id, user_id, item_id, exemplary_variant_id, published, published_at, created_at,
      updated_at, search_text, search_tokens)`,
    generateProducts(context, itemIds, materials),
    ({ id, material, itemId, published, n }) => {
      const at = new Date(material.at.getTime() + n * 1_000);
      const { searchText, searchTokens } = searchColumns(material.title);
      return [
        ...[id, material.id, material.userId, itemId, variants.get(itemId)!, published, published ? at : null, at, at],
        ...[searchText, `{${searchTokens.map((token) => JSON.stringify(token)).join()}}`],
      ];
    },
  );
  await setSequence(client, 'catalog.products');
}

interface SeededProduct {
  readonly id: number;
  readonly material: SeededMaterial;
  readonly itemId: number;
  readonly published: boolean;
  /** Index among the products of the material. */
  readonly n: number;
}

/** Yields products of each material on some items. */
function* generateProducts(
  context: SeedContext,
  itemIds: readonly number[],
  materials: readonly SeededMaterial[],
): Iterable<SeededProduct> {
  const { products, creators, random } = context;
  let id = 0;
  for (const material of materials) {
    const first = random.below(itemIds.length);
    for (let n = 0; n < productsPerMaterial && id < products; n += 1) {
      // The creators, who send the requests, have no drafts, like most visitors
      const published = random.next() >= unpublishedShare || creators.includes(material.userId);
      yield { id: ++id, material, itemId: itemIds[(first + 7 * n) % itemIds.length]!, published, n };
    }
  }
}

async function exemplaryVariants(client: pg.Client): Promise<Map<number, number>> {
  const { rows } = await client.query<{ id: string; variant: string }>(
    'select id, exemplary_variant_id as variant from catalog.items',
  );
  return new Map(rows.map(({ id, variant }) => [Number(id), Number(variant)]));
}

async function seedChoice(client: pg.Client, userId: number): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    `insert into social.choices (user_id, title, secret) values ($1, 'Favourites of the summer', false) returning id`,
    [userId],
  );
  const choiceId = Number(rows[0]!.id);
  await client.query(
    `with chosen as (
       select id, exemplary_variant_id from catalog.products where listed and id % 11 = 0 order by id limit ${productsOfChoice}
     ), known as (insert into social.product_favorites (product_id, total_count) select id, 0 from chosen returning product_id)
     insert into social.choice_products (choice_id, product_id, item_variant_id, position)
     select $1, id, exemplary_variant_id, row_number() over (order by id) from chosen join known on product_id = id`,
    [choiceId],
  );
  return choiceId;
}
