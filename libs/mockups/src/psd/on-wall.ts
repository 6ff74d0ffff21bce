import { wallRgb as wall } from '#rendering/light.js';
import { type Raster } from './blend.js';

/** Returns the brightness of each pixel, 0..255, in front of the wall. */
export function brightness({ rgba }: Raster): Float32Array {
  const brightnessOf = (red: number, green: number, blue: number): number =>
    0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const behind = brightnessOf(...wall);
  const plane = new Float32Array(rgba.length / 4);
  for (let index = 0, o = 0; o < rgba.length; index++, o += 4) {
    const alpha = rgba[o + 3]!;
    plane[index] = 255 * alpha * brightnessOf(rgba[o]!, rgba[o + 1]!, rgba[o + 2]!) + behind * (1 - alpha);
  }
  return plane;
}

/** Returns three bytes per pixel, in front of the wall. */
export function toRgb({ rgba }: Raster): Uint8Array {
  const rgb = new Uint8Array((3 * rgba.length) / 4);
  for (let o = 0, i = 0; o < rgba.length; o += 4) {
    const alpha = rgba[o + 3]!;
    for (let c = 0; c < 3; c++, i++) rgb[i] = Math.round(255 * alpha * rgba[o + c]! + (1 - alpha) * wall[c]!);
  }
  return rgb;
}
