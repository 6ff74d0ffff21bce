import { type PayloadOf, type Services } from '#contracts';
import { literal } from '#persistence';
import { type CatalogSnapshot } from '../items/catalog.snapshot.js';
import {
  existingDraftsOf,
  newestProducts,
  newestFirst,
  ownerExists,
  pageOfSelects,
  type PageRequest,
  type PageStatement,
  rowLimitOf,
} from './product-page.queries.js';
import { searchTerms } from '#kernel';

type SearchRequest = PayloadOf<Services['catalog'], 'products.search'>;

/**
 * Returns the statement of a page of a search: ids of products with every word of `q` in the title
 * or in a name of the item.
 *
 * A common word is found among the newest products, a rare one by the index. The planner cannot
 * distinguish them, because it assumes that the letters of a word are independent: with 200,000
 * products, a word in every fifth product took 190 times as long as the list without a search. So
 * the statement scans the newest products first, and reads the index only if they do not fill the
 * page.
 */
export function pageOfSearch(request: SearchRequest, catalog: CatalogSnapshot): PageStatement {
  const { item, words, indexConditions, parameters } = conditionsOf(request, catalog);
  const drafts = newestProducts(
    [existingDraftsOf(`$${parameters.push(request.viewerId)}`), ...item, ...words.map(matchesText)],
    request,
  );
  const listed = ['listed', ...item];
  if (words.length === 0)
    return { sql: pageOfSelects([newestProducts([...listed, ownerExists], request), drafts], request), parameters };
  const rowLimit = literal(rowLimitOf(request));
  const isPageFull = '(select is_full from page_state)';
  // `offset 0` prevents the planner from moving the other conditions into the subquery. Otherwise
  // it may scan all products in order for a word that it wrongly estimates as common, or fetch all
  // products of an item: 29,000 instead of the 404 with a rare word
  const selects = [
    `(select id, created_at from newest where ${isPageFull})`,
    `(select id, created_at from (
        select * from products where ${[`not ${isPageFull}`, 'listed', ...indexConditions].join(' and ')} offset 0
      ) as products where ${[...item, ...words.map(matchesText), ownerExists].join(' and ')} ${newestFirst} limit ${rowLimit})`,
    drafts,
  ];
  return {
    sql: `with newest as materialized (
        select id, created_at
        from (select * from products where ${listed.join(' and ')} ${newestFirst} limit ${literal(newestScanLimit(request))}) as products
        where ${[...words.map(matchesText), ownerExists].join(' and ')} ${newestFirst} limit ${rowLimit}
      ), page_state as materialized (select count(*) = ${rowLimit} as is_full from newest)
      ${pageOfSelects(selects, request)}`,
    parameters,
  };
}

/**
 * Returns the number of newest products to scan. The index scan reads more rows when fewer products
 * are scanned and when the page is later. In proportion to the square root of the row limit, both
 * scans cost about the same with a million products.
 */
const newestScanLimit = (request: PageRequest): number =>
  Math.min(50_000, Math.ceil(1_100 * Math.sqrt(rowLimitOf(request))));

/** A search word as parameters of the statement. */
interface Word {
  readonly text: string;
  /**
   * SQL ` or item_id = any(...)` with the items whose names contain the word; empty if there are
   * none.
   */
  readonly orItem: string;
}

/**
 * Condition that the title of a product or a name of its item contains the word. `strpos` instead
 * of `like`, so that no character of the word is a wildcard.
 */
const matchesText = ({ text, orItem }: Word): string => `(strpos(search_text, ${text}) > 0${orItem})`;

function conditionsOf({ q, itemId }: SearchRequest, catalog: CatalogSnapshot) {
  const parameters: unknown[] = [];
  const bind = (value: unknown, type: string): string => `$${parameters.push(value)}::${type}`;
  const item = itemId === undefined ? [] : [`item_id = ${bind(itemId, 'bigint')}`];
  const terms = searchTerms(q).map(({ word, tokens }) => {
    const items = catalog.itemsNamed(word);
    const orItem = items.length === 0 ? '' : ` or item_id = any(${bind(items, 'bigint[]')})`;
    return { text: bind(word, 'text'), tokens, orItem };
  });
  // The index contains letters and pairs of letters, so a match of the index can contain them in
  // another order: `matchesText` checks each match. A word in the name of an item matches all
  // products of the item. The index is therefore queried for the words that no item's name
  // contains, all in one condition; only if there are none, for each word or its items
  const indexed = (tokens: readonly string[]): string => `search_tokens @> ${bind(tokens, 'text[]')}`;
  const titleTokens = terms.filter(({ orItem }) => orItem === '').flatMap(({ tokens }) => tokens);
  const indexConditions =
    titleTokens.length > 0
      ? [indexed(titleTokens)]
      : terms.map(({ tokens, orItem }) => `(${indexed(tokens)}${orItem})`);
  return { item, words: terms satisfies readonly Word[], indexConditions, parameters };
}
