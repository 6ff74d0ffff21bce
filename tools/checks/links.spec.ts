import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { projectPath } from '#config';

const read = (file: string): string => readFileSync(projectPath(file), 'utf8');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: projectPath(),
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(projectPath(file)));
const fileExists = (path: string): boolean => existsSync(projectPath(path));

/** Returns the anchors of headings as GitHub generates them. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#{1,6} (\S.*)$/gm)].map(([, heading]) =>
      heading!
        .replaceAll(/\]\([^)]*\)/g, '')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );

/** Returns the text without code blocks, whose paths are on the reader's machine. */
const proseOf = (text: string): string => text.replaceAll(/^```[^]+?^```$/gm, '');

/** Returns the relative links of a page whose targets do not exist. */
function deadLinks(page: string, text: string): string[] {
  const links = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(dirname(page), path);
    if (path !== '' && !fileExists(target)) return true;
    return (
      anchor !== undefined && target.endsWith('.md') && !anchorsOf(target === page ? text : read(target)).has(anchor)
    );
  });
}

/** Paths of files of this repository in documents and comments, without generated folders. */
const filePath = /(?<![\w./@-])(?:apps|libs|tools|docs|k8s|e2e)\/[\w./-]+\.(?:ts|mts|mjs|cjs|md|ya?ml|json|svg)\b/g;

/** Returns mentioned files that do not exist. */
const missingFiles = (text: string): string[] =>
  [...text.matchAll(filePath)]
    .map(([path]) => path)
    .filter((path) => !fileExists(path) && !fileExists(path.replace(/\.js$/, '.ts')));

const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);

/** Returns commands `npm run NAME` that package.json does not have. */
const missingScripts = (text: string): string[] =>
  [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z]\w*(?:[:-]\w+)*)/g)]
    .map(([, name]) => name!)
    .filter((name) => !scripts.includes(name));

const decisions = files.filter((file) => /^docs\/adr\/\d{4}-/.test(file)).map((file) => Number(file.slice(9, 13)));

/** Returns numbers of decisions that are not in docs/adr. */
const missingDecisions = (text: string): string[] =>
  [...text.matchAll(/\bADR (\d+)/g)]
    .map(([, number]) => number!)
    .filter((number) => !decisions.includes(Number(number)));

/** Returns the comments of a source or YAML file. */
const commentsOf = (file: string): string => {
  const text = read(file);
  if (/\.ya?ml$/.test(file)) return [...text.matchAll(/(?<=^|\s)#.*$/gm)].map(([comment]) => comment).join('\n');
  return [...text.matchAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm)].map(([comment]) => comment).join('\n');
};

const pages = files.filter((file) => file.endsWith('.md'));
const sources = files.filter(
  (file) => /\.(?:ts|mts|mjs|cjs|js|ya?ml)$/.test(file) && !file.startsWith('tools/checks/'),
);

describe('documents', () => {
  it.each(pages)('%s has links with existing targets', (page) => {
    expect(deadLinks(page, read(page))).toEqual([]);
  });

  it.each(pages)('%s mentions existing files, commands and decisions', (page) => {
    const text = read(page);
    expect([...missingFiles(text), ...missingScripts(text), ...missingDecisions(text)]).toEqual([]);
  });

  it('are all reachable from the index', () => {
    const linked = new Set(['README.md', 'docs/README.md']);
    const follow = (page: string): void => {
      for (const [, link] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        const target = posix.join(dirname(page), link!.split('#')[0]!);
        if (!target.endsWith('.md') || linked.has(target) || !fileExists(target)) continue;
        linked.add(target);
        follow(target);
      }
    };
    follow('docs/README.md');
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });
});

describe('comments', () => {
  it('mention existing files, commands and decisions', () => {
    const wrong = sources.flatMap((file) => {
      const text = commentsOf(file);
      return [...missingFiles(text), ...missingScripts(text), ...missingDecisions(text)].map(
        (name) => `${file}: ${name}`,
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe('the checks of links', () => {
  it('report missing targets', () => {
    expect(deadLinks('docs/page.md', '# One\n[a](#one) [b](#two) [c](nowhere.md) [d](README.md#nothing)')).toEqual([
      '#two',
      'nowhere.md',
      'README.md#nothing',
    ]);
    expect(missingFiles('`apps/nothing/src/main.ts` and tools/start.mjs')).toEqual(['apps/nothing/src/main.ts']);
    expect(missingScripts('`npm run nothing` and `npm run build`')).toEqual(['nothing']);
    expect(missingDecisions('ADR 999, ADR 11')).toEqual(['999']);
  });
});
