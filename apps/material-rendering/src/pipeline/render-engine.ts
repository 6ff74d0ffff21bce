import { Cache } from '#cache';
import { largestImageSide, problems, type ImageFormat, type ResizeMode } from '#contracts';
import { DomainError } from '#kernel';
import { traced } from '#observability';
import { renderingMetrics } from '../rendering.metrics.js';
import { tintBlank } from './blank.js';
import { clothTone } from './cloth-tone.js';
import { encode } from './encode.js';
import { readLayers, type Layer } from './layer.js';
import { backgroundRgb, type Rgb } from './light.js';
import { frame, over } from './over.js';
import { parseAdjustment, place, unadjusted, type Adjustment, type Placement } from './placement.js';
import { makePlan, planBytes, type Plan } from './plan.js';
import { Pyramids } from './pyramid.js';
import { type PrintTexture } from './texture.js';
import { inkBytes, warp, type Ink } from './warp.js';

export { type PrintTexture } from './texture.js';

export interface Print {
  readonly place: string;
  readonly texture: PrintTexture;
  /** Null = the item's own: cover for items that are printed all over, contain for the others. */
  readonly resizeMode: ResizeMode | null;
}

export interface DrawRequest {
  readonly itemName: string;
  /** Null = the item's first essential angle. */
  readonly angle: string | null;
  /** Pixels, 1 to 4096. The item fills the middle square and the wall is extended; a close-up fills the whole image. */
  readonly width: number;
  readonly height: number;
  /** `#rrggbb` of the item's colour. */
  readonly rgb: string;
  /** The one whose place the angle shows is drawn; when there is none, the item is blank. */
  readonly prints: readonly Print[];
  /** `{scale}{+-x}{+-y}`: scaled around the middle of the print area, then moved right and down by parts of it. */
  readonly adjustment: string | null;
  readonly format: ImageFormat;
  /** More images of these prints will follow: they are decoded once for all of them. A single one is cheaper without. */
  readonly oneOfMany?: boolean;
}

interface RenderEngineOptions {
  readonly layersFolder: string;
  /**
   * What all caches together may hold, in bytes. 96 MiB when it is not given: below that the plans of the list images
   * of all items push each other out, and an image costs twice as much.
   */
  readonly cacheBytes?: number;
}

/** How a print is laid on a plan. */
interface Laying {
  readonly adjustment: Adjustment;
  readonly oneOfMany: boolean;
  /** Of the image that it is for; the ink is the same for all. */
  readonly format: ImageFormat;
}

type Step = 'plan' | 'blank' | 'decode' | 'ink' | 'compose' | 'encode';

/** Notes how long a step took that was done, and shows it in the trace. */
async function timed<Made>(step: Step, format: ImageFormat, make: () => Made | Promise<Made>): Promise<Made> {
  const since = performance.now();
  const made = await traced(`${step} image`, {}, make);
  renderingMetrics().stepSeconds.observe({ step, format }, (performance.now() - since) / 1_000);
  return made;
}

const mebibyte = 1024 * 1024;

/**
 * Draws product images from the layers of the items. An image is made in steps, and each step's result is kept under
 * exactly what it depends on, so that many colours, sizes and formats of one material cost little more than encoding:
 *
 *     plan   item, angle, size                      blank  plan, colour
 *     level  texture, density                       ink    plan, level, resize mode, adjustment
 *     image = encode(frame(over(blank, ink)))
 */
export class RenderEngine {
  private readonly layers: ReadonlyMap<string, ReadonlyMap<string, Layer>>;
  private readonly plans: Cache<Plan>;
  private readonly blanks: Cache<Buffer>;
  private readonly inks: Cache<Ink>;
  private readonly pyramids: Pyramids;

  /** @throws Error when a layer is not valid; the message names its folder */
  constructor({ layersFolder, cacheBytes = 96 * mebibyte }: RenderEngineOptions) {
    this.layers = readLayers(layersFolder);
    this.plans = new Cache({ name: 'rendering-plan', maxBytes: 0.4 * cacheBytes, bytesOf: planBytes });
    const bytesOf = ({ length }: Buffer): number => length;
    this.blanks = new Cache({ name: 'rendering-blank', maxBytes: 0.25 * cacheBytes, bytesOf });
    this.pyramids = new Pyramids(0.25 * cacheBytes);
    this.inks = new Cache({ name: 'rendering-ink', maxBytes: 0.1 * cacheBytes, bytesOf: inkBytes });
  }

  /** The angles that an item can be drawn from; none for an unknown item. */
  angles(itemName: string): readonly string[] {
    return [...(this.layers.get(itemName)?.keys() ?? [])];
  }

  /** Whether `draw` knows the item from this angle. */
  has(itemName: string, angle: string | null): boolean {
    return this.layer(itemName, angle) !== undefined;
  }

  /** @throws DomainError `picture.not-found` when there is no such item, angle, size or adjustment */
  async draw(request: DrawRequest): Promise<Buffer> {
    const { itemName, angle, width, height, format } = request;
    const layer = this.layer(itemName, angle);
    if (!layer) throw notFound(`${itemName} cannot be seen from ${angle ?? 'any angle'}`);
    const adjustment = readAdjustment(request.adjustment);
    const edge = readEdge(layer, width, height);
    const planKey = `${layer.item}/${layer.angle}/${edge}`;
    const plan = await this.plans.load(planKey, () => timed('plan', format, () => makePlan(layer, edge)));
    const rgb: Rgb = layer.clear ? backgroundRgb : clothTone(request.rgb);
    const tint = (): Promise<Buffer> => timed('blank', format, () => tintBlank(plan, rgb));
    const blank = await this.blanks.load(`${planKey}/${rgb.join()}`, tint);
    const print = request.prints.find((it) => it.place === layer.printPlace);
    // A print scaled to nothing is none; everything below divides by its width
    const laying = { adjustment, oneOfMany: request.oneOfMany ?? false, format };
    const ink = print && adjustment.scale > 0 ? await this.ink(planKey, plan, print, laying) : null;
    const composed = await timed('compose', format, () =>
      frame(ink === null ? blank : over(blank, ink), edge, width, height),
    );
    return timed('encode', format, () => encode(composed, width, height, format));
  }

  private ink(planKey: string, plan: Plan, print: Print, laying: Laying): Promise<Ink> {
    const { layer, printWidth, printHeight } = plan;
    const mode = print.resizeMode ?? (layer.cover ? 'cover' : 'contain');
    const { adjustment, oneOfMany, format } = laying;
    const { scale, x, y } = adjustment;
    const key = `${planKey}/${print.texture.hash}/${mode}/${scale},${x},${y}`;
    return this.inks.load(key, async () => {
      const placed = (artworkAspect: number): Placement =>
        place({ areaAspect: layer.aspect, artworkAspect, cover: layer.cover }, mode, adjustment);
      const wanted = (aspect: number): number => {
        const { artwork } = placed(aspect);
        return Math.max((artwork.right - artwork.left) * printWidth, (artwork.bottom - artwork.top) * printHeight);
      };
      const { hash } = print.texture;
      const texture: PrintTexture = {
        hash,
        aspect: () => print.texture.aspect(),
        decode: (edge) => timed('decode', format, () => print.texture.decode(edge)),
      };
      const level = await this.pyramids.level(texture, wanted, oneOfMany);
      return timed('ink', format, () => warp(plan, level, placed(level.aspect)));
    });
  }

  private layer(itemName: string, angle: string | null): Layer | undefined {
    const angles = this.layers.get(itemName);
    if (angle !== null) return angles?.get(angle);
    return angles?.get('front') ?? angles?.values().next().value;
  }
}

const notFound = (detail: string): DomainError => new DomainError(problems['picture.not-found'], detail);

function readAdjustment(text: string | null): Adjustment {
  const adjustment = text === null ? unadjusted : parseAdjustment(text);
  if (!adjustment) throw notFound(`${text} does not move or scale a print`);
  return adjustment;
}

/**
 * The edge of the square that an image is drawn in. A whole item lies in the image, and the wall goes on beyond it; a
 * close-up has no wall, so it fills the image and is cut.
 */
function readEdge({ crop, width: master }: Layer, width: number, height: number): number {
  const fits = (length: number): boolean => Number.isInteger(length) && length >= 1 && length <= largestImageSide;
  if (!fits(width) || !fits(height)) throw notFound(`${width} x ${height} is no size of an image`);
  return crop.size < master ? Math.max(width, height) : Math.min(width, height);
}
