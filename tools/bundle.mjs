// Bundles each program with its packages into one file, dist/programs/<app>.js, from the compiled
// files. Resolving, reading and linking up to 1,500 files took two thirds of a start (ADR 0012).
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { commandNames, serverNames } from '../libs/contracts/src/apps.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const filesOf = (names) => Object.fromEntries(names.map((app) => [app, join(root, `dist/apps/${app}/src/main.js`)]));
/** Entry files of the apps that run until they are stopped, by name. */
export const apps = filesOf(serverNames);
/** Entry files of the apps that perform one task and exit, by name. */
export const commands = filesOf(commandNames);
/** Entry files of all programs of `npm start`: the apps and its own programs. */
export const programs = {
  ...apps,
  ...commands,
  stack: join(root, 'dist/tools/dev-stack/main.js'),
  tasks: join(root, 'dist/tools/dev-stack/tasks.js'),
};

/** Packages with native code or WebAssembly, files of their own folder: they are not bundled. */
export const external = ['sharp', '@node-rs/argon2', 'harfbuzzjs'];

/** Excludes optional dependencies of Nest that are not installed. */
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

/**
 * Drops the source maps of packages, which would take five times the memory of the project's own
 * maps in each process. Stack traces show the names of packages without lines.
 */
const withoutMapsOfPackages = {
  name: 'without-maps-of-packages',
  setup({ onLoad }) {
    const none = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${none}`,
    }));
  },
};

/**
 * Replaces a folder by the bundles of programs. `entryPoints`: entry file by name of the bundle.
 */
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
    // Nest, TypeORM and the log identify classes by name
    keepNames: true,
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    // CommonJS packages require the modules of Node.js
    banner: {
      js: "import { createRequire as requireIn } from 'node:module'; const require = requireIn(import.meta.url);",
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
