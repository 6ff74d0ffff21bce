import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { paintPng } from '#rendering/testing/test-card.js';
import { UsageError } from '../../../apps/operator/src/command-line/command.js';
import { type Arguments, help, readArguments } from './arguments.js';
import { type Check, checks, missingPrograms, textChecks } from './checks.js';
import { drawPlace, drawTexts, measureArea, type PrintFiles } from './draw.js';

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const { items } = readCatalogFiles(blanksFolder);

/** Reports the checks of the files of all places, and returns the number of failures. */
function check<Files extends { readonly name: string }>(all: readonly Files[], of: readonly Check<Files>[]): number {
  let failed = 0;
  for (const { title, verify } of of) {
    const errors = all.flatMap((files) => {
      try {
        verify(files);
        return [];
      } catch (error) {
        return [`  ${files.name}: ${(error as Error).message}`];
      }
    });
    print(`${errors.length === 0 ? 'ok    ' : 'FAILED'} ${title} (${all.length - errors.length} of ${all.length})`);
    for (const error of errors) print(error);
    failed += errors.length;
  }
  return failed;
}

async function measure(folder: string): Promise<void> {
  const { sin } = Math;
  const photo = await paintPng(3_000, 2_000, (x, y) => [
    128 + 120 * sin(90 * x + 40 * y * y),
    128 + 120 * sin(70 * y),
    128 + 120 * sin(300 * x * y),
    255,
  ]);
  const areas = items.flatMap(({ printPlaces }) => printPlaces.map(({ millimetres }) => millimetres));
  const [largest] = areas.toSorted((one, other) => other.width * other.height - one.width * one.height);
  const { pixels, cpuSeconds, peakMegabytes } = await measureArea(largest!, photo, folder);
  print(`${largest!.width} x ${largest!.height} mm, ${pixels} pixels, CMYK of 300 dpi:`);
  for (const [format, seconds] of Object.entries(cpuSeconds))
    print(`${format}: ${seconds.toFixed(2)} s of processor time`);
  print(`${peakMegabytes.toFixed(0)} MB of memory`);
}

async function draw(wanted: Arguments, folder: string): Promise<void> {
  const all: PrintFiles[] = [];
  for (const item of items.filter(({ name }) => wanted.items.length === 0 || wanted.items.includes(name))) {
    for (const place of item.printPlaces) all.push(await drawPlace(item, place, folder));
  }
  const texts = await drawTexts(folder);
  print(`Print files of ${all.length} places and ${texts.length} texts are in ${folder}`);
  if (!wanted.check) return;
  const missing = missingPrograms();
  if (missing.length > 0) throw new Error(`--check: ${missing.join(', ')} not found`);
  if (check(all, checks) + check(texts, textChecks) > 0) process.exitCode = 1;
}

try {
  const wanted = readArguments(
    process.argv.slice(2),
    items.map(({ name }) => name),
  );
  if (wanted) {
    const folder = resolve(wanted.out);
    mkdirSync(folder, { recursive: true });
    await (wanted.largest ? measure(folder) : draw(wanted, folder));
  } else print(help);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
