import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { projectPath } from '#config';

/** A test as a document names it, `file: words of its name`. */
interface NamedTest {
  readonly file: string;
  readonly words: string;
}

/** A row of a table whose last column, `Test`, names what shows that the row is true. */
interface TestedRow {
  readonly cells: readonly string[];
  readonly tests: readonly NamedTest[];
}

/** A document whose rows name their tests. */
interface TestTable {
  /** The names of the tests in each file, by its short name: the rows of the first table. */
  readonly titles: ReadonlyMap<string, readonly string[]>;
  readonly rows: readonly TestedRow[];
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** What stands behind `it(`, `describe(` and the second bracket of `it.each(...)(`. */
const titlesOf = (source: string): string[] =>
  [...source.matchAll(/(?:\bit|\bdescribe|\))\(\s*(['"`])(.+?)\1/g)].map(([, , title]) => title!);

/** @param name of a file in `docs/` */
export function readTestTable(name: string): TestTable {
  const text = readFileSync(projectPath('docs', name), 'utf8');
  const links = text.matchAll(/^\| `([a-z]+)` +\| \[[^\]]+\]\(([^)]+)\)/gm);
  const titles = new Map<string, readonly string[]>();
  for (const [, file, path] of links)
    titles.set(file!, titlesOf(readFileSync(projectPath(posix.join('docs', path!)), 'utf8')));
  const rows: TestedRow[] = [];
  for (const table of text.trimEnd().split(/\n{2,}/)) {
    const [head, , ...lines] = table.split('\n').map(cellsOf);
    if (head!.at(-1) !== 'Test') continue;
    for (const cells of lines) {
      const named = cells.at(-1)!.matchAll(/`([a-z]+): ([^`]+)`/g);
      rows.push({ cells, tests: [...named].map(([, file, words]) => ({ file: file!, words: words! })) });
    }
  }
  return { titles, rows };
}

/** What is wrong with the tests that a document names, in words. */
export function defectsOf({ rows, titles }: TestTable): string[] {
  const named = new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)));
  const unnamed = [...titles.keys()].filter((file) => !named.has(file)).map((file) => `no row names a test of ${file}`);
  return [
    ...rows.flatMap((row) => defectsOfRow(row, titles).map((defect) => `${row.cells[0]}: ${defect}`)),
    ...unnamed,
  ];
}

function defectsOfRow({ tests }: TestedRow, titles: TestTable['titles']): string[] {
  if (tests.length === 0) return ['no test is named'];
  return tests
    .filter(({ file, words }) => !titles.get(file)?.some((title) => title.includes(words)))
    .map(({ file, words }) => `no test of ${file} says "${words}"`);
}
