import { LRUCache } from 'lru-cache';
import { halve } from './halve.js';
import { openTexture, sharp } from './sharp.js';
import { StepCache } from './step-cache.js';
import { type PrintTexture, type PyramidLevel } from './texture.js';

/** Long edges, half an octave apart. */
const edges = [2048, 1448, 1024, 724, 512, 362, 256, 181, 128, 91, 64, 45, 32] as const;
/** What most pictures of 500 pixels and nearly all of 323 need at most. */
const base = 724;

/**
 * The smallest level of at least 0.84 of the wanted density. A plan wants 1.35 pixels of artwork per pixel of picture, so
 * it gets 1.13 to 1.6: less would be soft, more would shimmer.
 */
export const levelFor = (wanted: number): number => edges.findLast((edge) => edge >= 0.84 * wanted) ?? edges[0];

/**
 * The materials that are in work, each at the sizes that were needed. A single picture takes its level straight from the
 * file, which is the cheapest way to it, above all for a JPEG (8 ms at 362 pixels, 20 at 724, of 2000 x 2000). One of
 * many, and a second one that needs more, takes the base, and the others come from it: half of a level in 1 to 3 ms.
 */
export class Pyramids {
  readonly levels: StepCache<PyramidLevel>;
  private readonly aspects = new LRUCache<string, number, PrintTexture>({
    max: 2_000,
    fetchMethod: async (_hash, _stale, { context: texture }) => texture.aspect(),
    // An aspect whose entry is evicted meanwhile is returned all the same
    ignoreFetchAbort: true,
  });

  constructor(limitBytes: number) {
    this.levels = new StepCache(limitBytes, (level) => level.data.length);
  }

  /**
   * The level that shows a print of the given long edge well.
   *
   * @param wanted long edge in pixels, from the artwork's width / height
   * @param oneOfMany more pictures of this texture will follow
   */
  async level(texture: PrintTexture, wanted: (aspect: number) => number, oneOfMany: boolean): Promise<PyramidLevel> {
    const edge = levelFor(wanted(await this.aspects.forceFetch(texture.hash, { context: texture })));
    return this.levels.get(keyOf(texture, edge), () => this.make(texture, edge, oneOfMany));
  }

  private async make(texture: PrintTexture, edge: number, oneOfMany: boolean): Promise<PyramidLevel> {
    const kept = edges.map((other) => this.levels.peek(keyOf(texture, other))).filter((level) => level !== undefined);
    const double = kept.find((level) => level.edge === 2 * edge);
    const larger = double ?? kept.findLast((level) => level.edge > edge);
    if (larger) return scaleDown(larger, edge);
    if ((kept.length === 0 && !oneOfMany) || edge >= base) return texture.decode(edge);
    return scaleDown(await this.levels.get(keyOf(texture, base), () => texture.decode(base)), edge);
  }
}

const keyOf = (texture: PrintTexture, edge: number): string => `${texture.hash}/${edge}`;

/** Width and height of the upright picture, from its header. */
async function measure(bytes: Buffer): Promise<{ width: number; height: number }> {
  const { autoOrient } = await openTexture(bytes).metadata();
  return autoOrient;
}

const sizeOf = (edge: number, aspect: number): { width: number; height: number } => ({
  width: Math.max(1, Math.round(aspect >= 1 ? edge : edge * aspect)),
  height: Math.max(1, Math.round(aspect >= 1 ? edge / aspect : edge)),
});

/**
 * Decodes a stored texture of any accepted kind (orientation, profiles, CMYK, 16 bit, palette, grey) to one level. A
 * smaller original is not enlarged: the warp's own interpolation does that as well. libvips takes 200 ms from 2000 to
 * 2048 pixels, and moves the picture by half of one: 0.43 pixels of a product picture for an artwork of 96.
 */
export async function decodeLevel(bytes: Buffer, edge: number): Promise<PyramidLevel> {
  const original = await measure(bytes);
  const aspect = original.width / original.height;
  const longEdge = Math.max(original.width, original.height);
  const { width, height } = sizeOf(Math.min(edge, longEdge), aspect);
  const data = await openTexture(bytes)
    .resize(width, height, { fit: 'fill' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer();
  return { edge, width, height, aspect, data: premultiply(data) };
}

async function scaleDown(from: PyramidLevel, edge: number): Promise<PyramidLevel> {
  if (Math.max(from.width, from.height) <= edge) return { ...from, edge };
  const { width, height } = sizeOf(edge, from.aspect);
  if (from.width === 2 * width && from.height === 2 * height) {
    return { edge, width, height, aspect: from.aspect, data: halve(from.data, from.width, from.height) };
  }
  // sharp multiplies by alpha itself, and turns what is declared as premultiplied into floats first: 37 ms instead of 12
  const straight = unpremultiply(Buffer.from(from.data));
  const raw = { width: from.width, height: from.height, channels: 4 } as const;
  const data = await sharp(straight, { raw }).resize(width, height, { fit: 'fill' }).raw().toBuffer();
  return { edge, width, height, aspect: from.aspect, data: premultiply(data) };
}

/** Multiplies RGBA bytes by their alpha, in place. */
function premultiply(data: Buffer): Buffer {
  for (let i = 3; i < data.length; i += 4) {
    const alpha = data[i]!;
    if (alpha === 255) continue;
    data[i - 3] = (data[i - 3]! * alpha + 127) / 255;
    data[i - 2] = (data[i - 2]! * alpha + 127) / 255;
    data[i - 1] = (data[i - 1]! * alpha + 127) / 255;
  }
  return data;
}

/** The reverse, in place; a colour of which little is left comes back rounded. */
function unpremultiply(data: Buffer): Buffer {
  for (let i = 3; i < data.length; i += 4) {
    const alpha = data[i]!;
    if (alpha === 255 || alpha === 0) continue;
    data[i - 3] = Math.min(255, (data[i - 3]! * 255 + (alpha >> 1)) / alpha);
    data[i - 2] = Math.min(255, (data[i - 2]! * 255 + (alpha >> 1)) / alpha);
    data[i - 1] = Math.min(255, (data[i - 1]! * 255 + (alpha >> 1)) / alpha);
  }
  return data;
}
