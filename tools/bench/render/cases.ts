import { randomUUID } from 'node:crypto';
import { imageFormats, type ImageFormat } from '#contracts';
import { openTexture, sharp } from '#images';
import { encode, encoders } from '#rendering/encode.js';
import { RenderEngine } from '#rendering/render-engine.js';
import {
  type AimedCase,
  type BenchContext,
  cachedImages,
  coldImages,
  draw,
  single,
  type Wanted,
  workOf,
} from './drawing.js';
import { type Material, type StoredMaterial } from './materials.js';
import { ownItemCases } from './own-item-cases.js';
import { placedCases } from './placed-cases.js';
import { type Work } from './rounds.js';

const edges = [765, 323] as const;

/** Products of one material: 11 images in two sizes. */
const products = [
  { itemName: 't-shirt', angle: 'front', colors: ['#ffffff', '#1a1a1a', '#be1e2d', '#1f3a63', '#8a8d8f', '#f2c9d0'] },
  { itemName: 'mug', angle: 'left', colors: ['#ffffff', '#1a1a1a'] },
  { itemName: 'tote-bag', angle: 'front', colors: ['#efe6d2', '#1a1a1a'] },
  { itemName: 'smartphone-case', angle: 'back', colors: ['#ffffff'] },
] as const;

/** Images of a material that a worker renders concurrently. */
const sideBySide = 2;

/** Returns all cases with their targets. */
export async function makeCases(context: BenchContext): Promise<AimedCase[]> {
  const engine = new RenderEngine(context);
  const cold = context.materials.flatMap((material) => edges.map((edge) => coldCase(context, engine, material, edge)));
  const byFormat = await Promise.all(
    imageFormats.flatMap((format) => edges.map((edge) => formatCases(context, engine, format, edge))),
  );
  return [
    ...cold,
    ...byFormat.flat(),
    ...edges.map((edge) => firstCase(context, edge)),
    ...(await placedCases(context, engine)),
    ...(await ownItemCases(context)),
    ...(await Promise.all(context.materials.map((material) => materialCase(context, engine, material)))),
  ];
}

/** Uncached texture in a worker with cached item and color. */
function coldCase(context: BenchContext, engine: RenderEngine, material: StoredMaterial, edge: number): AimedCase {
  const { imageMagick } = context;
  return {
    name: `jpg ${edge}, cold, ${material.name}`,
    contenders: {
      ours: workOf(coldImages, () =>
        draw(engine, context, material, { ...single, edge, format: 'jpg', hash: randomUUID() }),
      ),
      floor: coldFloor(material, edge, 'jpg'),
      ...(imageMagick && { ImageMagick: workOf(1, () => imageMagick.draw(material, edge)) }),
    },
    aims: [...(edge === 765 ? [{ timesFloor: 1.15 }] : []), { imageMagick: 5 }],
  };
}

/**
 * Floor: decoding, resizing and encoding with sharp only. The alpha channel is removed, because
 * product images have none.
 */
const coldFloor = ({ bytes }: Material, edge: number, format: ImageFormat): Work =>
  workOf(coldImages, () => encoders[format](openTexture(bytes).resize(edge, edge).removeAlpha()).toBuffer());

/**
 * Cases of a format, with item and color cached: one with a cached texture, and a cold one without.
 * JPEG has separate cold cases (`coldCase`).
 */
async function formatCases(
  context: BenchContext,
  engine: RenderEngine,
  format: ImageFormat,
  edge: number,
): Promise<AimedCase[]> {
  const material = context.materials[0]!;
  const { imageMagick } = context;
  const request = { ...single, edge, format, hash: randomUUID() };
  const drawCached = () => draw(engine, context, material, request);
  const pixels = await pixelsOf(await draw(engine, context, material, { ...request, format: 'png' }));
  const cached: AimedCase = {
    name: `${format} ${edge}, cached`,
    contenders: {
      // The cold images of the previous round have evicted the texture
      ours: { prepare: drawCached, ...workOf(cachedImages, drawCached) },
      floor: workOf(cachedImages, () => encode(pixels, edge, edge, format)),
      ...(imageMagick && format === 'jpg' && { ImageMagick: workOf(1, () => imageMagick.draw(material, edge)) }),
    },
    aims: [{ timesFloor: 1.4 }, ...(format === 'jpg' ? [{ imageMagick: 25 }] : [])],
  };
  if (format === 'jpg') return [cached];
  const cold: AimedCase = {
    name: `${format} ${edge}, cold, ${material.name}`,
    contenders: {
      ours: workOf(coldImages, () => draw(engine, context, material, { ...request, hash: randomUUID() })),
      floor: coldFloor(material, edge, format),
    },
    aims: [],
  };
  return [cold, cached];
}

/** First image of an item after a start. */
function firstCase(context: BenchContext, edge: number): AimedCase {
  const material = context.materials[0]!;
  let engine: RenderEngine;
  return {
    name: `jpg ${edge}, first ever, ${material.name}`,
    contenders: {
      ours: {
        images: 1,
        prepare: () => {
          engine = new RenderEngine(context);
          return Promise.resolve();
        },
        run: async () => {
          await draw(engine, context, material, { ...single, edge, format: 'jpg', hash: randomUUID() });
        },
      },
      floor: coldFloor(material, edge, 'jpg'),
    },
    aims: [],
  };
}

/** All images of a new material; the floor is one decoding and the same number of encodings. */
async function materialCase(context: BenchContext, engine: RenderEngine, material: StoredMaterial): Promise<AimedCase> {
  const wanted: Wanted[] = products.flatMap(({ colors, ...item }) =>
    edges.flatMap((edge) => colors.map((rgb) => ({ ...item, rgb, edge, format: 'jpg' as const }))),
  );
  const drawAll = async (each: (image: Buffer, edge: number) => void): Promise<void> => {
    const hash = randomUUID();
    const rest = [...wanted];
    const drawRest = async (): Promise<void> => {
      for (let next = rest.shift(); next; next = rest.shift())
        each(await draw(engine, context, material, { ...next, hash, oneOfMany: true }), next.edge);
    };
    await Promise.all(Array.from({ length: sideBySide }, drawRest));
  };
  const drawn: { image: Buffer; edge: number }[] = [];
  await drawAll((image, edge) => drawn.push({ image, edge }));
  const ready = await Promise.all(drawn.map(async ({ image, edge }) => ({ pixels: await pixelsOf(image), edge })));
  return {
    name: `jpg, material of ${wanted.length}, ${material.name}`,
    contenders: {
      ours: { images: wanted.length, run: () => drawAll(() => undefined) },
      floor: {
        images: wanted.length,
        run: async () => {
          await openTexture(material.bytes).resize(1024, 1024).raw().toBuffer();
          for (const { pixels, edge } of ready) await encode(pixels, edge, edge, 'jpg');
        },
      },
    },
    aims: [{ timesFloor: 1.5 }, { cpuMs: 10 }],
  };
}

/** Renders the image that is compared with that of ImageMagick. */
export const drawSingle = (context: BenchContext, material: StoredMaterial, edge: number): Promise<Buffer> =>
  draw(new RenderEngine(context), context, material, { ...single, edge, format: 'jpg', hash: randomUUID() });
const pixelsOf = (image: Buffer): Promise<Buffer> => sharp(image).removeAlpha().raw().toBuffer();
