import { join } from 'node:path';
import { type Point } from '#placement';
import { blanksFolder, type Layer, readLayers } from '#blanks';
import { decodeLevel } from '../level.js';
import { placePrint } from '../pattern.js';
import { unadjusted } from '../placement.js';
import { makePlan } from '../plan.js';
import { paintPng } from '../testing/test-card.js';
import { warp } from '../warp.js';
import { type PrintArea } from './print-area.js';
import { rasterize } from './raster.js';
import { artworkSize, pixelsOf, placedIn, profilesFolder, sourceOf } from './testing/print-files.js';

const { floor, hypot, max, min } = Math;
const profile = join(profilesFolder, 'fogra39l.icc');

/** Centres of nine dots in widths and heights of the artwork. */
const dots = [0.12, 0.5, 0.88].flatMap((x) => [0.2, 0.5, 0.8].map((y) => ({ x, y })));
const radius = 20;

const paintDots = () =>
  paintPng(artworkSize.width, artworkSize.height, (x, y) => {
    const distance = min(
      ...dots.map((dot) => hypot((x - dot.x) * artworkSize.width, (y - dot.y) * artworkSize.height)),
    );
    return [0, 0, 0, 255 * min(1, max(0, radius - distance + 0.5))];
  });

class Centre {
  weight = 0;
  private x = 0;
  private y = 0;

  add({ x, y }: Point, weight: number): void {
    this.weight += weight;
    this.x += weight * x;
    this.y += weight * y;
  }

  distance(other: Centre): number {
    return hypot(this.x / this.weight - other.x / other.weight, this.y / this.weight - other.y / other.weight);
  }
}

/**
 * Returns the distances in millimetres between the dots of an image and those of the print file, as
 * the pixels of the image see both.
 */
async function distances(layer: Layer, rotation: number): Promise<number[]> {
  const { printArea: area, aspect, cover } = layer;
  // Finer than the image, so that their pixels do not interfere
  const print: PrintArea = { area, bleed: 0, dpi: (1_000 * 25.4) / area.width, mirror: false, colorSpace: 'rgb' };
  const placed = placedIn(print, { scale: 0.85, x: 0.03, y: -0.02, rotation });
  const bytes = await paintDots();
  const raster = await rasterize(await sourceOf(bytes), placed, print, profile);
  const pixels = pixelsOf(raster);
  const plan = await makePlan(layer, 765);
  const wanted = { mode: 'contain', placed, adjustment: unadjusted } as const;
  const { rgba } = warp(
    plan,
    await decodeLevel(bytes, 1_024),
    placePrint({ areaAspect: aspect, artworkAspect: 1.5, cover }, area, wanted),
  );
  const [a, b, c, d, e, f] = placed.matrix;
  const seen = dots.map(({ x, y }) => ({
    place: { x: a * x + c * y + e, y: b * x + d * y + f },
    image: new Centre(),
    file: new Centre(),
  }));
  const reach = (2 * radius * hypot(a, b)) / artworkSize.width;
  for (let i = 0; i < plan.pixels.length; i++) {
    const point = { x: plan.u[i]! * area.width, y: plan.v[i]! * area.height };
    const dot = seen.find(({ place }) => hypot(point.x - place.x, point.y - place.y) < reach);
    const [column, row] = [floor(point.x / raster.pitch), floor(point.y / raster.pitch)];
    if (!dot || column < 0 || row < 0 || column >= raster.width || row >= raster.height) continue;
    dot.image.add(point, rgba[4 * i + 3]!);
    dot.file.add(point, pixels[4 * (row * raster.width + column) + 3]!);
  }
  // Dots that the angle hides have few pixels or none
  return seen.filter(({ file }) => file.weight > 50 * 255).map(({ image, file }) => image.distance(file));
}

const masters = [...readLayers(blanksFolder).values()]
  .flatMap((angles) => [...angles.values()])
  // From the left a mug shows the end of its print only, where there are no dots
  .filter(({ item, angle }) => angle !== 'close-up' && `${item}/${angle}` !== 'mug/left');

describe('image and print file', () => {
  it.each(masters.map((layer, index) => [`${layer.item}/${layer.angle}`, index % 5 === 0 ? 8 : 0, layer] as const))(
    'agree within 0.3 mm: %s, rotated by %d degrees',
    async (_, rotation, layer) => {
      const found = await distances(layer, rotation);
      expect(found.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...found)).toBeLessThan(0.3);
    },
  );
});
