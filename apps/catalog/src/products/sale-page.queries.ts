import { type PayloadOf, type Services } from '#contracts';
import { literal } from '#persistence';
import { type SaleTargets } from '../sales/sale.rules.js';
import {
  existingDraftsOf,
  half,
  newestFirst,
  ownerExists,
  pageOf,
  type PageStatement,
  reachOf,
} from './product-page.queries.js';

/**
 * The page of ids of the products in a sale. Each item and each user on sale is walked in its own index no further than
 * the page reaches, so that the work is bounded by the number of sales and not by that of products; a product in several
 * sales is one row. Products that cost nothing are among them, although no sale changes that.
 */
export function pageOfSale(
  request: PayloadOf<Services['catalog'], 'products.on-sale'>,
  { items, users, products }: SaleTargets,
): PageStatement {
  const reach = literal(reachOf(request));
  const newestOf = (column: string, ids: string): string =>
    `select found.* from unnest(${ids}) as target (id) cross join lateral
       (select id, created_at from products where listed and ${column} = target.id and ${ownerExists} ${newestFirst} limit ${reach}) as found`;
  const targets = { item_id: '$1::bigint[]', user_id: '$2::bigint[]', id: '$3::bigint[]' };
  const columns = Object.entries(targets);
  // `union` instead of `union all`: once, however many sales it is in
  const listed = `(select id, created_at from (
      ${columns.map(([column, ids]) => newestOf(column, ids)).join(' union ')}
    ) as listed ${newestFirst} limit ${reach})`;
  const onSale = columns.map(([column, ids]) => `${column} = any(${ids})`).join(' or ');
  const drafts = half([existingDraftsOf('$4'), `(${onSale})`], request);
  return { sql: pageOf([listed, drafts], request), parameters: [items, users, products, request.viewerId] };
}
