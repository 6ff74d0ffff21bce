// node tools/build/image.mjs FOLDER: all that production needs, and nothing else, out of what the compiler wrote and npm installed.
// The Dockerfile makes the image of it. Of the packages, which take 700 MB, a program holds what it runs; beside the
// programs there are native code, fonts and the files of the pages about the API and of the queue board.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apps, bundle, commands, external } from '../bundle.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const children = ['decode', 'write'].map((name) => `apps/material-rendering/src/children/${name}.child`);

/** Every program of the image: the compiled file that begins it, by where it is below `dist`. */
export const imagePrograms = {
  ...Object.fromEntries(Object.entries({ ...apps, ...commands }).map(([app, file]) => [`programs/${app}`, file])),
  'programs/sandbox': join(root, 'dist/apps/material-rendering/src/children/sandbox.js'),
  // They are started where the compiler writes them
  ...Object.fromEntries(children.map((child) => [child, join(root, `dist/${child}.js`)])),
};

/** What the programs read beside them. */
export const imageFiles = [
  'package.json',
  'apps/catalog/data',
  'apps/gateway/assets',
  'apps/gateway/views',
  'apps/material-rendering/layers',
  'libs/demo-shop/artwork',
];

/** The folder of a package as another one, or the project, finds it; undefined for one that is not for this system. */
function folderOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (folder === root) return undefined;
  }
}

/** The folders of packages with all that they need. */
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

/** A single file of a package, and whose it is. */
function withLicence(file) {
  const path = relative(join(root, 'node_modules'), file).split('/');
  const folder = join(root, 'node_modules', ...path.slice(0, path[0].startsWith('@') ? 2 : 1));
  const of = readdirSync(folder).filter((name) => /^(?:package\.json$|licen[cs]e|notice)/i.test(name));
  return [file, ...of.map((name) => join(folder, name))];
}

async function assemble(folder) {
  await bundle(imagePrograms, join(folder, 'dist'));
  const { fontFiles } = await import('../../dist/apps/material-rendering/src/texts/font.files.js');
  const { swaggerUiFiles } = await import('../../dist/apps/gateway/src/docs/pages.js');
  const { boardFiles } = await import('../../dist/libs/queue-board/src/board-files.js');
  const single = [...fontFiles, ...swaggerUiFiles, ...boardFiles()].flatMap(withLicence);
  for (const path of [...imageFiles.map((name) => join(root, name)), ...foldersOf(external), ...single])
    cpSync(path, join(folder, relative(root, path)), { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await assemble(resolve(process.argv[2]));
