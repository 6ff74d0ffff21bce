import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of `package.json`: the same for sources (tests) and for `dist` (apps). */
export const projectRoot: string = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json was not found above the running code');
    folder = parent;
  }
  return folder;
})();

/**
 * Returns a path inside the project, for files that ship beside the code (catalog data, layers,
 * artwork).
 */
export const projectPath = (...parts: string[]): string => join(projectRoot, ...parts);
