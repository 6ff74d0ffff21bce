// Runs a program of the build: `node tools/built.mjs operator ...`. `npm start`, `npm test` and
// `npm run build` create the build. A bundle (tools/bundle.mjs) starts in a third of the time;
// PROGRAMS=files runs the unbundled files.
import { existsSync } from 'node:fs';

const [, , tool] = process.argv;
const compiled = [
  `apps/${tool}/src/main.js`,
  `tools/${tool}/main.js`,
  `tools/${tool}.js`,
  `tools/dev-stack/${tool}.js`,
];
const files = process.env.PROGRAMS === 'files' ? compiled : [`programs/${tool}.js`, ...compiled];
const main = files.map((file) => new URL(`../dist/${file}`, import.meta.url)).find((file) => existsSync(file));
if (!main) {
  process.stderr.write(
    'The project is not built yet: run `npm install` and `npm run build` first (`npm start` does both).\n',
  );
  process.exit(1);
}
process.argv.splice(2, 1);
await import(main.href);
