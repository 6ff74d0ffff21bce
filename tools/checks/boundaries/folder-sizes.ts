import { dirname } from 'node:path';

const isTest = (path: string): boolean => path.endsWith('.spec.ts');
/** Source files count; data such as icons and layers of images does not. */
const isSource = (path: string): boolean => /\.[cm]?[jt]s$/.test(path);

/** Largest number of sources directly in a folder. */
const maxSources = 25;

/**
 * Returns a line for each folder with too many sources, and for each folder of the gateway with a
 * single file; tests do not count.
 */
export function folderDefects(paths: readonly string[]): string[] {
  const folders = new Map<string, string[]>();
  for (const path of paths.filter((it) => !isTest(it)))
    folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), path]);
  const hasFolders = (folder: string): boolean => [...folders.keys()].some((it) => it.startsWith(`${folder}/`));
  return [...folders].flatMap(([folder, files]) => {
    const count = files.filter(isSource).length;
    // Released migrations are not moved
    if (count > maxSources && !folder.endsWith('/migrations')) return [`${folder}: ${count} files without tests`];
    const isSingle = files.length === 1 && folder.startsWith('apps/gateway/src/') && !hasFolders(folder);
    return isSingle ? [`${folder}: a single file`] : [];
  });
}
