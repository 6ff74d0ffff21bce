import { type ScaleCase } from './cases.js';
import { type Cost, type ExplainOptions } from './explain.js';

/** Tables that grow with the shop. Those that operators fill, such as sales, stay small. */
const growingTables = new Set([
  ...['users', 'identities', 'materials', 'products', 'favorites', 'product_favorites'],
  ...['choices', 'choice_products', 'activities'],
]);

/** Rows of the largest page, 30 activities, plus one that shows whether there is a next page. */
const maxPageRows = 31;
/** Highest number of rows that a first page reads, including joined rows. */
const maxJoinedRows = 700;
/** Highest numbers of rows that a search scans for its first page, and that its index finds. */
const maxRowsScannedBySearch = 5_100;
const maxRowsFoundByIndex = 20_000;

/**
 * Returns the violations of these rules by a statement:
 *
 * - no sequential scan of a growing table;
 * - no sort of more rows than end the page in each merged list, because every list has an index in
 *   its order; a search is not checked, because it sorts the rows found by its index;
 * - no more scanned rows than grow with the offset: in proportion for a list, with its square root
 *   for a search. A search for a word in old titles only is not checked.
 */
export function defectsOf(
  cost: Cost,
  { name, offset, lists, kind }: ScaleCase,
  { isSmall }: Pick<ExplainOptions, 'isSmall'>,
): string[] {
  const defect = (text: string): string => `${name} (${cost.plan} plan): ${text}`;
  const reach = offset + maxPageRows;
  const seqScans = cost.seqScans.filter((table) => growingTables.has(table)).map((table) => `reads all of ${table}`);
  // A generic plan is made for the average user. In a small shop that user has one page of
  // products, and a sort is right
  const isChecked = kind === 'list' && !(isSmall && cost.plan !== 'custom');
  const sorted = isChecked && cost.sorted > lists * reach ? [`sorts ${cost.sorted} rows`] : [];
  const most =
    kind === 'list'
      ? maxJoinedRows + 2 * lists * offset
      : maxJoinedRows + maxRowsScannedBySearch * Math.sqrt(reach / maxPageRows) + maxRowsFoundByIndex;
  const touched = kind !== 'old' && cost.touched > most ? [`looks at ${cost.touched} rows`] : [];
  return [...seqScans, ...sorted, ...touched].map(defect);
}
