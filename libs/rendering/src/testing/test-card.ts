import { createHash } from 'node:crypto';
import { blanksFolder, type Layer } from '#blanks';
import { projectPath } from '#config';
import { type Plan } from '../plan.js';
import { type PrintTexture, type PyramidLevel } from '../texture.js';
import { decodeLevel } from '../level.js';
import { cmykProfileIn } from '../print/profiles.js';
import { openTexture, sharp } from '#images';

// Read once, because each access to a global is slow in the vm context of Jest
const { abs, floor, hypot, max, min, round } = Math;

/** Options of render engines in tests. */
export const engineFiles = {
  blanksFolder,
  cmykProfile: cmykProfileIn(projectPath('libs', 'rendering', 'profiles')),
};

export type Paint = (x: number, y: number) => readonly [red: number, green: number, blue: number, alpha: number];

/** Returns RGBA bytes; `paint` receives the centre of each pixel, 0..1 along both axes. */
export function paintRaw(width: number, height: number, paint: Paint): Buffer {
  const rgba = Buffer.alloc(4 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = paint((x + 0.5) / width, (y + 0.5) / height);
      for (let c = 0; c < 4; c++) rgba[4 * (y * width + x) + c] = round(color[c]!);
    }
  }
  return rgba;
}

export const paintPng = (width: number, height: number, paint: Paint): Promise<Buffer> =>
  sharp(paintRaw(width, height, paint), { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();

/** Returns a texture that is decoded in this process; `decodes` counts the decodings. */
export function textureOf(bytes: Buffer): PrintTexture & { decodes: number } {
  const texture = {
    hash: createHash('sha256').update(bytes).digest('hex'),
    decodes: 0,
    aspect: async () => {
      const { autoOrient } = await openTexture(bytes).metadata();
      return autoOrient.width / autoOrient.height;
    },
    decode: (edge: number) => {
      texture.decodes++;
      return decodeLevel(bytes, edge);
    },
  };
  return texture;
}

/**
 * Four colors, one per corner: red, green / blue, yellow. They reveal rotation, mirroring and
 * shifts.
 */
export const quadrants: Paint = (x, y) =>
  y < 0.5 ? (x < 0.5 ? [220, 20, 20, 255] : [20, 160, 20, 255]) : x < 0.5 ? [20, 20, 220, 255] : [230, 210, 20, 255];

/**
 * Quadrants, a disc with a soft edge, fine stripes, a half-transparent top and a transparent
 * window, which reveal errors of every step.
 */
export const testCard: Paint = (x, y) => {
  if (abs(x - 0.5) < 0.3 && abs(y - 0.78) < 0.1) return [0, 0, 0, 0];
  const disc = min(1, max(0, (0.22 - hypot(x - 0.5, (y - 0.35) * 1.33)) * 40));
  const stripe = y > 0.93 && floor(x * 60) % 2 === 0;
  const [red, green, blue] = quadrants(x, y);
  if (stripe) return [20, 20, 20, 255];
  return [red + (250 - red) * disc, green + (250 - green) * disc, blue + (250 - blue) * disc, y < 0.08 ? 128 : 255];
};

/**
 * Returns the plan of a flat sheet that fills the image under full light, with print coordinates
 * from edge to edge.
 */
export function sheet(edge: number, change: Partial<Plan> & { cover?: boolean } = {}): Plan {
  const layer = { item: 'sheet', angle: 'front', aspect: 1, cover: change.cover ?? false } as Layer;
  const index = Array.from({ length: edge * edge }, (_, i) => i);
  const mask = change.mask ?? Buffer.alloc(edge * edge, 255);
  return {
    layer,
    edge,
    millimetresPerPixel: 1,
    shade: Buffer.alloc(edge * edge, 200),
    mask,
    ink: mask,
    gloss: Buffer.alloc(edge * edge),
    pixels: Uint32Array.from(index),
    u: Float32Array.from(index, (i) => ((i % edge) + 0.5) / edge),
    v: Float32Array.from(index, (i) => (floor(i / edge) + 0.5) / edge),
    printWidth: edge,
    printHeight: edge,
    ...change,
  };
}

/** Returns the color of a raw image of three bytes per pixel at x and y, 0..1 along both axes. */
export function colorAt(rgb: Buffer, edge: number, x: number, y: number): [number, number, number] {
  const o = 3 * (floor(y * edge) * edge + floor(x * edge));
  return [rgb[o]!, rgb[o + 1]!, rgb[o + 2]!];
}

/** Returns a square level; `paint` returns premultiplied colors. */
export const levelOf = (edge: number, paint: Paint): PyramidLevel => ({
  edge,
  width: edge,
  height: edge,
  aspect: 1,
  data: paintRaw(edge, edge, paint),
});
