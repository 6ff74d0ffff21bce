import { readFileSync } from 'node:fs';
import { projectPath } from '#config';
import { readArguments } from './arguments.js';

const pages = [
  'k8s/README.md',
  'docs/operators-week.md',
  'docs/operations.md',
  'docs/backup.md',
  'docs/webhooks.md',
  'docs/own-items.md',
];
const starts = [
  'operator',
  'npm run --silent operator --',
  'docker compose run --rm (?:--no-deps )?operator',
  String.raw`kubectl exec job/operator -- node dist/programs/operator\.js`,
];

/** Command lines in code blocks, without comments. */
const linesOf = (page: string): string[] =>
  Array.from(
    readFileSync(projectPath(page), 'utf8').matchAll(new RegExp(`^(?:${starts.join('|')}) ([a-z].*)$`, 'gm')),
    ([, line]) => line!.split(' #')[0]!.trimEnd(),
  );

const wordsOf = (line: string): string[] =>
  (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''));

it.each(pages.flatMap((page) => linesOf(page).map((line) => ({ page, line }))))('$page: operator $line', ({ line }) => {
  expect(readArguments(wordsOf(line)).kind).toBe('run');
});

it('finds the commands of the pages', () => {
  expect(linesOf('docs/operators-week.md')).toContain('material violate 2 --reason "Complaint 71: copied"');
});
