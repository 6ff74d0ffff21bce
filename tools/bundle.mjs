// Makes one file of each program that a stack or people start, with the packages it needs, out of what the compiler wrote:
// dist/programs/<app>.js. To find, read and link the 1,500 files one by one was two thirds of a start (ADR 0012).
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { commandNames, serverNames } from '../libs/contracts/src/apps.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const filesOf = (names) => Object.fromEntries(names.map((app) => [app, join(root, `dist/apps/${app}/src/main.js`)]));
/** The apps that run until they are stopped. */
export const apps = filesOf(serverNames);
/** The apps that do one thing and end. */
export const commands = filesOf(commandNames);
export const programs = {
  ...apps,
  ...commands,
  stack: join(root, 'dist/tools/dev-stack/main.js'),
  tasks: join(root, 'dist/tools/dev-stack/tasks.js'),
};

/** Native code stays where it is. */
export const external = ['sharp', '@node-rs/argon2'];

/** What Nest loads when it is asked for, and nobody has installed. */
const withoutMissingPackages = {
  name: 'without-missing-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^@?[a-z]/ }, ({ kind, path }) => {
      if (kind !== 'dynamic-import') return undefined;
      const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(path);
      return existsSync(join(root, 'node_modules', name)) ? undefined : { path, external: true };
    });
  },
};

/** Packages keep their names in a stack trace and lose their lines: their maps would be five times ours, in each process. */
const withoutMapsOfPackages = {
  name: 'without-maps-of-packages',
  setup({ onLoad }) {
    const none = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${none}`,
    }));
  },
};

/** Replaces a folder by the bundles of programs, of each the file that begins it by where its bundle goes. */
export async function bundle(entryPoints = programs, outdir = join(root, 'dist/programs')) {
  await rm(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    plugins: [withoutMissingPackages, withoutMapsOfPackages],
    conditions: [],
    logLevel: 'error',
    // Nest, TypeORM and the log tell classes by their names
    keepNames: true,
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    // Packages that are no ES modules ask for the modules of Node
    banner: {
      js: "import { createRequire as requireIn } from 'node:module'; const require = requireIn(import.meta.url);",
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
