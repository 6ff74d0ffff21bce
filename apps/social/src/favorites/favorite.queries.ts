import { Injectable } from '@nestjs/common';
import type { Favorite, Language, ProductFavorite, PayloadOf, Product, ReplyOf, Services } from '#contracts';
import { cutPage, Database, pageWindow, userExists, userSummary } from '#persistence';
import { QueueClients, RawReply } from '#request-queue';
import { productNotFound } from '../products/product.errors.js';
import { visibleProduct } from '../products/visible-product.queries.js';
import { userNotFound } from './favorite.errors.js';

const newestFirst = (of: string): string => `order by ${of}.created_at desc, ${of}.id desc`;

/** Selects the stamps of a product ($1) that are shown: the newest 100. */
export const newestStamps = `
  select x, y, rotation, count from favorites f where product_id = $1 ${newestFirst('f')} limit 100`;

/**
 * Row of a page of a product's or user's favorites. An empty page has one row, whose id is null.
 * There is no row if the viewer may not see the product, or if the product or user does not exist.
 */
type Row<Entry> = Entry | { readonly id: null };
const entriesOf = <Entry extends { readonly id: number }>(rows: readonly Row<Entry>[]): Entry[] =>
  rows.filter((row): row is Entry => row.id !== null);

const pageReply = (favorites: readonly object[], nextOffset: number | null): RawReply =>
  RawReply.page(JSON.stringify({ favorites, meta: { hasNext: nextOffset !== null } }), nextOffset);

/**
 * Queries of favorites, with their replies. The statements of lists are not prepared, so that
 * PostgreSQL plans each execution for its user or product. A generic plan suits users and products
 * with few favorites, the majority, and would sort all favorites of the others.
 */
@Injectable()
export class FavoriteQueries {
  constructor(
    private readonly database: Database,
    private readonly clients: QueueClients,
  ) {}

  /**
   * Returns the favorites of a product with their users, newest first, without anonymous favorites.
   * Empty when the product is not of the requested item. Users are joined after the offset (65 ms
   * at offset 80,000 of a product's 100,000).
   *
   * @returns a ProductFavoriteListResponse
   * @throws DomainError product.not-found
   */
  async ofProduct(request: PayloadOf<Services['social'], 'favorites.of-product'>): Promise<RawReply> {
    const { viewerId, productId, itemId } = request;
    const rows = await this.database.query<Row<ProductFavorite>>(
      `with page as (
         select f.id, f.count, f.product_id, f.user_id, f.created_at from favorites f
         where f.product_id = $1 and not f.anonymous and ${userExists('f.user_id')}
         ${newestFirst('f')} ${pageWindow(request)}
       )
       select page.id, page.count, page.product_id as "productId", ${userSummary('u')} as user
       from catalog.products p
         left join (page join accounts.users u on u.id = page.user_id) on p.item_id = coalesce($3, p.item_id)
       where p.id = $1 and ${visibleProduct('p', '$2')}
       ${newestFirst('page')}`,
      [productId, viewerId, itemId],
    );
    if (rows.length === 0) throw productNotFound(productId);
    const { shown, nextOffset } = cutPage(entriesOf(rows), request);
    return pageReply(shown, nextOffset);
  }

  /**
   * Returns the favorites of a user whose products the viewer may see, newest first. Anonymous
   * favorites are visible only to the user who placed them. The query checks every favorite that a
   * page skips, because its product may be hidden: some 5 microseconds each.
   *
   * @returns a UserFavoriteListResponse
   * @throws DomainError user.not-found, or the error of the catalog
   */
  async ofUser(request: PayloadOf<Services['social'], 'favorites.of-user'>): Promise<RawReply> {
    const { viewerId, userId, nameLanguage } = request;
    const rows = await this.database.query<Row<Favorite>>(
      `with page as (
         select f.id, f.count, f.product_id, f.created_at
         from favorites f join catalog.products p on p.id = f.product_id
         where f.user_id = $1 ${userId === viewerId ? '' : 'and not f.anonymous'} and ${visibleProduct('p', '$2')}
         ${newestFirst('f')} ${pageWindow(request)}
       )
       select page.id, page.count, page.product_id as "productId"
       from accounts.users u left join page on true
       where u.id = $1 and u.id > 0
       ${newestFirst('page')}`,
      [userId, viewerId],
    );
    if (rows.length === 0) throw userNotFound(userId);
    const { shown, nextOffset } = cutPage(entriesOf(rows), request);
    const products = await this.productsOf(shown, { viewerId, nameLanguage });
    const favorites = shown.flatMap(({ id, count, productId }) => {
      const product = products.get(productId);
      // Deleted or hidden since the page was selected
      return product ? [{ id, count, product }] : [];
    });
    return pageReply(favorites, nextOffset);
  }

  /**
   * Returns the total count of a product's favorites and their 100 newest stamps, including those
   * of anonymous favorites: a stamp does not name its user. Returns zero and no stamps for an
   * unknown product. The caller checks that the viewer may see the product.
   */
  async stamps({
    productId,
  }: PayloadOf<Services['social'], 'favorites.stamps'>): Promise<ReplyOf<Services['social'], 'favorites.stamps'>> {
    const [found] = await this.database.read<ReplyOf<Services['social'], 'favorites.stamps'>>(
      `select
         coalesce((select total_count from product_favorites where product_id = $1), 0) as "totalCount",
         (select coalesce(json_agg(json_build_object('x', x, 'y', y, 'rotation', rotation, 'count', count)), '[]')
          from (${newestStamps}) as stamps) as stamps`,
      [productId],
    );
    return found!;
  }

  /** Returns those of the products that are favorites of the viewer, in no particular order. */
  async own({
    viewerId,
    productIds,
  }: PayloadOf<Services['social'], 'favorites.own'>): Promise<ReplyOf<Services['social'], 'favorites.own'>> {
    const rows = await this.database.read<{ productId: number }>(
      `select product_id as "productId" from favorites where user_id = $1 and product_id = any($2::bigint[])`,
      [viewerId, productIds],
    );
    return { productIds: rows.map(({ productId }) => productId) };
  }

  private async productsOf(
    favorites: readonly Favorite[],
    reader: { readonly viewerId: number; readonly nameLanguage: Language | undefined },
  ): Promise<Map<number, Product>> {
    if (favorites.length === 0) return new Map();
    const entries = favorites.map(({ productId }) => ({ productId, itemVariantId: null }));
    const { products } = await this.clients
      .of('catalog')
      .call('products.page', { ...reader, entries, nextOffset: null });
    return new Map(products.map((product) => [product.id, product]));
  }
}
