import { Cache } from '#cache';
import { scaleDown } from './level.js';
import { type PrintTexture, type PyramidLevel } from './texture.js';

/** Long edges, half an octave apart. */
const edges = [2048, 1448, 1024, 724, 512, 362, 256, 181, 128, 91, 64, 45, 32] as const;
/** What most images of 500 pixels and nearly all of 323 need at most. */
const base = 724;

/**
 * The smallest level of at least 0.84 of the wanted density. A plan wants 1.35 pixels of artwork per pixel of image, so
 * it gets 1.13 to 1.6: less would be soft, more would shimmer.
 */
export const levelFor = (wanted: number): number => edges.findLast((edge) => edge >= 0.84 * wanted) ?? edges[0];

/**
 * Caches textures, each at the sizes that were needed. A single image takes its level straight from the file, which is the
 * cheapest way to it, above all for a JPEG (8 ms at 362 pixels, 20 at 724, of 2000 x 2000). One of many, and a second one that
 * needs more, takes the base, and the others are made of it: half of a level in 1 to 3 ms.
 */
export class Pyramids {
  private readonly levels: Cache<PyramidLevel>;
  private readonly aspects = new Cache<number>({ name: 'rendering-aspect', maxBytes: 1024 ** 2, bytesOf: () => 8 });

  constructor(maxBytes: number) {
    this.levels = new Cache({ name: 'rendering-level', maxBytes, bytesOf: (level) => level.data.length });
  }

  /**
   * The level that shows a print of the given long edge well.
   *
   * @param wanted long edge in pixels, from the artwork's width / height
   * @param oneOfMany more images of this texture will follow
   */
  async level(texture: PrintTexture, wanted: (aspect: number) => number, oneOfMany: boolean): Promise<PyramidLevel> {
    const edge = levelFor(wanted(await this.aspects.load(texture.hash, () => texture.aspect())));
    return this.levels.load(keyOf(texture, edge), () => this.make(texture, edge, oneOfMany));
  }

  private async make(texture: PrintTexture, edge: number, oneOfMany: boolean): Promise<PyramidLevel> {
    const cached = edges.map((other) => this.levels.peek(keyOf(texture, other))).filter((level) => level !== undefined);
    const double = cached.find((level) => level.edge === 2 * edge);
    const larger = double ?? cached.findLast((level) => level.edge > edge);
    if (larger) return scaleDown(larger, edge);
    if ((cached.length === 0 && !oneOfMany) || edge >= base) return texture.decode(edge);
    return scaleDown(await this.levels.load(keyOf(texture, base), () => texture.decode(base)), edge);
  }
}

const keyOf = (texture: PrintTexture, edge: number): string => `${texture.hash}/${edge}`;
