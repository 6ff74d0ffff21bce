import { type ScaleCase } from './cases.js';
import { type Cost, type HowToExplain } from './explain.js';

/** Tables that grow with the shop; tables of operators stay small. */
const growing = new Set([
  ...['users', 'identities', 'materials', 'products', 'favorites', 'product_favorites'],
  ...['choices', 'choice_products', 'activities'],
]);

/** Rows of a page plus one; a page of activities has 30. */
const pageRows = 31;
/** Highest number of rows that a page reads with joined rows, such as the products of a choice. */
const maxJoinedRows = 700;
/** Highest numbers of rows that a search scans for its first page, and that its index finds. */
const maxRowsScannedBySearch = 5_100;
const maxRowsFoundByIndex = 20_000;

/**
 * Returns the violations of these rules by a statement:
 *
 * - no sequential scan of a growing table;
 * - no sort of more rows than the page reaches in each merged list, because every list has an index
 *   in its order; a search sorts the rows found by its index;
 * - scanned rows are proportional to the end of the page, never to the table.
 */
export function defectsOf(
  cost: Cost,
  { name, offset, lists, kind }: ScaleCase,
  { isSmall }: Pick<HowToExplain, 'isSmall'>,
): string[] {
  const defect = (text: string): string => `${name} (${cost.plan} plan): ${text}`;
  const reach = offset + pageRows;
  const seqScans = cost.seqScans.filter((table) => growing.has(table)).map((table) => `reads all of ${table}`);
  // A generic plan is made for the average user, who has one page of products in a small shop: a
  // sort is right
  const isChecked = kind === 'list' && !(isSmall && cost.plan !== 'custom');
  const sorted = isChecked && cost.sorted > lists * reach ? [`sorts ${cost.sorted} rows`] : [];
  const most =
    kind === 'list'
      ? maxJoinedRows + 2 * lists * offset
      : maxJoinedRows + maxRowsScannedBySearch * Math.sqrt(reach / pageRows) + maxRowsFoundByIndex;
  const touched = kind !== 'old' && cost.touched > most ? [`looks at ${cost.touched} rows`] : [];
  return [...seqScans, ...sorted, ...touched].map(defect);
}
