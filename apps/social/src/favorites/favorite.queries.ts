import { Injectable } from '@nestjs/common';
import type { Favorite, FavoriteOfProduct, PayloadOf, Product, ReplyOf, Services } from '#contracts';
import { cutPage, Database, pageWindow, userExists, userSummary } from '#persistence';
import { QueueClients, RawReply } from '#request-queue';
import { productNotFound } from '../products/product.errors.js';
import { visibleProduct } from '../products/visible-product.queries.js';
import { userNotFound } from './favorite.errors.js';

const newestFirst = (of: string): string => `order by ${of}.created_at desc, ${of}.id desc`;

/** The stamps of a product ($1) that are shown. */
export const newestStamps = `
  select x, y, rotation, count from favorites f where product_id = $1 ${newestFirst('f')} limit 100`;

/** What is asked about exists: at least one row, which holds nothing when the page is empty. */
type Row<Entry> = Entry | { readonly id: null };
const entriesOf = <Entry extends { readonly id: number }>(rows: readonly Row<Entry>[]): Entry[] =>
  rows.filter((row): row is Entry => row.id !== null);

const answer = (favorites: readonly object[], nextOffset: number | null): RawReply =>
  RawReply.page(JSON.stringify({ favorites, meta: { hasNext: nextOffset !== null } }), nextOffset);

/**
 * Favorites as answers. Lists are planned for each user and product: the plan for most of them, which have few, would sort all
 * that the others have.
 */
@Injectable()
export class FavoriteQueries {
  constructor(
    private readonly database: Database,
    private readonly clients: QueueClients,
  ) {}

  /**
   * Who favors a product, newest first, without those who wish not to be named. Empty when the product is not of the
   * item that is asked for. Users are joined after the offset (65 ms at offset 80,000 of a product's 100,000).
   *
   * @returns a FavoritesOfProductResponse
   * @throws DomainError product.not-found
   */
  async ofProduct(request: PayloadOf<Services['social'], 'favorites.of-product'>): Promise<RawReply> {
    const { viewerId, productId, itemId } = request;
    const rows = await this.database.query<Row<FavoriteOfProduct>>(
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
    return answer(shown, nextOffset);
  }

  /**
   * What a user favors and the viewer may see, newest first. Anonymous favorites are shown to the user alone. Every
   * favorite that a page skips is looked at, because its product may be hidden: some 5 microseconds each.
   *
   * @returns a FavoritesOfUserResponse
   * @throws DomainError user.not-found
   */
  async ofUser(request: PayloadOf<Services['social'], 'favorites.of-user'>): Promise<RawReply> {
    const { viewerId, userId } = request;
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
    const products = await this.productsOf(viewerId, shown);
    const favorites = shown.flatMap(({ id, count, productId }) => {
      const product = products.get(productId);
      // Gone or hidden since the page was found
      return product ? [{ id, count, product }] : [];
    });
    return answer(favorites, nextOffset);
  }

  /**
   * Where the stamps of a product lie, newest first, those of anonymous favorites too: a stamp names nobody. Nothing of
   * a product that is unknown; who may see the product is asked elsewhere.
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

  private async productsOf(viewerId: number, favorites: readonly Favorite[]): Promise<Map<number, Product>> {
    if (favorites.length === 0) return new Map();
    const entries = favorites.map(({ productId }) => ({ productId, itemVariantId: null }));
    const { products } = await this.clients
      .of('catalog')
      .call('products.page', { viewerId, entries, nextOffset: null });
    return new Map(products.map((product) => [product.id, product]));
  }
}
