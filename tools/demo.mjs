// The demo runs from the built tree: `npm start` or `npm run build` makes it.
import { existsSync } from 'node:fs';

const main = new URL('../dist/tools/demo/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write('The project is not built yet: run `npm start` or `npm run build` first.\n');
  process.exit(1);
}
await import(main.href);
