import { Cache } from '#cache';
import { measuredEdge, scaleDown } from './level.js';
import { type PrintTexture, type PyramidLevel } from './texture.js';

/** Long edges of the levels, the largest first, half an octave apart. */
const edges = [2048, 1448, 1024, 724, 512, 362, 256, 181, 128, 91, 64, 45, 32] as const;
/** Levels for small repeats, which would shimmer at 32 pixels. */
const edgesOfRepeats = [...edges, 23, 16, 11, 8, 6, 4, 3, 2, 1] as const;
/** Largest level that most images of 500 pixels and nearly all of 323 need. */
const base = 724;

/**
 * Returns the smallest level with at least 0.84 of the required density, or the largest level. A
 * plan requires 1.35 pixels of the artwork per image pixel, so it gets 1.13 to 1.6: less would be
 * blurred, more would shimmer.
 */
export const levelFor = (required: number, isRepeated = false): number =>
  (isRepeated ? edgesOfRepeats : edges).findLast((edge) => edge >= 0.84 * required) ?? edges[0];

/**
 * Caches textures at the sizes that were needed. A single image decodes its level directly from the
 * file, which is the cheapest way, especially for a JPEG (8 ms at 362 pixels, 20 at 724, of 2000 x
 * 2000). The first of many images, and a second one that needs a larger level, decode the base, or
 * their own level if it is larger. Other levels are scaled from a larger cached level: in 1 to 3 ms
 * from one of twice the size.
 */
export class Pyramids {
  private readonly levels: Cache<PyramidLevel>;
  private readonly aspects = new Cache<number>({ name: 'rendering-aspect', maxBytes: 1024 ** 2, bytesOf: () => 8 });

  constructor(maxBytes: number) {
    this.levels = new Cache({ name: 'rendering-level', maxBytes, bytesOf: (level) => level.data.length });
  }

  /**
   * Caches the level of a measured image, from which smaller ones are scaled. An image smaller than
   * that is complete in its level, as in every larger one.
   */
  addMeasured(hash: string, level: PyramidLevel): void {
    this.levels.set(`${hash}/${measuredEdge}`, { ...level, edge: measuredEdge });
  }

  /**
   * Returns the level for a print of the required long edge.
   *
   * @param required computes the long edge in pixels from width / height of the artwork
   * @param oneOfMany true when more images of this texture will follow
   */
  async level(
    texture: PrintTexture,
    required: (aspect: number) => number,
    { oneOfMany, isRepeated }: { readonly oneOfMany: boolean; readonly isRepeated: boolean },
  ): Promise<PyramidLevel> {
    const edge = levelFor(required(await this.aspects.load(texture.hash, () => texture.aspect())), isRepeated);
    return this.levels.load(keyOf(texture, edge), () => this.make(texture, edge, oneOfMany));
  }

  private async make(texture: PrintTexture, edge: number, oneOfMany: boolean): Promise<PyramidLevel> {
    const cached = edgesOfRepeats
      .map((other) => this.levels.peek(keyOf(texture, other)))
      .filter((level) => level !== undefined);
    const double = cached.find((level) => level.edge === 2 * edge);
    const larger = double ?? cached.findLast((level) => level.edge > edge);
    if (larger) return scaleDown(larger, edge);
    if ((cached.length === 0 && !oneOfMany) || edge >= base) return texture.decode(edge);
    return scaleDown(await this.levels.load(keyOf(texture, base), () => texture.decode(base)), edge);
  }
}

const keyOf = (texture: PrintTexture, edge: number): string => `${texture.hash}/${edge}`;
