import pg from 'pg';
import { seed } from '../../tools/bench/calls/seed.js';
import { vacuum } from '../../tools/bench/calls/tables.js';

/** Ids of special users and products in a large shop. */
export interface LargeShop {
  readonly products: number;
  readonly users: number;
  /** User without drafts, secret choices and activities. */
  readonly visitor: number;
  /** User with many products, some unpublished. */
  readonly creator: number;
  readonly creatorName: string;
  /** User who has favorited every tenth product. */
  readonly collector: number;
  /** User with every tenth choice, half of them secret, and every tenth activity. */
  readonly curator: number;
  readonly curatorName: string;
  /** Product that all users have favorited. */
  readonly popularProduct: number;
  readonly itemIds: readonly number[];
  readonly materialId: number;
  readonly choiceId: number;
}

const itemCount = 40;
const [visitor, creator, collector, curator] = [1, 2, 3, 4] as const;
const nameOf = (id: number): string => `artist-${id}`;

/** Returns an SQL expression that maps `n` to a user id: the same for the same `n`. */
const someUser = (n: string, users: number): string => `1 + (${n})::bigint * 7919 % ${users}`;

/** Statements that insert favorites, choices and activities. */
const interactionInserts = ({ products, users }: { products: number; users: number }): readonly string[] => [
  'insert into social.product_favorites (product_id, total_count) select id, 0 from catalog.products on conflict do nothing',
  `insert into social.favorites (product_id, user_id, count, anonymous, x, y, rotation, created_at)
   select id, user_id, 1, (id + user_id) % 10 = 0, 0.5, 0.5, 0, timestamptz '2026-10-01' + n * interval '1 second'
   from (
     select row_number() over () as n, id, user_id from (
       select id, ${collector} as user_id from catalog.products where id % 10 = 0
       union select ${products / 2}, id from generate_series(1, ${users}) as id
       union select id, ${someUser('id', users)} from generate_series(1, ${products}) as id where id % 2 = 1
     ) as pairs
   ) as numbered`,
  `insert into social.choices (user_id, title, secret, created_at)
   select case n % 10 when 0 then ${curator} else ${someUser('n', users)} end, 'Choice ' || n, n % 20 < 2,
     timestamptz '2026-01-01' + n * interval '1 minute'
   from generate_series(1, ${products / 20}) as n`,
  `insert into social.choice_products (choice_id, product_id, item_variant_id, position)
   select choice.id, p.id, p.exemplary_variant_id, place
   from social.choices choice cross join generate_series(1, 5) as place
     join catalog.products p on p.id = 1 + (choice.id * 31 + place * 17) % ${products}
   where choice.title like 'Choice %'`,
  `insert into activity.activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at, read_at)
   select gen_random_uuid(), receiver, sender, sender, 'sale', jsonb_build_object('productId', n, 'productTitle', 'Cat'), at,
     case when n > 300 then at end
   from (
     select n, case n % 10 when 0 then ${curator} else ${someUser('n', users)} end as receiver,
       ${someUser('n + 1', users)} as sender, now() - n * interval '1 year' / ${products / 2} as at
     from generate_series(1, ${products / 2}) as n
   ) as sold`,
];

const filledTables = [
  ...['product_favorites', 'favorites', 'choices', 'choice_products'].map((table) => `social.${table}`),
  'activity.activities',
];

/**
 * Fills a migrated database with products and all related rows: the same each time, except for
 * event ids and times relative to now.
 *
 * @param ownerUrl URL of the owner of all schemas
 */
export async function fillLargeShop(ownerUrl: string, size: { products: number; users: number }): Promise<LargeShop> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(
      `insert into accounts.users (id, name, email) overriding system value values (${visitor}, '${nameOf(visitor)}', 'visitor@example.com')`,
    );
    const seeded = await seed(ownerUrl, { ...size, items: itemCount, creators: [visitor] });
    for (const statement of interactionInserts(size)) await client.query(statement);
    for (const table of filledTables) await vacuum(client, table);
    await client.query('checkpoint');
    const { itemIds, choiceId } = seeded;
    const popularProduct = size.products / 2;
    return {
      ...size,
      visitor,
      creator,
      creatorName: nameOf(creator),
      collector,
      curator,
      curatorName: nameOf(curator),
      popularProduct,
      itemIds,
      choiceId,
      materialId: popularProduct / 5,
    };
  } finally {
    await client.end();
  }
}
