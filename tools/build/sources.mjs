import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Returns whether a file is compiled: TypeScript, and plain JavaScript of libraries, which scripts
 * import before the build and compiled code imports from `dist`.
 */
const isSource = (path) =>
  (/\.ts$/.test(path) && !/\.(?:spec|d)\.ts$/.test(path)) || /\/libs\/[\w-]+\/src\/.*\.mjs$/.test(path);

/**
 * Returns the sources to compile: all but tests, and of `e2e` only the programs with the code that
 * they share. The folder `e2e` is absent in the build of an image.
 */
export function sourceFiles() {
  const found = [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (isSource(path)) found.push(path);
    }
  };
  const ofTests = ['faults', 'fleet', 'fuzz', 'load', 'scale', 'soak', 'webhooks'].map((name) => `e2e/${name}`);
  for (const folder of ['apps', 'libs', 'tools', ...ofTests])
    if (existsSync(join(root, folder))) visit(join(root, folder));
  return found.sort();
}
