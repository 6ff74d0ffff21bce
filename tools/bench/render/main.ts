import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { blanksFolder, readLayers } from '#blanks';
import { projectPath } from '#config';
import { cmykProfileIn } from '#rendering/print/profiles.js';
import { TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';
import { makeCases } from './cases.js';
import { type AimedCase, type BenchContext, single } from './drawing.js';
import { findImageMagick, howToInstall, ImageMagick } from './imagemagick.js';
import { makeMaterials, storeMaterial, type StoredMaterial } from './materials.js';
import { measureMemory } from './memory.js';
import { writeMontage } from './montage.js';
import { runRounds } from './rounds.js';
import { rowOf, tableOf } from './table.js';

const help = `Usage: npm run bench:render -- [--rounds N] [--only TEXT] [--json] [--images FOLDER] | --memory

Measures the cost of a product image against sharp alone (decode, resize, encode: the floor) and a mock-up by ImageMagick,
alternating in one run. CPU time includes all threads and child processes. --only measures the cases whose name contains
the text, such as "beside unplaced". --json prints all numbers, --images writes the
images of both, --memory renders 2,000 images of 50 materials, with 50 large ones between them, and reports the memory of
the process. Linux only.`;

const engineFiles = {
  blanksFolder,
  cmykProfile: cmykProfileIn(projectPath('libs/rendering/profiles')),
};
const edges = [765, 323];

/** Prints progress to stderr, so that `--json` output can be piped. */
const note = (text: string): boolean => process.stderr.write(`${text}\n`);

async function openImageMagick(): Promise<ImageMagick | undefined> {
  const program = await findImageMagick();
  if (program === undefined) {
    note(howToInstall);
    return undefined;
  }
  const layer = readLayers(blanksFolder).get(single.itemName)!.get(single.angle)!;
  return ImageMagick.with(program, { layer, rgb: single.rgb, edges });
}

async function measureAndPrint(
  context: BenchContext,
  rounds: number,
  { json, only }: { json: boolean; only: string },
): Promise<void> {
  const cases: AimedCase[] = (await makeCases(context)).filter(({ name }) => name.includes(only));
  if (cases.length === 0) throw new Error(`No case contains "${only}".`);
  const results = await runRounds(cases, rounds, (round) =>
    note(round === 0 ? 'warming up' : `round ${round} of ${rounds}`),
  );
  const rows = cases.map((each) => rowOf(each, results.get(each)!));
  process.stdout.write(`${json ? JSON.stringify({ rounds, rows }, null, 2) : tableOf(rows)}\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '15' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      images: { type: 'string' },
      memory: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${help}\n`);
    return;
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number above 0.');
  const folder = await mkdtemp(join(tmpdir(), 'bench-render-'));
  try {
    const materials = await Promise.all((await makeMaterials()).map((material) => storeMaterial(material, folder)));
    if (values.memory) await measureMemory(materials, engineFiles);
    else await runComparison(materials, rounds, values);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runComparison(
  materials: readonly StoredMaterial[],
  rounds: number,
  { images, ...output }: { json: boolean; only: string; images?: string },
): Promise<void> {
  const decoder = new TextureDecoder({ timeoutMs: 8_000 });
  const imageMagick = await openImageMagick();
  const context = { ...engineFiles, decoder, materials, imageMagick };
  try {
    if (images === undefined) await measureAndPrint(context, rounds, output);
    else {
      await mkdir(images, { recursive: true });
      note(`written: ${await writeMontage(context, resolve(images))}`);
    }
  } finally {
    decoder.onApplicationShutdown();
    await imageMagick?.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
