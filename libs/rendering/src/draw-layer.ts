import { type Layer } from '#blanks';
import { tintBlank } from './blank.js';
import { clothOf } from './cloth-tone.js';
import { over } from './over.js';
import { placePrint } from './pattern.js';
import { unadjusted } from './placement.js';
import { makePlan } from './plan.js';
import { warp } from './warp.js';

/** Color of each point of an artwork; all values are 0..1. */
type Artwork = (u: number, v: number) => readonly [red: number, green: number, blue: number];

/**
 * Draws an item with artwork for the whole print area, in the size of its master.
 *
 * @param rgb color of the item, `#rrggbb`
 * @returns three bytes per pixel
 */
export async function drawLayer(layer: Layer, rgb: string, artwork: Artwork): Promise<Uint8Array> {
  const plan = await makePlan(layer, layer.width);
  const cloth = clothOf(layer, rgb);
  const blank = tintBlank(plan, cloth.rgb, cloth.mottled);
  const [width, height] = [Math.ceil(plan.printWidth), Math.ceil(plan.printHeight)];
  const data = Buffer.alloc(4 * width * height, 255);
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 4) {
      const color = artwork((x + 0.5) / width, (y + 0.5) / height);
      for (let c = 0; c < 3; c++) data[o + c] = 255 * color[c]!;
    }
  const level = { edge: Math.max(width, height), width, height, aspect: layer.aspect, data };
  const shape = { areaAspect: layer.aspect, artworkAspect: layer.aspect, cover: layer.cover };
  const print = placePrint(shape, layer.printArea, { mode: 'contain', placed: null, adjustment: unadjusted });
  return over(blank, warp(plan, level, print));
}
