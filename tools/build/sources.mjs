import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A table that scripts read before anything is compiled is plain JavaScript, and is copied to where compiled code reads it. */
const isSource = (path) =>
  (/\.ts$/.test(path) && !/\.(?:spec|d)\.ts$/.test(path)) || /\/libs\/[\w-]+\/src\/.*\.mjs$/.test(path);

/** The sources that are compiled: all but the tests. An image is built without `e2e`. */
export function sourceFiles() {
  const found = [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (isSource(path)) found.push(path);
    }
  };
  const ofTests = ['faults', 'fleet', 'fuzz', 'load', 'scale', 'soak'].map((name) => `e2e/${name}`);
  for (const folder of ['apps', 'libs', 'tools', ...ofTests])
    if (existsSync(join(root, folder))) visit(join(root, folder));
  return found.sort();
}
