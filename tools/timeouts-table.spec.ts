import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { projectPath } from '#config';

const text = readFileSync(projectPath('docs', 'timeouts.md'), 'utf8');

/** The files behind the short names: the rows of the first table. */
const files = new Map(
  [...text.matchAll(/^\| `([a-z]+)` +\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, name, path]) => [
    name!,
    readFileSync(projectPath(posix.join('docs', path!)), 'utf8'),
  ]),
);
const named = [...text.matchAll(/`([a-z]+): ([^`]+)`/g)]
  .map(([, file, words]) => [file!, words!] as const)
  .filter(([file]) => files.has(file));

describe('docs/timeouts.md', () => {
  it('names tests of each file', () => {
    expect(named.length).toBeGreaterThan(40);
    expect([...new Set(named.map(([file]) => file))].sort()).toEqual([...files.keys()].sort());
  });

  it.each(named)('names a test that is there, of %s: %s', (file, words) => {
    if (!files.get(file)!.includes(words)) throw new Error(`no test says "${words}"`);
  });
});
