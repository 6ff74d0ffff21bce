import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unusedExports } from './unused-exports.mjs';

const files = {
  'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "types": [] }, "include": ["*.ts"] }',
  'index.ts': `export * from './things.js';`,
  'things.ts': [
    'export const imported = 1;',
    'export const ofScripts = 2;',
    'export const onlyHere = 3;',
    'export type OnlyHere = typeof onlyHere;',
    'export type InAType = string;',
  ].join('\n'),
  'all.ts': 'export const wholly = 1;',
  'late.ts': 'export const later = 1;',
  'user.ts': [
    `import { imported } from './index.js';`,
    `import * as all from './all.js';`,
    `export default [imported, all, import('./late.js')] as unknown as import('./things.js').InAType;`,
  ].join('\n'),
  'scripts/image.mjs': `const { ofScripts } = await import('../dist/things.js');`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'exports-'));
  mkdirSync(join(folder, 'scripts'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('finds what no other file imports, also behind a re-export, and nothing else', () => {
  const unused = unusedExports(join(folder, 'tsconfig.json'), join(folder, 'scripts'));
  expect(unused).toEqual(['things.ts: OnlyHere', 'things.ts: onlyHere']);
});
