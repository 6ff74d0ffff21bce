import { getLayerImageData, getLayerMaskImageData, type Layer, type Psd } from 'ag-psd';
import { blend, type Raster } from './blend.js';
import { rgbOf } from './fill-color.js';
import { damaged, modeOf } from './psd-document.js';
import { PsdMistake } from './psd-mistake.js';
import { type Frame, resample } from './resample.js';

/** Limit of the pixels of all layers in the size of the master: 800 MB. */
const maxCachedPixels = 50_000_000;

/** Drawn in place of a layer: nothing (null), other pixels, or a color with its alpha. */
type Replacement = Raster | readonly [number, number, number] | null;
export type Replacements = ReadonlyMap<Layer, Replacement>;

/** Opacity and fill of a layer, and its mask. */
interface Opacity {
  readonly opacity: number;
  readonly mask: Float32Array | null;
}

/** Draws a document in the size of the master, with layers replaced. */
export class Compositor {
  private readonly rasters = new Map<Layer, Raster | null>();
  private readonly masks = new Map<Layer, Float32Array | null>();
  private cachedPixels = 0;

  constructor(
    private readonly psd: Psd,
    private readonly frame: Frame,
  ) {}

  /** @throws PsdMistake when a layer is damaged, or all layers together are too large */
  draw(replacements: Replacements): Raster {
    const target = this.empty();
    this.drawAll(target, this.psd.children ?? [], replacements);
    return target;
  }

  private empty(): Raster {
    const { edge } = this.frame;
    return { left: 0, top: 0, width: edge, height: edge, rgba: new Float32Array(4 * edge * edge) };
  }

  /** Draws layers of a group, from the bottom to the top. */
  private drawAll(target: Raster, layers: readonly Layer[], replacements: Replacements): void {
    for (let index = 0; index < layers.length;) {
      const base = layers[index]!;
      let end = index + 1;
      while (end < layers.length && layers[end]!.clipping) end++;
      const clipped = layers.slice(index + 1, end).filter(({ hidden }) => !hidden);
      // A hidden layer hides those that are clipped to it
      if (!base.hidden) this.drawLayer(target, base, clipped, replacements);
      index = end;
    }
  }

  private drawLayer(target: Raster, base: Layer, clipped: readonly Layer[], replacements: Replacements): void {
    const opacity = this.opacityOf(base);
    if (base.children && modeOf(base) === 'pass through' && clipped.length === 0) {
      this.passThrough(target, base, opacity, replacements);
      return;
    }
    const source = this.pixelsOf(base, replacements);
    if (!source) return;
    if (clipped.length === 0) {
      blend(target, source, { mode: modeOf(base), ...opacity });
      return;
    }
    const together = this.empty();
    blend(together, source, { mode: 'normal', opacity: 1 });
    for (const layer of clipped) {
      const pixels = this.pixelsOf(layer, replacements);
      if (pixels) blend(together, pixels, { mode: modeOf(layer), ...this.opacityOf(layer), isClipped: true });
    }
    blend(target, together, { mode: modeOf(base), ...opacity });
  }

  /** The layers of the group see what is below it. */
  private passThrough(target: Raster, group: Layer, { opacity, mask }: Opacity, replacements: Replacements): void {
    const before = mask || opacity < 1 ? target.rgba.slice() : undefined;
    this.drawAll(target, group.children ?? [], replacements);
    if (!before) return;
    const after = target.rgba;
    for (let index = 0, o = 0; o < after.length; index++, o += 4) {
      const share = mask ? mask[index]! * opacity : opacity;
      if (share === 1) continue;
      const [from, to] = [before[o + 3]! * (1 - share), after[o + 3]! * share];
      const alpha = from + to;
      for (let c = 0; c < 3; c++) after[o + c] = alpha > 0 ? (before[o + c]! * from + after[o + c]! * to) / alpha : 0;
      after[o + 3] = alpha;
    }
  }

  private pixelsOf(layer: Layer, replacements: Replacements): Raster | null {
    const replacement = replacements.get(layer);
    if (replacement === null) return null;
    if (replacement && 'rgba' in replacement) return replacement;
    const own = layer.children ? this.group(layer, replacements) : this.rasterOf(layer);
    if (!replacement || !own) return own;
    const rgba = own.rgba.slice();
    const [red, green, blue] = replacement;
    for (let o = 0; o < rgba.length; o += 4) {
      rgba[o] = red;
      rgba[o + 1] = green;
      rgba[o + 2] = blue;
    }
    return { ...own, rgba };
  }

  private group(layer: Layer, replacements: Replacements): Raster {
    const target = this.empty();
    this.drawAll(target, layer.children ?? [], replacements);
    return target;
  }

  private rasterOf(layer: Layer): Raster | null {
    const cached = this.rasters.get(layer);
    if (cached !== undefined) return cached;
    const raster = this.decode(layer);
    this.rasters.set(layer, raster);
    this.count(raster ? raster.width * raster.height : 0);
    return raster;
  }

  private count(pixels: number): void {
    this.cachedPixels += pixels;
    if (this.cachedPixels > maxCachedPixels) throw new PsdMistake('has too many large layers: merge some of them');
  }

  private decode(layer: Layer): Raster | null {
    const fill = layer.vectorFill?.type === 'color' ? layer.vectorFill.color : undefined;
    const image = decoded(() => getLayerImageData(layer));
    if (!image) return fill && !layer.vectorMask ? this.filled(rgbOf(fill)) : null;
    const data = image.data as Uint8ClampedArray;
    const place = { left: layer.left ?? 0, top: layer.top ?? 0, width: image.width, height: image.height };
    const { sums, ...box } = resample({ ...place, data }, this.frame);
    for (let o = 0; o < sums.length; o += 4) {
      const alpha = sums[o + 3]!;
      if (alpha > 0) for (let c = 0; c < 3; c++) sums[o + c]! /= alpha;
      // Sums of fractions of a pixel
      if (alpha > 0.999) sums[o + 3] = 1;
    }
    return { ...box, rgba: sums };
  }

  private filled(color: readonly [number, number, number]): Raster {
    const raster = this.empty();
    for (let o = 0; o < raster.rgba.length; o++) raster.rgba[o] = o % 4 === 3 ? 1 : color[o % 4]!;
    return raster;
  }

  private opacityOf(layer: Layer): Opacity {
    return { opacity: (layer.opacity ?? 1) * (layer.fillOpacity ?? 1), mask: this.maskOf(layer) };
  }

  private maskOf(layer: Layer): Float32Array | null {
    const cached = this.masks.get(layer);
    if (cached !== undefined) return cached;
    const mask = this.decodeMask(layer);
    this.masks.set(layer, mask);
    this.count(mask ? mask.length / 4 : 0);
    return mask;
  }

  private decodeMask(layer: Layer): Float32Array | null {
    const { mask } = layer;
    if (!mask || mask.disabled) return null;
    const { edge } = this.frame;
    const outside = (mask.defaultColor ?? 0) / 255;
    const plane = new Float32Array(edge * edge).fill(outside);
    const image = decoded(() => getLayerMaskImageData(layer));
    if (image) {
      const place = { left: mask.left ?? 0, top: mask.top ?? 0, width: image.width, height: image.height };
      const { left, top, width, height, sums } = resample(
        { ...place, data: image.data as Uint8ClampedArray },
        this.frame,
      );
      // Alpha is the part of the pixel that the mask covers
      for (let y = 0, i = 0; y < height; y++)
        for (let x = 0; x < width; x++, i += 4)
          plane[(top + y) * edge + left + x] = sums[i]! + outside * Math.max(0, 1 - sums[i + 3]!);
    }
    const density = mask.userMaskDensity ?? 1;
    return density === 1 ? plane : plane.map((value) => 1 - density * (1 - value));
  }
}

function decoded<Image>(read: () => Image): Image {
  try {
    return read();
  } catch (error) {
    throw damaged(error);
  }
}
