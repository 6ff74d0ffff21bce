// Reports exports that no other file imports, and exports of apps and libs that only tests use.
// Part of `npm run lint`.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unusedExports } from './unused-exports.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const { unused, testOnly } = unusedExports(join(root, 'tsconfig.json'), join(root, 'tools'));
const problems = [
  ...unused.map((each) => `exported, and imported nowhere: ${each}`),
  // Exports of tools and e2e may be for tests only
  ...testOnly
    .filter((each) => /^(?:apps|libs)\//.test(each))
    .map((each) => `used by tests only, move it to their folder: ${each}`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
