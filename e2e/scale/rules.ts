import { type ScaleCase } from './cases.js';
import { type Cost, type HowToExplain } from './explain.js';

/** Tables that grow with the shop; what an operator makes is small. */
const growing = new Set([
  ...['users', 'identities', 'materials', 'products', 'favorites', 'product_favorites'],
  ...['choices', 'choice_products', 'activities'],
]);

/** Rows of a page and the one behind it; of activities there are 30. */
const pageRows = 31;
/** A page with what is joined to each of its rows: users, materials, the products of a choice. */
const joined = 700;
/** What a search looks through at its first page, and finds by the index. */
const lookedThrough = 5_100;
const found = 20_000;

/**
 * What is wrong with how a statement is carried out:
 *
 * - no growing table is read from one end to the other;
 * - no sort has more rows than the page reaches in each list that it is put together from, because every list has an index
 *   in its order; a search sorts what the index finds;
 * - rows are looked at a few times each as far as the page reaches, and never in proportion to a table.
 */
export function defectsOf(
  cost: Cost,
  { name, offset, lists, kind }: ScaleCase,
  { isSmall }: Pick<HowToExplain, 'isSmall'>,
): string[] {
  const defect = (text: string): string => `${name} (${cost.plan} plan): ${text}`;
  const reach = offset + pageRows;
  const seqScans = cost.seqScans.filter((table) => growing.has(table)).map((table) => `reads all of ${table}`);
  // The mean user of a small shop has a page of products, which are rightly sorted
  const isJudged = kind === 'list' && !(isSmall && cost.plan !== 'custom');
  const sorted = isJudged && cost.sorted > lists * reach ? [`sorts ${cost.sorted} rows`] : [];
  const most =
    kind === 'list' ? joined + 2 * lists * offset : joined + lookedThrough * Math.sqrt(reach / pageRows) + found;
  const touched = kind !== 'old' && cost.touched > most ? [`looks at ${cost.touched} rows`] : [];
  return [...seqScans, ...sorted, ...touched].map(defect);
}
