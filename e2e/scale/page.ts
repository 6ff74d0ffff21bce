import { type MeasuredCase } from './measure-case.js';

const header = `# A million products

What the reads of the API cost in PostgreSQL, with 10,000 products and with 1,000,000. The lists of the API have an index for
each filter in their order; [large-shop.medium.spec.ts](../e2e/scale/large-shop.medium.spec.ts) shows with 20,000 products, in
\`npm test\`, that none is missing, and \`npm run test:scale\` shows with a million (some minutes, 2 GB of disk) that nothing is
dear. This page is written by \`WRITE_DOCS=1 npm run test:scale\`.

## What is checked

The statements are those that the services send, noted on their way and carried out by \`EXPLAIN (ANALYZE, BUFFERS)\`: planned for
their values, and once for all values where they are prepared.

- No growing table is read from one end to the other.
- No sort has more rows than the page reaches in each list that it is put together from: drafts are a list of their own,
  and so is each sale. A search sorts what the index finds.
- Rows are looked at a few times each as far as the page reaches, and never in proportion to a table.
- A first page takes at most 10 ms, a search 30 ms (120 ms for a word of old titles, see below), and a page at offset 100,000 at most 25 ms more than the first one: of the
  processor, as the least of seven runs, because the machine may be busy.

With 20,000 products the planner is told to avoid whole tables and what it would build of them, as it does by itself
when they are large. Dropping an index turns the test red, with a few exceptions that another index makes up for: the one of a user's
products of an item, those of shown materials and those of shown favorites pay when little of much is shown.

## Figures

Milliseconds of the processor in PostgreSQL, the median of seven warm runs as PostgreSQL carries them out when they are asked again
and again over a connection; pages of 8 KiB, from the cache. The statements of products and of searches are prepared; of the others
more than half is planning. Measured on two shared cores beside other work (load 10 to 19), where a millisecond
is up to twice what it is alone. A user of the larger shop has a hundred times as much of everything: a list shows that by none
of its figures.
`;

const notes = `
## What the figures say

- **Old words.** "vintage" stands in the oldest twentieth of the titles and in none of the newest: the newest are looked through
  in vain, and then the index finds 47,501 products, of which all are read and the newest shown. It is the one kind of search
  that grows with the shop. Such a statement is given up after 2 s, and the client is told 503 with
  \`Retry-After\`; words of this kind in a shop of a million take some hundredths of a second.
- **Far pages** of products skip 0.13 us for each product, in an index alone. The owner of each is compared with the ids of
  deleted users, whose products are hidden at once. To look for the row of each owner instead took 55 ms more at offset
  100,000, and joins with all users in some searches. A page behind the end of a
  million skips them all. The API answers every offset, so that neither a bound nor the page by the key of the one before
  is to be had. One behind the greatest id could be answered without a look; the one just before it would cost the same.
- **Index-only** means a vacuumed table: with a quarter of the pages known to be visible, a page behind the end read 39,000 pages instead of
  6,500. So the table of products is vacuumed after 10,000 new products and not after a fifth of it.
- **Favorites of a user** are looked at one by one, because a product may be hidden: 1,000 skipped are 2,000 rows. Of
  somebody's 100,000 a first page takes 0.4 ms and the last one 95 ms, and 79 ms when owner and visibility stand in the index of
  the products' ids. To skip in an index alone, each favorite must know whether its product is shown: to hide a popular product
  would change 100,000 rows.
- **Counts** of favorites have room beside their rows and the usual autovacuum: of 300,000 changes of 100,000 counts without any
  vacuum all were HOT, the table had no page more, and 728 dead rows were left, because whoever comes to a page
  clears it. No count is read from an index alone.
- **Unread activities** are counted, and forgotten after \`ACTIVITY_DAYS\` like the read ones.

## Tried and dropped

- **The window of a search** was 5,000 products or ten times what the page reaches. At offset 1,000 it missed a word in each
  fourteenth title, and the index found 70,849: 219 ms. With the root of the reach it takes 11 ms, and a first page what
  it took.
- **The index for an item's name** in a search of several words fetched all products of the items as well; it is asked for the other words
  only. 40 ms became 20 ms.
- **The index of items beside that of words**, which the planner combines in a search of one item: 29,040 rows looked at for a
  word with 404 products, 5,956 without.
- **Room in the pages of favorites and of the outbox** (fillfactor): 98 % of the changed favorites are HOT without it. Of the events
  all instead of two thirds, which cost the same processor time and half again as many pages.
- **Activities in partitions by month**: one table and an index of their age delete a thousand in 20 ms; partitions need a key
  with the month in it, and then an event could be told twice.
`;

const digits = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
const count = (value: number): string => value.toLocaleString('en');

/** The page of the docs. @param measured by number of products */
export function pageOf(measured: ReadonlyMap<number, readonly MeasuredCase[]>): string {
  const sizes = [...measured.keys()];
  const names = [...measured.values()].at(-1)!.map(({ name }) => name);
  const cell = (size: number, name: string): string[] => {
    const found = measured.get(size)!.find((one) => one.name === name)!;
    return [digits(found.medianMs), count(found.buffers)];
  };
  const rows = names.map((name) => [name, ...sizes.flatMap((size) => cell(size, name))]);
  const head = ['asked for', ...sizes.flatMap((size) => [`${count(size)}: ms`, 'pages'])];
  return `${header}\n${tableOf([head, ...rows])}${notes}`;
}

/** As prettier writes it; a letter of Japanese is as wide as two. */
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
