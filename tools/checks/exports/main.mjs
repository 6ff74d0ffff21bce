// node tools/checks/exports/main.mjs FOLDER...: names every export in them that no other file imports. `npm run lint` runs it.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unusedExports } from './unused-exports.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const folders = process.argv.slice(2).map((folder) => `${folder}/`);
const unused = unusedExports(join(root, 'tsconfig.json'), join(root, 'tools')).filter((each) =>
  folders.some((folder) => each.startsWith(folder)),
);
for (const each of unused) console.error(`exported, and imported nowhere: ${each}`);
process.exitCode = unused.length > 0 ? 1 : 0;
