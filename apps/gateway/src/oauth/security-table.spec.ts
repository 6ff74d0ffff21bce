import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { projectPath } from '#config';

const text = readFileSync(projectPath('docs', 'oauth-security.md'), 'utf8');

/** Contents of the spec files in the first table, by name. */
const specTexts = new Map(
  [...text.matchAll(/^\| `([^`]+)` +\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, name, path]) => [
    name!,
    readFileSync(projectPath(posix.join('docs', path!)), 'utf8'),
  ]),
);
/** Named tests: `file: part of a title; part of another title`. */
const named = [...text.matchAll(/`([a-z]+): ([^`]+)`/g)].flatMap(([, file, titles]) =>
  titles!.split('; ').map((part) => [file!, part] as const),
);

describe('docs/oauth-security.md', () => {
  it('names tests of each file', () => {
    expect(named.length).toBeGreaterThan(100);
    expect([...new Set(named.map(([file]) => file))].sort()).toEqual([...specTexts.keys()].sort());
  });

  it.each(named)('names an existing test, %s: %s', (file, part) => {
    if (!specTexts.get(file)!.includes(part)) throw new Error(`no title contains "${part}"`);
  });
});
