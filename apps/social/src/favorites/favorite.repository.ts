import { Injectable } from '@nestjs/common';
import type { Favorite, FavoriteCreateResponse } from '#contracts';
import { appendEvent, insertOfEvent } from '#events';
import type { StoreResponse, StoredResponse } from '#idempotency';
import type { DomainError } from '#kernel';
import { Database, heldAuthor, type Run, userGone } from '#persistence';
import { RawReply } from '#request-queue';
import type { z } from 'zod';
import { productNotFound } from '../products/product.errors.js';
import { visibleProduct } from '../products/visible-product.queries.js';
import { favoriteNotFound } from './favorite.errors.js';
import type { Stamp } from './favorite.rules.js';
import { ProductFavoritesEntity } from './product-favorites.entity.js';

interface NewFavorite {
  readonly userId: number;
  readonly productId: number;
  /** How many favorites are added. */
  readonly count: number;
  readonly anonymous: boolean;
  /** For a favorite that does not exist yet. */
  readonly stamp: Stamp;
}

/** Favorites to be added, and the reply to be kept with them where the request has an idempotency key. */
export interface Addition {
  readonly favorite: NewFavorite;
  readonly keep: StoreResponse | undefined;
  /** `metadataOfCall()` of its request. */
  readonly metadata: Readonly<Record<string, string>>;
}

type PlacedFavorites = z.output<typeof FavoriteCreateResponse>;
type PlacedRow = PlacedFavorites['favorite'] & PlacedFavorites['meta'];
type Placed = { userId: number; here: boolean } & (PlacedRow | { id: null });

const counted = `
    on conflict (product_id) do update set total_count = known.total_count + excluded.total_count
      where not known.deleted
    returning product_id, total_count`;

const added = `
    on conflict (user_id, product_id) do update
      set count = favorites.count + excluded.count, anonymous = excluded.anonymous, updated_at = now()
    returning user_id, id, count, anonymous, x, y, rotation`;

/** `shown` is the product as its user sees it, `placed` the favorite. */
const told = (metadata: string, from: string): string =>
  insertOfEvent('favorite.placed', {
    payload: {
      favoriteId: 'placed.id',
      productId: 'shown.id',
      productTitle: 'shown.title',
      ownerId: 'shown.user_id',
      userId: 'placed.user_id',
      anonymous: 'placed.anonymous',
      count: 'placed.count',
    },
    metadata,
    from,
  });

/**
 * Everything in one statement. The author is held before anything is locked. The favorite selects from the counter, which
 * is the row of the product: it is always locked first, so that no two statements wait for each other, and a product that
 * is gone has no counter here.
 */
const placeOne = `
  with ${heldAuthor('$2')}, shown as (
    select p.id, p.user_id, p.title from author, catalog.titled_products p
    where here and p.id = $1 and ${visibleProduct('p', '$2')}
  ), total as (
    insert into product_favorites as known (product_id, total_count)
    select id, $3::bigint from shown ${counted}
  ), placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation)
    select $2::bigint, product_id, $3::bigint, $4::boolean, $5::float8, $6::float8, $7::integer from total ${added}
  ), told as (
    ${told('$8', 'placed, shown')}
  )
  select $2::bigint as "userId", here, id, count, rotation, x, y, total_count as "totalCount"
  from author left join (placed cross join total) on true`;

/**
 * The same for one favorite of each of several users, who are held in their order, so that no two statements wait for each
 * other's. Each total is the one after its favorite, as if they were placed one after the other in that order. For a single
 * favorite PostgreSQL takes 1.25 times as long as for `placeOne`.
 */
const placeMany = `
  with wanted as materialized (
    select hold_user(user_id) as here, wanted.* from jsonb_to_recordset($2::jsonb) as wanted (user_id bigint, count bigint,
      anonymous boolean, x float8, y float8, rotation integer, metadata jsonb)
  ), shown as (
    select p.id, p.user_id, p.title, wanted.user_id as viewer_id, count, anonymous, x, y, rotation, metadata
    from wanted, catalog.titled_products p where here and p.id = $1 and ${visibleProduct('p', 'wanted.user_id')}
  ), total as (
    insert into product_favorites as known (product_id, total_count)
    select id, sum(count) from shown group by id ${counted}
  ), placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation)
    select viewer_id, id, count, anonymous, x, y, rotation from total join shown on id = product_id ${added}
  ), told as (
    ${told('shown.metadata', 'placed join shown on viewer_id = placed.user_id')}
  )
  select wanted.user_id as "userId", here, id, placed.count, placed.rotation, placed.x, placed.y,
    (total_count - coalesce(sum(wanted.count) filter (where id is not null) over later, 0))::bigint as "totalCount"
  from wanted left join (placed cross join total) using (user_id)
  window later as (order by wanted.user_id rows between 1 following and unbounded following)`;

/**
 * Needs the lock of the counter from a statement before: the total would be checked against the count that this statement
 * found when it began.
 */
const withdraw = `
  with withdrawn as (
    delete from favorites where user_id = $1 and product_id = $2 returning id, count, product_id
  ), counted as (
    update product_favorites as total set total_count = total.total_count - withdrawn.count
    from withdrawn where total.product_id = withdrawn.product_id
  )
  select id, count, product_id as "productId" from withdrawn`;

@Injectable()
export class FavoriteRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds favorites to one product, one of each user, and says `favorite.placed` with the new count of each. All are
   * committed together.
   *
   * @returns for each a FavoriteCreateResponse, or product.not-found when its user may not see the product, user.not-found
   *   when its user has left
   * @throws DomainError what a reply could not be kept for: nothing was written
   */
  async place(additions: readonly Addition[]): Promise<(StoredResponse | DomainError)[]> {
    if (!additions.some(({ keep }) => keep))
      return (await placeBy((sql, parameters) => this.database.write(sql, parameters), additions)) as StoredResponse[];
    return this.database.transaction(async (tx) => {
      const ends = await placeBy((sql, parameters) => tx.query(sql, [...parameters]), additions);
      const kept: (StoredResponse | DomainError)[] = [];
      for (const [index, end] of ends.entries()) {
        const { keep } = additions[index]!;
        kept.push(keep && end instanceof RawReply ? await keep(tx, end) : (end as StoredResponse));
      }
      return kept;
    });
  }

  /**
   * Takes a user's favorite of a product away, whether the product is visible or not, and says `favorite.withdrawn`.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found
   */
  withdraw(userId: number, productId: number): Promise<Favorite> {
    return this.database.transaction(async (tx) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const counter = await tx.findOne(ProductFavoritesEntity, { where: { productId }, lock });
      const [favorite] = counter ? await tx.query<Favorite[]>(withdraw, [userId, productId]) : [];
      if (!favorite) throw favoriteNotFound(productId);
      await appendEvent(tx, 'favorite.withdrawn', { favoriteId: favorite.id, productId, userId });
      return favorite;
    });
  }
}

async function placeBy(run: Run, additions: readonly Addition[]): Promise<(RawReply | DomainError)[]> {
  const { productId } = additions[0]!.favorite;
  const rows = await run<Placed>(...statementOf(productId, additions));
  const ofUsers = new Map(rows.map((row) => [row.userId, row]));
  return additions.map(({ favorite: { userId } }) => {
    const row = ofUsers.get(userId)!;
    if (!row.here) return userGone(userId);
    if (row.id === null) return productNotFound(productId);
    const { id, count, rotation, x, y, totalCount } = row;
    const response: PlacedFavorites = { favorite: { id, count, rotation, x, y }, meta: { totalCount } };
    return RawReply.json(JSON.stringify(response), { status: 201 });
  });
}

function statementOf(productId: number, additions: readonly Addition[]): [sql: string, parameters: readonly unknown[]] {
  if (additions.length > 1) {
    const wanted = additions.map(({ favorite: { userId, count, anonymous, stamp }, metadata }) => {
      return { user_id: userId, count, anonymous, ...stamp, metadata };
    });
    return [placeMany, [productId, JSON.stringify(wanted)]];
  }
  const { favorite, metadata } = additions[0]!;
  const { userId, count, anonymous, stamp } = favorite;
  return [placeOne, [productId, userId, count, anonymous, stamp.x, stamp.y, stamp.rotation, JSON.stringify(metadata)]];
}
