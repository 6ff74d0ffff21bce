import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FairQueue, Ticket } from '#concurrency';
// Loads the code of the whole service, which a worker also has in memory
import '../../../apps/material-rendering/src/material-rendering.module.js';
import { weightOf } from '../../../apps/material-rendering/src/images/image.rules.js';
import { renderQueueOptions } from '../../../apps/material-rendering/src/images/image.renderer.js';
import { RenderEngine, type RenderRequest } from '#rendering/render-engine.js';
import { TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';
import { processTreeOf, usageOf } from '../process-usage.js';
import { storedTexture } from './texture.js';
import { slope } from './verdict.js';

const [materials, imagesOfEach, sampleEvery] = [50, 40, 100];
/** Default concurrency of a worker: two materials, two images of each. */
const [materialsAtOnce, sideBySide] = [2, 2];
const [maxBytes, flatBytes] = [350e6, 1e6];
const colors = ['#ffffff', '#1a1a1a', '#be1e2d', '#1f3a63', '#8a8d8f', '#f2c9d0'];

const [blanksFolder, cmykProfile, ...files] = process.argv.slice(2) as [string, string, ...string[]];
const engine = new RenderEngine({ blanksFolder, cmykProfile });
const decoder = new TextureDecoder({ timeoutMs: 8_000 });
const queue = new FairQueue(renderQueueOptions);

type ImageKind = Omit<RenderRequest, 'prints' | 'rgb' | 'adjustment'>;

/** Images on pages and images rendered ahead, of every item and angle. */
const imageKinds: readonly ImageKind[] = readdirSync(join(blanksFolder, 'items')).flatMap((itemName) =>
  engine.angles(itemName).flatMap((angle): ImageKind[] => [
    { itemName, angle, width: 500, height: 500, format: 'webp' },
    { itemName, angle, width: 323, height: 323, format: 'webp' },
    { itemName, angle, width: 765, height: 765, format: 'jpg' },
  ]),
);

/** Images rendered on request, which take the most memory; one per material. */
const largeImageKinds: readonly ImageKind[] = imageKinds.slice(0, 24).flatMap(({ itemName, angle }): ImageKind[] => [
  { itemName, angle, width: 1530, height: 1530, format: 'jpg' },
  { itemName, angle, width: 1530, height: 1530, format: 'avif' },
  { itemName, angle, width: 765, height: 765, format: 'avif' },
  { itemName, angle, width: 1530, height: 1530, format: 'webp' },
]);

const samples: number[] = [];
let [drawn, decoderPeak] = [0, 0];

/** Samples memory. @param images number of rendered images */
async function sample(images: number): Promise<void> {
  const rss = process.memoryUsage.rss();
  samples.push(rss);
  console.log(`${String(images).padStart(5)} images  ${megabytes(rss)}`);
  const [, ...children] = await processTreeOf(process.pid);
  // Decoders are replaced periodically, also between two samples
  const usages = await Promise.all(children.map((pid) => usageOf(pid).catch(() => ({ peakRss: 0 }))));
  decoderPeak = Math.max(decoderPeak, ...usages.map(({ peakRss }) => peakRss));
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1).padStart(6)} MB`;

async function drawMaterial(number: number): Promise<void> {
  const texture = storedTexture(randomUUID(), decoder, { path: files[number % files.length]!, aspect: 1 });
  const prints = ['front', 'back', 'outside', 'left', 'right'].map((place) => ({
    place,
    texture,
    resizeMode: null,
    placed: null,
  }));
  const rest = Array.from({ length: imagesOfEach }, (_, i) => number * imagesOfEach + i);
  await runConcurrently(sideBySide, rest, async (image) => {
    const kind = imageKinds[image % imageKinds.length]!;
    await draw(kind, { rgb: colors[image % colors.length]!, prints, oneOfMany: true });
    drawn += 1;
    if (drawn % sampleEvery === 0) await sample(drawn);
  });
  await draw(largeImageKinds[number % largeImageKinds.length]!, { rgb: '#be1e2d', prints, oneOfMany: false });
}

/** Renders with the concurrency of a worker: large images alone. */
async function draw(kind: ImageKind, what: Pick<RenderRequest, 'rgb' | 'prints' | 'oneOfMany'>): Promise<void> {
  await queue.run(
    () => engine.render({ ...kind, ...what, adjustment: null }),
    new Ticket('background', undefined, weightOf(kind)),
  );
}

async function runConcurrently(width: number, rest: number[], work: (next: number) => Promise<void>): Promise<void> {
  const one = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: width }, one));
}

await runConcurrently(
  materialsAtOnce,
  Array.from({ length: materials }, (_, i) => i),
  drawMaterial,
);
const { peakRss } = await usageOf(process.pid);
const growth = slope(samples.slice(-Math.ceil(samples.length / 3)));
const passed = (reached: boolean): string => (reached ? 'yes' : 'NO');
console.log(`peak ${megabytes(peakRss)} (<= ${megabytes(maxBytes)}: ${passed(peakRss <= maxBytes)})`);
console.log(
  `last third grows by ${megabytes(growth)} in ${sampleEvery} images ` +
    `(<= ${megabytes(flatBytes)}: ${passed(growth <= flatBytes)})`,
);
console.log(`peak of the decoder ${megabytes(decoderPeak)}`);
decoder.onApplicationShutdown();
