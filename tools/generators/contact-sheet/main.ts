import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { UsageError } from '../../../apps/operator/src/command-line/command.js';
import { help, readArguments } from './arguments.js';
import { writeSheet } from './draw.js';
import { itemsWithImages, scenesOf } from './shots.js';

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Returns a progress reporter: one updated line on a terminal, one line per tenth in a file. */
function progressReporter(total: number): (done: number) => void {
  let tenths = 0;
  return (done) => {
    const line = `  ${done} of ${total} images`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line}${done === total ? '\n' : ''}`);
    else if (Math.floor((10 * done) / total) > tenths) {
      tenths = Math.floor((10 * done) / total);
      print(line);
    }
  };
}

try {
  const files = readCatalogFiles(blanksFolder);
  const wanted = readArguments(
    process.argv.slice(2),
    itemsWithImages(files).map(({ name }) => name),
  );
  if (wanted) {
    const scenes = scenesOf(files, wanted.items);
    const total = scenes.reduce((sum, { shots }) => sum + shots.length, 0);
    print(`Drawing into ${resolve(wanted.out)}`);
    const page = await writeSheet(scenes, resolve(wanted.out), progressReporter(total));
    print(`Open ${pathToFileURL(page).href}`);
  } else print(help);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
