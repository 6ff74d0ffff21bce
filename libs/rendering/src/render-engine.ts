import { Cache } from '#cache';
import { maxImageSidePixels, problems, type ImageFormat, type PlacedArtwork, type ResizeMode } from '#contracts';
import { DomainError } from '#kernel';
import { traced } from '#observability';
import { renderingMetrics } from './rendering.metrics.js';
import { tintBlank } from './blank.js';
import { clothOf } from './cloth-tone.js';
import { encode } from './encode.js';
import { readLayers, type Layer } from '#blanks';
import { layersHash } from './layers-hash.js';
import { frame, over } from './over.js';
import { placePrint, printedSize, type PlacedPrint } from './pattern.js';
import { parseAdjustment, unadjusted, type Adjustment } from './placement.js';
import { makePlan, planBytes, type Plan } from './plan.js';
import { Pyramids } from './pyramid.js';
import { softProof } from './soft-proof.js';
import { type PrintTexture, type PyramidLevel } from './texture.js';
import { inkBytes, warp, type Ink } from './warp.js';

export { type PrintTexture } from './texture.js';

export interface Print {
  readonly place: string;
  readonly texture: PrintTexture;
  /**
   * Null = the default of the item: cover for items that are printed all over, contain for the
   * others.
   */
  readonly resizeMode: ResizeMode | null;
  /** Null = as fitted by the resize mode, which has no effect otherwise. */
  readonly placed: PlacedArtwork | null;
  /** True for a soft proof: the colors of the CMYK profile. Default: false. */
  readonly proof?: boolean;
}

export interface RenderRequest {
  readonly itemName: string;
  /** Null = `front`, or the first angle in alphabetical order if the item has no front. */
  readonly angle: string | null;
  /**
   * Pixels, 1 to 4096. The item fills the middle square and the wall is extended; a close-up fills
   * the whole image.
   */
  readonly width: number;
  readonly height: number;
  /** Color of the item, `#rrggbb`. */
  readonly rgb: string;
  /**
   * The print whose place is visible from the angle is rendered. Without such a print the item is
   * blank.
   */
  readonly prints: readonly Print[];
  /**
   * `{scale}{+-x}{+-y}`: scale around the centre of the print area, then shift right and down in
   * fractions of the area. Applies to the print as placed.
   */
  readonly adjustment: string | null;
  readonly format: ImageFormat;
  /**
   * True when more images of these prints will follow, so that each texture is decoded once. A
   * single image is cheaper with false.
   */
  readonly oneOfMany?: boolean;
  /** SHA-256 of packed layers, see `packedLayers`. Null or missing = layers that ship. */
  readonly layers?: string | null;
}

type Layers = ReadonlyMap<string, Layer>;

interface RenderEngineOptions {
  readonly blanksFolder: string;
  /** Returns layers that do not ship by angle. Default: requests for such layers are rejected. */
  readonly packedLayers?: (hash: string, itemName: string) => Promise<Layers>;
  /** Path of the CMYK profile of soft proofs. */
  readonly cmykProfile: string;
  /**
   * Limit of all caches together, in bytes, except 1 MiB for aspect ratios. Default: 96 MiB. Below
   * that the plans of the list images of all items evict each other, and an image costs twice as
   * much.
   */
  readonly cacheBytes?: number;
}

/** Options of a print on a plan. */
interface PrintOptions {
  readonly adjustment: Adjustment;
  readonly oneOfMany: boolean;
  /** Format of the image, for metrics only: the ink is the same for all formats. */
  readonly format: ImageFormat;
}

type Step = 'plan' | 'blank' | 'decode' | 'proof' | 'ink' | 'compose' | 'encode';

/** Runs a step, records its duration unless it fails, and adds a span to the trace. */
async function timed<Result>(step: Step, format: ImageFormat, run: () => Result | Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await traced(`${step} image`, {}, run);
  renderingMetrics().stepSeconds.observe({ step, format }, (performance.now() - startedAt) / 1_000);
  return result;
}

const mebibyte = 1024 * 1024;

/**
 * Renders product images from the layers of the items. An image is rendered in steps. Plans,
 * blanks, levels and inks are cached under exactly the values that they depend on, so that many
 * colors, sizes and formats of one material cost little more than encoding:
 *
 *     plan   layers, item, angle, size              blank  plan, color
 *     level  texture, density                       ink    plan, level, placement, adjustment,
 *                                                          proof
 *     image = encode(frame(over(blank, ink)))
 */
export class RenderEngine {
  private readonly layers: ReadonlyMap<string, Layers>;
  private readonly hashes = new Map<string, string>();
  private readonly packedLayers: RenderEngineOptions['packedLayers'];
  private readonly plans: Cache<Plan>;
  private readonly blanks: Cache<Buffer>;
  private readonly inks: Cache<Ink>;
  private readonly pyramids: Pyramids;
  private readonly cmykProfile: string;

  /** @throws Error when a layer is invalid, see `readLayer` */
  constructor({ blanksFolder, packedLayers, cmykProfile, cacheBytes = 96 * mebibyte }: RenderEngineOptions) {
    this.layers = readLayers(blanksFolder);
    this.packedLayers = packedLayers;
    this.cmykProfile = cmykProfile;
    this.plans = new Cache({ name: 'rendering-plan', maxBytes: 0.4 * cacheBytes, bytesOf: planBytes });
    const bytesOf = ({ length }: Buffer): number => length;
    this.blanks = new Cache({ name: 'rendering-blank', maxBytes: 0.25 * cacheBytes, bytesOf });
    this.pyramids = new Pyramids(0.25 * cacheBytes);
    this.inks = new Cache({ name: 'rendering-ink', maxBytes: 0.1 * cacheBytes, bytesOf: inkBytes });
  }

  /** Returns the angles from which an item that ships can be rendered; none for an unknown item. */
  angles(itemName: string): readonly string[] {
    return [...(this.layers.get(itemName)?.keys() ?? [])];
  }

  /** Returns a hash of the layers of an item that ships; undefined for an unknown item. */
  layersHash(itemName: string): string | undefined {
    const layers = this.layers.get(itemName);
    if (!layers) return undefined;
    const hash = this.hashes.get(itemName) ?? layersHash(layers.values());
    this.hashes.set(itemName, hash);
    return hash;
  }

  /** Returns whether `render` supports the item from this angle with the layers that ship. */
  has(itemName: string, angle: string | null): boolean {
    return layerOf(this.layers.get(itemName), angle) !== undefined;
  }

  /** Caches the level of a measured texture, so that its first images do not decode it again. */
  addMeasured(hash: string, level: PyramidLevel): void {
    this.pyramids.addMeasured(hash, level);
  }

  /**
   * Renders and encodes an image.
   *
   * @throws DomainError `picture.not-found` for an unknown item or angle, or an invalid size or
   *   adjustment
   * @throws RangeError for a color that is not `#rrggbb`
   * @throws the errors of the textures and of `packedLayers`, unchanged
   */
  async render(request: RenderRequest): Promise<Buffer> {
    const { itemName, angle, width, height, format, layers } = request;
    const layer = layerOf(layers ? await this.packed(layers, itemName) : this.layers.get(itemName), angle);
    if (!layer) throw notFound(`${itemName} cannot be seen from ${angle ?? 'any angle'}`);
    const adjustment = readAdjustment(request.adjustment);
    const edge = readEdge(layer, width, height);
    const planKey = `${layers ? `${layers}/` : ''}${layer.item}/${layer.angle}/${edge}`;
    const plan = await this.plans.load(planKey, () => timed('plan', format, () => makePlan(layer, edge)));
    const { rgb, mottled } = clothOf(layer, request.rgb);
    const tint = (): Promise<Buffer> => timed('blank', format, () => tintBlank(plan, rgb, mottled));
    const blank = await this.blanks.load(`${planKey}/${rgb.join()}${mottled ? '/mottled' : ''}`, tint);
    const print = request.prints.find((it) => it.place === layer.printPlace);
    // A print with a scale of 0 is skipped, because `warp` divides by its width
    const options = { adjustment, oneOfMany: request.oneOfMany ?? false, format };
    const ink = print && adjustment.scale > 0 ? await this.ink(planKey, plan, print, options) : null;
    const composed = await timed('compose', format, () =>
      frame(ink === null ? blank : over(blank, ink), edge, width, height),
    );
    return timed('encode', format, () => encode(composed, width, height, format));
  }

  private ink(planKey: string, plan: Plan, print: Print, options: PrintOptions): Promise<Ink> {
    const { layer } = plan;
    const { placed, proof = false } = print;
    const mode = print.resizeMode ?? (layer.cover ? 'cover' : 'contain');
    const { adjustment, oneOfMany, format } = options;
    const { scale, x, y } = adjustment;
    const placement = placed === null ? mode : JSON.stringify(placed);
    const key = `${planKey}/${print.texture.hash}/${placement}/${scale},${x},${y}${proof ? '/proof' : ''}`;
    return this.inks.load(key, async () => {
      const placedPrint = (artworkAspect: number): PlacedPrint => {
        const shape = { areaAspect: layer.aspect, artworkAspect, cover: layer.cover };
        return placePrint(shape, layer.printArea, { mode, placed, adjustment });
      };
      const requiredEdge = (aspect: number): number => {
        const { width, height } = printedSize(placedPrint(aspect), plan);
        return Math.max(width, height);
      };
      const { hash } = print.texture;
      const texture: PrintTexture = {
        hash,
        aspect: () => print.texture.aspect(),
        decode: (edge) => timed('decode', format, () => print.texture.decode(edge)),
      };
      const isRepeated = placed !== null && placed.repeat !== 'none';
      const level = await this.pyramids.level(texture, requiredEdge, { oneOfMany, isRepeated });
      const shown = proof ? await timed('proof', format, () => softProof(level, this.cmykProfile)) : level;
      return timed('ink', format, () => warp(plan, shown, placedPrint(level.aspect)));
    });
  }

  private packed(hash: string, itemName: string): Promise<Layers> {
    if (!this.packedLayers) throw new Error(`layers ${hash} of ${itemName} need the option packedLayers`);
    return this.packedLayers(hash, itemName);
  }
}

function layerOf(angles: Layers | undefined, angle: string | null): Layer | undefined {
  if (angle !== null) return angles?.get(angle);
  return angles?.get('front') ?? angles?.values().next().value;
}

const notFound = (detail: string): DomainError => new DomainError(problems['picture.not-found'], detail);

function readAdjustment(text: string | null): Adjustment {
  const adjustment = text === null ? unadjusted : parseAdjustment(text);
  if (!adjustment) throw notFound(`${text} is not an adjustment of a print`);
  return adjustment;
}

/**
 * Returns the edge of the square in which an image is rendered. A whole item fits into the image,
 * and the wall is extended beside it. A close-up fills the image and is cropped, because the item
 * reaches the edges of its square, where the wall cannot be extended.
 */
function readEdge({ crop, width: master }: Layer, width: number, height: number): number {
  const fits = (length: number): boolean => Number.isInteger(length) && length >= 1 && length <= maxImageSidePixels;
  if (!fits(width) || !fits(height)) throw notFound(`${width} x ${height} is not a valid image size`);
  return crop.size < master ? Math.max(width, height) : Math.min(width, height);
}
