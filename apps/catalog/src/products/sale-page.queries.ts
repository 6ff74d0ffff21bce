import { type PayloadOf, type Services } from '#contracts';
import { literal } from '#persistence';
import { type SaleTargets } from '../sales/sale.rules.js';
import {
  existingDraftsOf,
  newestProducts,
  newestFirst,
  ownerExists,
  pageOfSelects,
  type PageStatement,
  rowLimitOf,
} from './product-page.queries.js';

/**
 * Returns the statement of a page of the ids of products in a sale. For each item, user and product
 * on sale, the statement scans an index no further than the end of the page, so that the work
 * depends on the number of sales and not on the number of products. A product in several sales is
 * one row. The page includes products with the price 0, which a sale does not change.
 */
export function pageOfSale(
  request: PayloadOf<Services['catalog'], 'products.on-sale'>,
  { items, users, products }: SaleTargets,
): PageStatement {
  const rowLimit = literal(rowLimitOf(request));
  const newestOf = (column: string, ids: string): string =>
    `select found.* from unnest(${ids}) as target (id) cross join lateral
       (select id, created_at from products where listed and ${column} = target.id and ${ownerExists} ${newestFirst} limit ${rowLimit}) as found`;
  const targets = { item_id: '$1::bigint[]', user_id: '$2::bigint[]', id: '$3::bigint[]' };
  const columns = Object.entries(targets);
  // `union` instead of `union all`, because a product can be in several sales
  const listed = `(select id, created_at from (
      ${columns.map(([column, ids]) => newestOf(column, ids)).join(' union ')}
    ) as listed ${newestFirst} limit ${rowLimit})`;
  const onSale = columns.map(([column, ids]) => `${column} = any(${ids})`).join(' or ');
  const drafts = newestProducts([existingDraftsOf('$4'), `(${onSale})`], request);
  return { sql: pageOfSelects([listed, drafts], request), parameters: [items, users, products, request.viewerId] };
}
