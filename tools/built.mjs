// Runs a tool from the built tree, `node tools/built.mjs operator ...`: `npm start` or `npm run build` makes it.
import { existsSync } from 'node:fs';

const [, , tool] = process.argv;
const main = new URL(`../dist/tools/${tool}/main.js`, import.meta.url);
if (!existsSync(main)) {
  process.stderr.write(
    'The project is not built yet: run `npm install` and `npm run build` first (`npm start` does both).\n',
  );
  process.exit(1);
}
process.argv.splice(2, 1);
await import(main.href);
