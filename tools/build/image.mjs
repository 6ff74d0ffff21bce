// node tools/build/image.mjs FOLDER: writes the content of the container image, for the Dockerfile.
// Each compiled program becomes one file with the code that it uses of npm packages. Copied without
// change: `imageFiles` of the repository, native packages with their dependencies, fonts, and the
// files of the API pages and of the queue board.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apps, bundle, commands, external } from '../bundle.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const children = [
  'apps/material-rendering/src/children/decode.child',
  'apps/material-rendering/src/children/render-text.child',
  'libs/blanks/src/bundles/icon.child',
  'libs/mockups/src/psd/psd.child',
];

/** Programs of the image: compiled entry file by path below `dist`. */
export const imagePrograms = {
  ...Object.fromEntries(Object.entries({ ...apps, ...commands }).map(([app, file]) => [`programs/${app}`, file])),
  'programs/sandbox': join(root, 'dist/apps/material-rendering/src/children/sandbox.js'),
  // Child programs are started by their path in the compiler's output
  ...Object.fromEntries(children.map((child) => [child, join(root, `dist/${child}.js`)])),
};

/** Files and folders that the programs read. */
export const imageFiles = [
  'package.json',
  'apps/gateway/assets',
  'apps/gateway/views',
  'libs/rendering/profiles',
  'blanks',
  'docs/clients',
  'docs/clients.md',
  'libs/demo-shop/artwork',
  'tools/build/fonts.conf',
];

/**
 * Returns the folder of a package as resolved from another folder; undefined for a package of
 * another platform.
 */
function folderOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (folder === root) return undefined;
  }
}

/** Returns the folders of packages and all their dependencies. */
function foldersOf(names, from = root, found = new Set()) {
  for (const name of names) {
    const folder = folderOf(name, from);
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    foldersOf(Object.keys({ ...dependencies, ...optionalDependencies }), folder, found);
  }
  return [...found];
}

/** Returns a file of a package, with package.json and the licence files of the package. */
function withLicence(file) {
  const path = relative(join(root, 'node_modules'), file).split('/');
  const folder = join(root, 'node_modules', ...path.slice(0, path[0].startsWith('@') ? 2 : 1));
  const of = readdirSync(folder).filter((name) => /^(?:package\.json$|licen[cs]e|notice)/i.test(name));
  return [file, ...of.map((name) => join(folder, name))];
}

async function assemble(folder) {
  await bundle(imagePrograms, join(folder, 'dist'));
  const { fontFiles } = await import('../../dist/apps/material-rendering/src/texts/font.files.js');
  const { swaggerUiFiles } = await import('../../dist/apps/gateway/src/site/docs/swagger-ui.js');
  const { boardFiles } = await import('../../dist/libs/queue-board/src/board-files.js');
  const single = [...fontFiles, ...swaggerUiFiles, ...boardFiles()].flatMap(withLicence);
  for (const path of [...imageFiles.map((name) => join(root, name)), ...foldersOf(external), ...single])
    cpSync(path, join(folder, relative(root, path)), { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await assemble(resolve(process.argv[2]));
