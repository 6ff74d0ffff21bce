import { Injectable } from '@nestjs/common';
import type { Favorite, FavoriteCreateResponse } from '#contracts';
import { insertOfEvent, metadataOfCall } from '#events';
import type { StoreResponse, StoredResponse } from '#idempotency';
import { DomainError } from '#kernel';
import { Database, lockedAuthor, type Run, userDeleted } from '#persistence';
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
  /** Number of favorites to add. */
  readonly count: number;
  readonly anonymous: boolean;
  /** Stamp of the favorite if it does not exist yet; otherwise unused. */
  readonly stamp: Stamp;
}

/** Favorites to add. */
export interface Addition {
  readonly favorite: NewFavorite;
  /**
   * Stores the response in the same transaction; undefined for a request without an idempotency
   * key.
   */
  readonly storeResponse: StoreResponse | undefined;
  /** `metadataOfCall()` of the request. */
  readonly metadata: Readonly<Record<string, string>>;
}

type PlacedResponse = z.output<typeof FavoriteCreateResponse>;
type PlacedRow = PlacedResponse['favorite'] & PlacedResponse['meta'];
type Placed = { userId: number; userExists: boolean } & (PlacedRow | { id: null });

const onCounterConflict = `
    on conflict (product_id) do update set total_count = counter.total_count + excluded.total_count
      where not counter.deleted
    returning product_id, total_count`;

const onFavoriteConflict = `
    on conflict (user_id, product_id) do update
      set count = favorites.count + excluded.count, anonymous = excluded.anonymous, updated_at = now(),
        revision = favorites.revision + 1
    returning user_id, id, count, anonymous, x, y, rotation, revision`;

/**
 * Returns the statement that inserts the event `favorite.placed`. `from` must contain the rows
 * `shown`, the product, and `placed`, the favorite.
 */
const insertPlacedEvent = (metadata: string, from: string): string =>
  insertOfEvent('favorite.placed', {
    payload: {
      favoriteId: 'placed.id',
      productId: 'shown.id',
      productTitle: 'shown.title',
      ownerId: 'shown.user_id',
      userId: 'placed.user_id',
      anonymous: 'placed.anonymous',
      count: 'placed.count',
      revision: 'placed.revision',
    },
    metadata,
    from,
  });

/**
 * Places one favorite in one statement. The author is locked before any row. The insert of the
 * favorite selects from `total`, so that the product's counter is always locked before the favorite
 * and statements do not deadlock. For a deleted product, `total` has no row, so that no favorite is
 * inserted.
 */
const placeOne = `
  with ${lockedAuthor('$2')}, shown as (
    select p.id, p.user_id, p.title from author, catalog.titled_products p
    where user_exists and p.id = $1 and ${visibleProduct('p', '$2')}
  ), total as (
    insert into product_favorites as counter (product_id, total_count)
    select id, $3::bigint from shown ${onCounterConflict}
  ), placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation, revision)
    select $2::bigint, product_id, $3::bigint, $4::boolean, $5::float8, $6::float8, $7::integer, 1 from total ${onFavoriteConflict}
  ), event as (
    ${insertPlacedEvent('$8', 'placed, shown')}
  )
  select $2::bigint as "userId", user_exists as "userExists", id, count, rotation, x, y, total_count as "totalCount"
  from author left join (placed cross join total) on true`;

/**
 * Places one favorite of each of several users, who are locked in their order in the parameter, so
 * that statements do not deadlock. Each returned total includes the favorites up to that of its
 * user, as if the favorites were placed one after the other in the order of user ids. For a single
 * favorite PostgreSQL takes 1.25 times as long as for `placeOne`.
 */
const placeMany = `
  with requested as materialized (
    select lock_user(user_id) as user_exists, requested.* from jsonb_to_recordset($2::jsonb) as requested (user_id bigint, count bigint,
      anonymous boolean, x float8, y float8, rotation integer, metadata jsonb)
  ), shown as (
    select p.id, p.user_id, p.title, requested.user_id as viewer_id, count, anonymous, x, y, rotation, metadata
    from requested, catalog.titled_products p where user_exists and p.id = $1 and ${visibleProduct('p', 'requested.user_id')}
  ), total as (
    insert into product_favorites as counter (product_id, total_count)
    select id, sum(count) from shown group by id ${onCounterConflict}
  ), placed as (
    insert into favorites (user_id, product_id, count, anonymous, x, y, rotation, revision)
    select viewer_id, id, count, anonymous, x, y, rotation, 1 from total join shown on id = product_id ${onFavoriteConflict}
  ), event as (
    ${insertPlacedEvent('shown.metadata', 'placed join shown on viewer_id = placed.user_id')}
  )
  select requested.user_id as "userId", user_exists as "userExists", id, placed.count, placed.rotation, placed.x, placed.y,
    (total_count - coalesce(sum(requested.count) filter (where id is not null) over later, 0))::bigint as "totalCount"
  from requested left join (placed cross join total) using (user_id)
  window later as (order by requested.user_id rows between 1 following and unbounded following)`;

const existingFavorite = `
  select id, count, rotation, x, y, total_count as "totalCount"
  from favorites join product_favorites using (product_id) where user_id = $1 and product_id = $2`;

/**
 * Returns the statement that inserts the event `favorite.withdrawn` for each row of `withdrawn`,
 * the deleted favorites.
 *
 * @param owner SQL expression of the owner of the product
 */
export const insertWithdrawnEvent = (metadata: string, owner: string): string =>
  insertOfEvent('favorite.withdrawn', {
    payload: {
      favoriteId: 'withdrawn.id',
      productId: 'withdrawn.product_id',
      ownerId: owner,
      userId: 'withdrawn.user_id',
      anonymous: 'withdrawn.anonymous',
      revision: 'withdrawn.revision + 1',
    },
    metadata,
    from: 'withdrawn',
  });

/**
 * Deletes a favorite, subtracts its count from the counter of the product and inserts the event
 * `favorite.withdrawn`. Requires that an earlier statement of the transaction has locked the
 * counter. Otherwise PostgreSQL would evaluate the check `total_count >= 0` with the total of this
 * statement's snapshot, which may be stale.
 */
const withdraw = `
  with withdrawn as (
    delete from favorites where user_id = $1 and product_id = $2 returning id, user_id, count, anonymous, product_id, revision
  ), counted as (
    update product_favorites as total set total_count = total.total_count - withdrawn.count
    from withdrawn where total.product_id = withdrawn.product_id
  ), event as (
    ${insertWithdrawnEvent('$3', '(select p.user_id from catalog.products p where p.id = withdrawn.product_id)')}
  )
  select id, count, product_id as "productId" from withdrawn`;

@Injectable()
export class FavoriteRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds favorites to one product, one of each user, and appends the event `favorite.placed` with
   * the new count of each. All are committed in one transaction.
   *
   * @returns for each addition a FavoriteCreateResponse, product.not-found when its user may not
   *   see the product, or user.not-found when its user is deleted
   * @throws DomainError when a response cannot be stored; nothing was written
   */
  async place(additions: readonly Addition[]): Promise<(StoredResponse | DomainError)[]> {
    if (!additions.some(({ storeResponse }) => storeResponse))
      return (await placeFavorites(
        (sql, parameters) => this.database.write(sql, parameters),
        additions,
      )) as StoredResponse[];
    return this.database.transaction(async (tx) => {
      const outcomes = await placeFavorites((sql, parameters) => tx.query(sql, [...parameters]), additions);
      const results: (StoredResponse | DomainError)[] = [];
      for (const [index, outcome] of outcomes.entries()) {
        const { storeResponse } = additions[index]!;
        results.push(
          storeResponse && outcome instanceof RawReply ? await storeResponse(tx, outcome) : (outcome as StoredResponse),
        );
      }
      return results;
    });
  }

  /**
   * Adds a favorite unless the user has one of the product. The lock orders such additions of a
   * user, so that each sees the favorites of those before. It is the first lock of the transaction.
   *
   * @returns a FavoriteCreateResponse of the new or the existing favorite
   * @throws DomainError product.not-found, user.not-found for a deleted user
   */
  placeFirst(addition: Addition): Promise<RawReply> {
    const { userId, productId } = addition.favorite;
    return this.database.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('favorite ' || $1 || ' ' || $2, 0))`, [
        String(userId),
        String(productId),
      ]);
      const [existing] = await tx.query<PlacedRow[]>(existingFavorite, [userId, productId]);
      if (existing) return createdReply(existing);
      const [placed] = await placeFavorites((sql, parameters) => tx.query(sql, [...parameters]), [addition]);
      if (placed instanceof DomainError) throw placed;
      return placed!;
    });
  }

  /**
   * Deletes a user's favorite of a product, visible or not, and appends `favorite.withdrawn`.
   *
   * @returns the favorite as it was
   * @throws DomainError favorite.not-found
   */
  withdraw(userId: number, productId: number): Promise<Favorite> {
    return this.database.transaction(async (tx) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const metadata = JSON.stringify(metadataOfCall());
      const counter = await tx.findOne(ProductFavoritesEntity, { where: { productId }, lock });
      const [favorite] = counter ? await tx.query<Favorite[]>(withdraw, [userId, productId, metadata]) : [];
      if (!favorite) throw favoriteNotFound(productId);
      return favorite;
    });
  }
}

async function placeFavorites(run: Run, additions: readonly Addition[]): Promise<(RawReply | DomainError)[]> {
  const { productId } = additions[0]!.favorite;
  const rows = await run<Placed>(...statementOf(productId, additions));
  const rowsByUser = new Map(rows.map((row) => [row.userId, row]));
  return additions.map(({ favorite: { userId } }) => {
    const row = rowsByUser.get(userId)!;
    if (!row.userExists) return userDeleted(userId);
    if (row.id === null) return productNotFound(productId);
    return createdReply(row);
  });
}

function createdReply({ id, count, rotation, x, y, totalCount }: PlacedRow): RawReply {
  const response: PlacedResponse = { favorite: { id, count, rotation, x, y }, meta: { totalCount } };
  return RawReply.json(JSON.stringify(response), { status: 201 });
}

function statementOf(productId: number, additions: readonly Addition[]): [sql: string, parameters: readonly unknown[]] {
  if (additions.length > 1) {
    const requested = additions.map(({ favorite: { userId, count, anonymous, stamp }, metadata }) => {
      return { user_id: userId, count, anonymous, ...stamp, metadata };
    });
    return [placeMany, [productId, JSON.stringify(requested)]];
  }
  const { favorite, metadata } = additions[0]!;
  const { userId, count, anonymous, stamp } = favorite;
  return [placeOne, [productId, userId, count, anonymous, stamp.x, stamp.y, stamp.rotation, JSON.stringify(metadata)]];
}
