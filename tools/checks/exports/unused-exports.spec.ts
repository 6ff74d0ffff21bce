import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unusedExports } from './unused-exports.mjs';

const files = {
  'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "types": [] }, "include": ["**/*.ts"] }',
  'index.ts': `export * from './things.js';`,
  'things.ts': [
    'export const imported = 1;',
    'export const ofScripts = 2;',
    'export const onlyHere = 3;',
    'export type OnlyHere = typeof onlyHere;',
    'export type InAType = string;',
    'export const testedAlone = (again: boolean): number => (again ? testedAlone(false) : 4);',
    'export const helpedAlone = 5;',
    'export const testedPart = 6;',
    'export const whole = { testedPart };',
  ].join('\n'),
  'all.ts': 'export const wholly = 1;',
  'late.ts': 'export const later = 1;',
  'user.ts': [
    `import { imported, whole } from './index.js';`,
    `import * as all from './all.js';`,
    `export default [imported, whole, all, import('./late.js')] as unknown as import('./things.js').InAType;`,
  ].join('\n'),
  'things.spec.ts': [
    `import { helped } from './testing/helper.js';`,
    `import { testedAlone, testedPart } from './index.js';`,
    'export default [helped, testedAlone, testedPart];',
  ].join('\n'),
  'testing/helper.ts': `import { helpedAlone } from '../things.js';\nexport const helped = helpedAlone;`,
  'scripts/image.mjs': `const { ofScripts } = await import('../dist/things.js');`,
};

let folder: string;
let found: ReturnType<typeof unusedExports>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'exports-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  found = unusedExports(join(folder, 'tsconfig.json'), join(folder, 'scripts'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('reports exactly the exports that no other file imports, also behind a re-export', () => {
  expect(found.unused).toEqual(['things.ts: OnlyHere', 'things.ts: onlyHere']);
});

it('reports exports that only tests and their helpers use, but no part of a used export', () => {
  expect(found.testOnly).toEqual(['things.ts: helpedAlone', 'things.ts: testedAlone']);
});
