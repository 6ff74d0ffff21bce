import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#config';

/**
 * Test named in a table. A cell names several tests of a file as `file: words of a title; words of
 * another title`.
 */
interface NamedTest {
  /**
   * Unique end of the path of a spec file, without `.spec.ts`. `.medium`, `.e2e` and `.scale` may
   * be omitted (`pathsOf`).
   */
  readonly file: string;
  readonly words: string;
}

/** A row of a table whose last column, `Test`, names the tests of the row. */
interface TestedRow {
  readonly cells: readonly string[];
  readonly tests: readonly NamedTest[];
}

const specPaths = ['apps', 'libs', 'tools', 'e2e'].flatMap((root) =>
  readdirSync(projectPath(root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts'))
    .map((path) => `/${join(root, path).replaceAll('\\', '/')}`),
);

/**
 * Returns the spec files whose path without `.spec.ts` ends with a name. If there are none,
 * `.medium`, `.e2e` and `.scale` may also be omitted in the name.
 */
function pathsOf(name: string): readonly string[] {
  const whole = specPaths.filter((path) => path.endsWith(`/${name}.spec.ts`));
  if (whole.length > 0) return whole;
  return specPaths.filter((path) => path.replace(/\.(?:medium|e2e|scale)\.spec\.ts$/, '').endsWith(`/${name}`));
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Returns the titles of `it(`, `describe(` and `it.each(...)(`. */
const titlesOf = (source: string): string[] =>
  [...source.matchAll(/(?:\bit|\bdescribe|\))\(\s*(['"`])(.+?)\1/g)].map(([, , title]) => title!);

/** Reads the table of a page. @param name of a file in `docs/` */
export function readTestTable(name: string): readonly TestedRow[] {
  const text = readFileSync(projectPath('docs', name), 'utf8');
  const rows: TestedRow[] = [];
  for (const table of text.trimEnd().split(/\n{2,}/)) {
    const [head, , ...lines] = table.split('\n').map(cellsOf);
    if (head!.at(-1) !== 'Test') continue;
    for (const cells of lines) {
      const named = cells.at(-1)!.matchAll(/`([\w./-]+): ([^`]+)`/g);
      const tests = [...named].flatMap(([, file, titles]) =>
        titles!.split('; ').map((words) => ({ file: file!, words })),
      );
      rows.push({ cells, tests });
    }
  }
  return rows;
}

/** Returns the errors in the test names of a page. */
export const defectsOf = (rows: readonly TestedRow[]): string[] =>
  rows.flatMap(({ cells, tests }) => {
    if (tests.length === 0) return [`${cells[0]}: no test is named`];
    return tests.map(defectOf).flatMap((defect) => (defect === undefined ? [] : [`${cells[0]}: ${defect}`]));
  });

function defectOf({ file, words }: NamedTest): string | undefined {
  const [path, ...others] = pathsOf(file);
  if (path === undefined) return `no spec file is called ${file}`;
  if (others.length > 0) return `several spec files are called ${file}: ${[path, ...others].join(', ')}`;
  const titles = titlesOf(readFileSync(projectPath(path.slice(1)), 'utf8'));
  const { length } = titles.filter((title) => title.includes(words));
  return length === 1 ? undefined : `${length} tests of ${file} have "${words}" in their titles instead of one`;
}
