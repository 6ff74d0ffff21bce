// Compiles all sources into dist, with source maps and the settings of .swcrc, which jest uses,
// too. Each file is compiled by itself without type checks, which are `npm run types`, so that a
// start does not wait for them (ADR 0016).
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import { sourceFiles } from './build/sources.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Compiles one file. @throws Error with the line of a syntax error */
async function compileFile(path) {
  const out = join(root, 'dist', relative(root, path)).replace(/\.ts$/, '.js');
  const sourceFileName = relative(dirname(out), path);
  const { code, map } = await transformFile(path, { root, sourceMaps: true, sourceFileName }).catch(({ message }) => {
    // Omits the stack of the compiler
    throw new Error(message.split('\n\nCaused by:')[0]);
  });
  await mkdir(dirname(out), { recursive: true });
  await writeFile(`${out}.map`, map);
  await writeFile(out, `${code}//# sourceMappingURL=${basename(out)}.map\n`);
}

/** Compiles all source files. */
export const compile = () => Promise.all(sourceFiles().map(compileFile));

if (process.argv[1] === fileURLToPath(import.meta.url))
  await compile().catch(({ message }) => {
    console.error(`The sources do not compile: ${message}`);
    process.exitCode = 1;
  });
