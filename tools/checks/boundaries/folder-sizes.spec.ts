import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectPath, projectRoot } from '#config';
import { folderDefects } from './folder-sizes.js';

const paths = ['apps', 'libs', 'tools', 'e2e'].flatMap((top) =>
  readdirSync(projectPath(top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name))),
);

const filesIn = (folder: string, count: number, ending = '.ts'): string[] =>
  Array.from({ length: count }, (_, at) => `${folder}/planted-${at}${ending}`);

it('no folder has more than 25 sources besides tests, and no folder of the gateway has a single file', () => {
  const known = ['apps/gateway/src/main.ts', 'libs/kernel/src/index.ts', 'tools/start.mjs', 'e2e/support/shop.ts'];
  expect(paths).toEqual(expect.arrayContaining(known));
  expect(folderDefects(paths)).toEqual([]);
});

it('finds a folder with 26 files', () => {
  const folder = 'libs/request-queue/src/planted';
  expect(folderDefects(filesIn(folder, 26))).toEqual([`${folder}: 26 files without tests`]);
  expect(folderDefects([...filesIn(folder, 25), ...filesIn(folder, 9, '.spec.ts')])).toEqual([]);
});

it('finds a folder of the gateway with a single file', () => {
  const folder = 'apps/gateway/src/site/planted';
  expect(folderDefects([`${folder}/page.view.ts`, `${folder}/page.view.spec.ts`])).toEqual([
    `${folder}: a single file`,
  ]);
  expect(folderDefects([`${folder}/page.module.ts`, ...filesIn(`${folder}/pages`, 2)])).toEqual([]);
});

it.each([
  ['migrations of a service', filesIn('apps/catalog/src/migrations', 40)],
  ['data', filesIn('blanks/items', 40, '.json')],
  ['a single file of another app', ['apps/social/src/testing/social-stack.ts']],
])('accepts %s', (_, files) => {
  expect(folderDefects(files)).toEqual([]);
});
