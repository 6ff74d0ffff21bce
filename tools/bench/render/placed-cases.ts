import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { type PlacedArtwork } from '#contracts';
import { completePlacement, placeArtwork, type Size } from '#placement';
import { type Cut, decodeCut } from '#rendering/print/cut.js';
import { writePng } from '#rendering/print/png.js';
import { rasterize } from '#rendering/print/raster.js';
import { type RenderEngine } from '#rendering/render-engine.js';
import {
  type AimedCase,
  type BenchContext,
  cachedImages,
  coldImages,
  draw,
  type EngineFiles,
  type Printed,
  single,
  workOf,
} from './drawing.js';
import { side, storeMaterial, type StoredMaterial } from './materials.js';
import { type Work } from './rounds.js';

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

const edges = [765, 323] as const;

/** Returns the cases of placements: uncached, and with a cached texture on both items. */
export async function placedCases(context: BenchContext, engine: RenderEngine): Promise<AimedCase[]> {
  const cached = placedItems.flatMap((item) =>
    placements.map((placement) => cachedPlacedCase(context, engine, { placement, item, edge: edges[0] })),
  );
  return [
    ...placements.flatMap((placement) => edges.map((edge) => placedCase(context, engine, { placement, edge }))),
    ...(await Promise.all(cached)),
  ];
}

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
