import { type PayloadOf, type Services } from '#contracts';
import { literal } from '#persistence';
import { type CatalogSnapshot } from '../items/catalog.snapshot.js';
import {
  existingDraftsOf,
  half,
  newestFirst,
  ownerExists,
  pageOf,
  type PageRequest,
  type PageStatement,
  reachOf,
} from './product-page.queries.js';
import { searchTerms } from '#kernel';

type SearchRequest = PayloadOf<Services['catalog'], 'products.search'>;

/**
 * The page of ids of a search: products with every word of `q` in the title or in a name of the item.
 *
 * A common word is found among the newest products, a rare one by the index. The planner cannot tell them apart, because
 * it takes the letters of a word for independent: with 200,000 products it took 190 times as long as the plain list for
 * a word in each fifth. So the newest are looked through first, and the index is asked only when they do not fill the page.
 */
export function pageOfSearch(request: SearchRequest, catalog: CatalogSnapshot): PageStatement {
  const { item, words, byIndex, parameters } = conditionsOf(request, catalog);
  const drafts = half(
    [existingDraftsOf(`$${parameters.push(request.viewerId)}`), ...item, ...words.map(byText)],
    request,
  );
  const listed = ['listed', ...item];
  if (words.length === 0)
    return { sql: pageOf([half([...listed, ownerExists], request), drafts], request), parameters };
  const reach = literal(reachOf(request));
  const enough = '(select filled from enough)';
  // `offset 0` keeps the planner from walking all products in order for a word that it wrongly takes for a common one, and
  // from fetching all products of an item besides: 404 with a rare word were 29,000
  const halves = [
    `(select id, created_at from newest where ${enough})`,
    `(select id, created_at from (
        select * from products where ${[`not ${enough}`, 'listed', ...byIndex].join(' and ')} offset 0
      ) as products where ${[...item, ...words.map(byText), ownerExists].join(' and ')} ${newestFirst} limit ${reach})`,
    drafts,
  ];
  return {
    sql: `with newest as materialized (
        select id, created_at
        from (select * from products where ${listed.join(' and ')} ${newestFirst} limit ${literal(lookedThrough(request))}) as products
        where ${[...words.map(byText), ownerExists].join(' and ')} ${newestFirst} limit ${reach}
      ), enough as materialized (select count(*) = ${reach} as filled from newest)
      ${pageOf(halves, request)}`,
    parameters,
  };
}

/**
 * How many of the newest are looked through. The index finds what is left, which are the more the fewer were looked
 * through and the further the page reaches: with the root of that the two cost about the same with a million products.
 */
const lookedThrough = (request: PageRequest): number =>
  Math.min(50_000, Math.ceil(1_100 * Math.sqrt(reachOf(request))));

/** A word as parameters of the statement. */
interface Word {
  readonly text: string;
  /** `or` the items whose names have the word; empty when there are none. */
  readonly orItem: string;
}

/** Every character of the word stands for itself, which it would not in a pattern. */
const byText = ({ text, orItem }: Word): string => `(strpos(search_text, ${text}) > 0${orItem})`;

function conditionsOf({ q, itemId }: SearchRequest, catalog: CatalogSnapshot) {
  const parameters: unknown[] = [];
  const bind = (value: unknown, type: string): string => `$${parameters.push(value)}::${type}`;
  const item = itemId === undefined ? [] : [`item_id = ${bind(itemId, 'bigint')}`];
  const terms = searchTerms(q).map(({ word, tokens }) => {
    const items = catalog.itemsNamed(word);
    const orItem = items.length === 0 ? '' : ` or item_id = any(${bind(items, 'bigint[]')})`;
    return { text: bind(word, 'text'), tokens, orItem };
  });
  // The index holds letters and pairs of letters, so that what it finds may have them in another order. A word in the name
  // of an item has all its products: it is asked for the others, at once, and for such a word only when there are no others
  const indexed = (tokens: readonly string[]): string => `search_tokens @> ${bind(tokens, 'text[]')}`;
  const ofTitles = terms.filter(({ orItem }) => orItem === '').flatMap(({ tokens }) => tokens);
  const byIndex =
    ofTitles.length > 0 ? [indexed(ofTitles)] : terms.map(({ tokens, orItem }) => `(${indexed(tokens)}${orItem})`);
  return { item, words: terms satisfies readonly Word[], byIndex, parameters };
}
