import { type PayloadOf, type Services } from '#contracts';
import { literal } from '#persistence';
import { type CatalogSnapshot } from '../items/catalog-snapshot.js';
import { half, newestFirst, pageOf, type PageRequest, type PageStatement, reachOf } from './product-page.js';
import { searchTerms } from './search.js';
import { draftsOf } from './visibility.js';

type SearchRequest = PayloadOf<Services['catalog'], 'products.search'>;

/**
 * The page of ids of a search: products with every word of `q` in the title or in a name of the item.
 *
 * A common word is found among the newest products, a rare one by the index. The planner cannot tell them apart, because
 * it takes the letters of a word for independent: with 200,000 products it took 190 times as long as the plain list for
 * a word in each fifth. So the newest are looked through first, and the index is asked only when they do not fill the page.
 */
export function pageOfSearch(request: SearchRequest, catalog: CatalogSnapshot): PageStatement {
  const { item, words, parameters } = conditionsOf(request, catalog);
  const drafts = half([draftsOf(parameters.push(request.viewerId)), ...item, ...words.map(byText)], request);
  const listed = ['listed', ...item];
  if (words.length === 0) return { sql: pageOf([half(listed, request), drafts], request), parameters };
  const reach = literal(reachOf(request));
  const enough = '(select filled from enough)';
  // `offset 0` keeps the planner from walking all products in order for a word that it wrongly takes for a common one
  const halves = [
    `(select id, created_at from newest where ${enough})`,
    `(select id, created_at from (
        select id, created_at from products where ${[`not ${enough}`, ...listed, ...words.map(byIndex)].join(' and ')} offset 0
      ) as found ${newestFirst} limit ${reach})`,
    drafts,
  ];
  return {
    sql: `with newest as materialized (
        select id, created_at
        from (select * from products where ${listed.join(' and ')} ${newestFirst} limit ${literal(lookedThrough(request))}) as recent
        where ${words.map(byText).join(' and ')} ${newestFirst} limit ${reach}
      ), enough as materialized (select count(*) = ${reach} as filled from newest)
      ${pageOf(halves, request)}`,
    parameters,
  };
}

/** Looking through 5,000 takes 3 ms. A page far back needs more, but never so many that the index were faster. */
const lookedThrough = (request: PageRequest): number => Math.min(50_000, Math.max(5_000, 10 * reachOf(request)));

/** A word as parameters of the statement. */
interface Word {
  readonly text: string;
  readonly tokens: string;
  /** `or` the items whose names have the word; empty when there are none. */
  readonly orItem: string;
}

/** Every character of the word stands for itself, which it would not in a pattern. */
const byText = ({ text, orItem }: Word): string => `(strpos(search_text, ${text}) > 0${orItem})`;

/** The index holds letters and pairs of letters, so that what it finds may have them in another order. */
const byIndex = ({ text, tokens, orItem }: Word): string =>
  `(search_tokens @> ${tokens} and strpos(search_text, ${text}) > 0${orItem})`;

function conditionsOf({ q, itemId }: SearchRequest, catalog: CatalogSnapshot) {
  const parameters: unknown[] = [];
  const bind = (value: unknown, type: string): string => `$${parameters.push(value)}::${type}`;
  const item = itemId === undefined ? [] : [`item_id = ${bind(itemId, 'bigint')}`];
  const words = searchTerms(q).map(({ word, tokens }): Word => {
    const items = catalog.itemsNamed(word);
    return {
      text: bind(word, 'text'),
      tokens: bind(tokens, 'text[]'),
      orItem: items.length === 0 ? '' : ` or item_id = any(${bind(items, 'bigint[]')})`,
    };
  });
  return { item, words, parameters };
}
