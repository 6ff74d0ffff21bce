// Names every export that no other file imports, and every export of apps and libs that only tests use. `npm run lint` runs it.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unusedExports } from './unused-exports.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const { unused, testOnly } = unusedExports(join(root, 'tsconfig.json'), join(root, 'tools'));
const complaints = [
  ...unused.map((each) => `exported, and imported nowhere: ${each}`),
  // Files of tools and e2e may be there for tests
  ...testOnly
    .filter((each) => /^(?:apps|libs)\//.test(each))
    .map((each) => `used by tests only, belongs beside them: ${each}`),
];
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;
