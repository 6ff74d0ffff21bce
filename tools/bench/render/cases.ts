import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { imageFormats, type ImageFormat, type PlacedArtwork, type ResizeMode } from '#contracts';
import { completePlacement, placeArtwork, type Size } from '#placement';
import { encode, encoders } from '#rendering/encode.js';
import { type Cut, decodeCut } from '#rendering/print/cut.js';
import { writePng } from '#rendering/print/png.js';
import { rasterize } from '#rendering/print/raster.js';
import { RenderEngine, type RenderRequest } from '#rendering/render-engine.js';
import { openTexture, sharp } from '#images';
import { type TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';
import { type ImageMagick } from './imagemagick.js';
import { type Material, side, storeMaterial, type StoredMaterial } from './materials.js';
import { type Case, type Work } from './rounds.js';
import { storedTexture } from './texture.js';
import { type Aim } from './verdict.js';

/** Files of the render engine. */
export interface EngineFiles {
  readonly blanksFolder: string;
  readonly cmykProfile: string;
}

/** Inputs of all cases. */
export interface BenchContext extends EngineFiles {
  readonly decoder: TextureDecoder;
  readonly materials: readonly StoredMaterial[];
  /** Undefined if it is not installed. */
  readonly imageMagick: ImageMagick | undefined;
}

/** Case with its targets. */
export interface AimedCase extends Case {
  readonly aims: readonly Aim[];
}

/** Item, angle and color of single images. */
export const single = { itemName: 't-shirt', angle: 'front', rgb: '#1f3a63' } as const;
const edges = [765, 323] as const;

/** Products of one material: 11 images in two sizes. */
const products = [
  { itemName: 't-shirt', angle: 'front', colors: ['#ffffff', '#1a1a1a', '#be1e2d', '#1f3a63', '#8a8d8f', '#f2c9d0'] },
  { itemName: 'mug', angle: 'left', colors: ['#ffffff', '#1a1a1a'] },
  { itemName: 'tote-bag', angle: 'front', colors: ['#efe6d2', '#1a1a1a'] },
  { itemName: 'smartphone-case', angle: 'back', colors: ['#ffffff'] },
] as const;

// Images per run, so that a run is well above the clock resolution
const [coldImages, cachedImages] = [3, 12];
/** Images of a material that a worker renders concurrently. */
const sideBySide = 2;

type Wanted = Pick<RenderRequest, 'itemName' | 'angle' | 'rgb' | 'format'> & { readonly edge: number };
/** Print of a texture; `hash` is its cache key. */
type Printed = Wanted & {
  readonly hash: string;
  readonly adjustment?: string;
  readonly oneOfMany?: boolean;
  readonly placed?: PlacedArtwork;
  readonly resizeMode?: ResizeMode | null;
};

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
    ...placements.flatMap((placement) => edges.map((edge) => placedCase(context, engine, { placement, edge }))),
    ...(await Promise.all(
      placedItems.flatMap((item) =>
        placements.map((placement) => cachedPlacedCase(context, engine, { placement, item, edge: edges[0] })),
      ),
    )),
    ...(await Promise.all(context.materials.map((material) => materialCase(context, engine, material)))),
  ];
}

function draw(
  engine: RenderEngine,
  context: BenchContext,
  material: StoredMaterial,
  { edge, hash, placed, resizeMode, adjustment, ...rest }: Printed,
) {
  const texture = storedTexture(hash, context.decoder, material);
  const prints = ['front', 'back', 'outside'].map((place) => ({
    place,
    texture,
    resizeMode: resizeMode ?? null,
    placed: placed ?? null,
  }));
  return engine.render({ ...rest, width: edge, height: edge, prints, adjustment: adjustment ?? null });
}

const workOf = (images: number, run: () => Promise<unknown>): Work => ({
  images,
  run: async () => {
    for (let i = 0; i < images; i++) await run();
  },
});

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

const pixelsOf = (image: Buffer): Promise<Buffer> => sharp(image).removeAlpha().raw().toBuffer();

/**
 * Placements, each beside the image of the same file without a placement that is most like it: with
 * the same adjustment in its address, or with repeats beside `cover`, which fills the area too.
 */
const placements = [
  { name: 'shifted', given: { scale: 0.8, x: 0.1 }, beside: { adjustment: '0.8+0.1+0.0' } },
  { name: 'enlarged', given: { scale: 1.5, x: 0.1 }, beside: { adjustment: '1.5+0.1+0.0' } },
  { name: 'rotated', given: { rotation: 15 }, beside: {} },
  { name: 'grid', given: { scale: 0.25, repeat: 'grid' }, beside: { resizeMode: 'cover' } },
  { name: 'half-drop', given: { scale: 0.25, repeat: 'half-drop', spacing: 10 }, beside: { resizeMode: 'cover' } },
  { name: 'mirror', given: { scale: 0.2, repeat: 'mirror', rotation: 30 }, beside: { resizeMode: 'cover' } },
] as const;

/** An item with a print area, and one that is printed all over. */
const placedItems = [
  { itemName: 't-shirt', area: { width: 300, height: 400 }, mode: 'contain' },
  { itemName: 'cushion', area: { width: 450, height: 450 }, mode: 'cover' },
] as const;

/** Placements of the test artwork that have not been rendered: each differs in its last digits. */
let adjustments = 0;
const nextAdjustment = (): string => `1.0+0.0${String((adjustments++ % 1_000) + 1_000).slice(1)}+0.0`;

/** Resolution of `placedMaterial`. */
const placedDpi = 130;

/** Returns a material whose file is the print area with another material in its place. */
async function placedMaterial(
  { cmykProfile }: EngineFiles,
  { bytes, path, ...material }: StoredMaterial,
  { placed, area }: { readonly placed: PlacedArtwork; readonly area: Size },
): Promise<StoredMaterial> {
  const source = { width: side, height: side, decode: (cut: Cut) => decodeCut(bytes, cut) };
  const print = { area, bleed: 0, dpi: placedDpi, mirror: false, colorSpace: 'rgb' } as const;
  const parts: Buffer[] = [];
  await writePng(await rasterize(source, placed, print, cmykProfile), (part) => {
    parts.push(Buffer.from(part));
    return Promise.resolve();
  });
  return storeMaterial({ ...material, bytes: Buffer.concat(parts), aspect: area.width / area.height }, dirname(path));
}

/**
 * Cached texture with a placement. The floor is the same image without one, of a file that shows
 * the placed artwork: a picture with more ink or more edges takes more time to draw.
 */
async function cachedPlacedCase(
  context: BenchContext,
  engine: RenderEngine,
  {
    placement: { name, given },
    item: { itemName, area, mode },
    edge,
  }: { placement: (typeof placements)[number]; item: (typeof placedItems)[number]; edge: number },
): Promise<AimedCase> {
  const material = context.materials[0]!;
  const placed = placeArtwork({ artwork: { width: side, height: side }, area, mode }, completePlacement(given));
  const unplaced = await placedMaterial(context, material, { placed, area });
  const cached = (of: StoredMaterial, more: Pick<Printed, 'placed' | 'resizeMode'>): Work => {
    const request = { ...single, itemName, edge, format: 'jpg', hash: randomUUID(), ...more } as const;
    // A new adjustment each time, so that the print is placed again
    const drawNext = () => draw(engine, context, of, { ...request, adjustment: nextAdjustment() });
    return { prepare: drawNext, ...workOf(cachedImages, drawNext) };
  };
  return {
    name: `jpg ${edge}, ${itemName} ${name}, cached, beside unplaced`,
    contenders: { ours: cached(material, { placed }), floor: cached(unplaced, {}) },
    aims: [{ timesFloor: 1.1 }],
  };
}

/** Uncached texture with a placement; the floor is an image without one. */
function placedCase(
  context: BenchContext,
  engine: RenderEngine,
  {
    placement: { name, given, beside },
    edge,
  }: { readonly placement: (typeof placements)[number]; readonly edge: number },
): AimedCase {
  const material = context.materials[0]!;
  const artwork = { width: side, height: side };
  const area = { width: 300, height: 400 };
  const placed = placeArtwork({ artwork, area, mode: 'contain' }, completePlacement(given));
  const cold = (more: Pick<Printed, 'placed' | 'resizeMode' | 'adjustment'>): Work =>
    workOf(coldImages, () =>
      draw(engine, context, material, { ...single, edge, format: 'jpg', hash: randomUUID(), ...more }),
    );
  return {
    name: `jpg ${edge}, ${name}, beside unplaced`,
    contenders: { ours: cold({ placed }), floor: cold(beside) },
    aims: [{ timesFloor: 1.1 }],
  };
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
