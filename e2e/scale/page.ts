import { farPages, firstPages, unlimitedReads, searches } from './cases.js';
import { type MeasuredCase } from './measure-case.js';

const header = `# A million products

Cost of the reads of the API in PostgreSQL with 10,000 and with 1,000,000 products. \`npm test\` checks with 20,000 products that
no index is missing ([large-shop.medium.spec.ts](../../e2e/scale/large-shop.medium.spec.ts)).

\`\`\`sh
npm run test:scale                # some minutes, 2 GB of disk
WRITE_DOCS=1 npm run test:scale   # also writes this page
\`\`\`

## What is checked

The statements of the services are run with \`EXPLAIN (ANALYZE, BUFFERS)\`, prepared ones also as generic plans.

- No growing table is scanned whole.
- A sort has at most the rows up to the end of the page, for each list that is merged: drafts and each sale are separate lists. A
  search sorts the rows that its index finds.
- Rows read are proportional to the end of the page, never to a table.
- Processor time, the least of seven runs: 10 ms for a first page, 30 ms for a search, 120 ms for a word of old titles only, and
  25 ms above the first page at offset 100,000.

With 20,000 products sequential scans, hash and merge joins are disabled. The test does not detect a missing index for a user's
products of an item, visible materials or visible favorites.

## Result

Milliseconds of processor time, the median of seven warm runs, and pages of 8 KiB from the cache. Statements of products and
searches are prepared; of the others more than half is planning. Machine: two shared cores (load 10 to 19, which up to doubles the
times). In the larger shop each user has more rows.
`;

const notes = `
## Conclusions

- **Words of old titles only** ("vintage": the oldest twentieth) are the only search that grows with the shop: it reads the
  newest products without a match, then all 47,501 that the index finds. The limit is 2 s ([limits.md](../limits.md)).
- **Far pages** of products skip 0.13 us for each product, in an index only. A page behind the end skips all of them. The API
  accepts every offset, which excludes a limit and keyset pagination.
- **Index-only scans** need a vacuumed table: with a quarter of the pages marked all-visible, a page behind the end read 39,000
  pages instead of 6,500. The table of products is vacuumed after 10,000 new rows.
- **Favorites of a user** are joined one by one, because a product may be hidden: of 100,000 the first page takes 0.4 ms, the
  last 95 ms.
- **Counts of favorites** are HOT updates: 300,000 updates of 100,000 rows without vacuum added no page and left 728 dead rows.
- **Unread activities** are counted, and deleted after \`ACTIVITY_DAYS\`.

## Alternatives measured

- **A search window** of 5,000 products or ten times the page: 219 ms at offset 1,000; with the square root of the end of the page 11 ms.
- **The index for an item's name** in a search of several words: 40 ms; without it 20 ms.
- **The index of items beside that of words** in a search of one item: 29,040 rows read for 404 products; without 5,956.
- **A fillfactor** for favorites and outbox: 98 % of the updates of favorites are HOT without it.
- **Activities partitioned by month**: one table with an index of age deletes a thousand in 20 ms, and a key with the month allows
  duplicates.
`;

/** Median CPU milliseconds from which a case has a row of its own. */
const minListedMs = 4;

const namesOf = (cases: readonly { readonly name: string }[]): readonly string[] => cases.map(({ name }) => name);
const groups: readonly (readonly [what: string, names: readonly string[]])[] = [
  ['first pages', namesOf(firstPages)],
  ['searches', namesOf(searches)],
  ['far pages', namesOf([1_000, 100_000].flatMap((offset) => farPages.map((page) => page(offset))))],
  ['lists', namesOf(unlimitedReads)],
];

const formatMs = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const formatCount = (value: number): string => value.toLocaleString('en');

/** Returns docs/measurements/scale.md. @param measured results by number of products */
export function pageOf(measured: ReadonlyMap<number, readonly MeasuredCase[]>): string {
  const sizes = [...measured.keys()];
  const isShown = ({ medianMs }: MeasuredCase): boolean => medianMs >= minListedMs;
  const all = [...measured.values()].at(-1)!;
  const shown = all.filter(isShown).map(({ name }) => name);
  const cells = (size: number, names: readonly string[]): string[] => {
    const found = measured.get(size)!.filter(({ name }) => names.includes(name));
    const most = (of: (one: MeasuredCase) => number): number => Math.max(...found.map(of));
    return [formatMs(most(({ medianMs }) => medianMs)), formatCount(most(({ buffers }) => buffers))];
  };
  const row = (what: string, names: readonly string[]): string[] => [
    what,
    ...sizes.flatMap((size) => cells(size, names)),
  ];
  const others = groups.flatMap(([what, names]) => {
    const rest = names.filter((name) => !shown.includes(name));
    return rest.length === 0 ? [] : [row(`${rest.length} other ${what}, at most`, rest)];
  });
  const head = ['read', ...sizes.flatMap((size) => [`${formatCount(size)}: ms`, 'pages'])];
  return `${header}\n${tableOf([head, ...shown.map((name) => row(name, [name])), ...others])}${notes}`;
}

/** Formats a table as Prettier does; a Japanese character has the width of two. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => widthOf(row[column]!))));
  const pad = (text: string, column: number): string => {
    const space = ' '.repeat(widths[column]! - widthOf(text));
    return column === 0 ? text + space : space + text;
  };
  const lines = rows.map((row) => `| ${row.map(pad).join(' | ')} |`);
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [lines[0], `| ${rule.join(' | ')} |`, ...lines.slice(1)].map((line) => `${line!}\n`).join('');
}

const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, letter) => sum + (letter > '\u2e7f' ? 2 : 1), 0);
