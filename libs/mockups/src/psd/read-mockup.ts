import { getCompositeImageData, type Layer, type Psd } from 'ag-psd';
import { type Raster } from './blend.js';
import { Compositor, type Replacements } from './composite.js';
import { rgbOf } from './fill-color.js';
import { fitLight } from './light-fit.js';
import { masterEdge, type Mockup, type ReadTask } from './mockup.schema.js';
import { drawPrint, testCard } from './print-pixels.js';
import { allLayers, damaged, type PlacedInTree, readDocument } from './psd-document.js';
import { PsdMistake, shownName } from './psd-mistake.js';
import { type Frame, frameOf, resample } from './resample.js';
import { contentAspect, surfaceOf } from './surface.js';
import { type Difference, differencesOf } from './unsupported.js';
import { invertSurface, type UvGrid } from './uv-grid.js';

/** Greys of the item: cloth is never white or black. Greys of the print. */
const [itemGreys, printGreys] = [
  [30, 128, 250],
  [0, 128, 255],
] as const;
/** Color of the wall behind a transparent document, as in images of the items that ship. */
const wall = [235, 235, 233] as const;

const namesOf = (layers: readonly PlacedInTree[]): string =>
  layers
    .slice(0, 10)
    .map(({ layer }) => shownName(layer.name))
    .join(', ');

function findPrintLayer(layers: readonly PlacedInTree[], wanted: string | null): Layer {
  const smart = layers.filter(({ layer }) => layer.placedLayer);
  const visible = smart.filter(({ isVisible }) => isVisible);
  if (smart.length === 0) throw new PsdMistake('has no smart object');
  if (wanted === null) {
    if (visible.length === 0) throw new PsdMistake(`has only hidden smart objects: ${namesOf(smart)}`);
    if (visible.length > 1)
      throw new PsdMistake(
        `has ${visible.length} visible smart objects, choose one by --print-layer: ${namesOf(visible)}`,
      );
    return visible[0]!.layer;
  }
  const named = smart.filter(({ layer, path }) => layer.name === wanted || path === wanted);
  if (named.length === 0) throw new PsdMistake(`has no smart object ${shownName(wanted)}, only ${namesOf(smart)}`);
  if (named.length > 1) throw new PsdMistake(`has ${named.length} smart objects ${shownName(wanted)}: rename one`);
  if (!named[0]!.isVisible) throw new PsdMistake(`has a hidden smart object ${shownName(wanted)}: show it`);
  return named[0]!.layer;
}

/** Returns the brightness of each pixel, 0..255, in front of the wall. */
function brightness({ rgba }: Raster): Float32Array {
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

function toRgb({ rgba }: Raster): Uint8Array {
  const rgb = new Uint8Array((3 * rgba.length) / 4);
  for (let o = 0, i = 0; o < rgba.length; o += 4) {
    const alpha = rgba[o + 3]!;
    for (let c = 0; c < 3; c++, i++) rgb[i] = Math.round(255 * alpha * rgba[o + c]! + (1 - alpha) * wall[c]!);
  }
  return rgb;
}

/** Reads a document and draws it in the ways that its light is derived from. */
class MockupReader {
  private readonly compositor: Compositor;
  private readonly frame: Frame;
  private readonly grid: UvGrid;
  /**
   * Brightness by layer of the color and grey: the search for the layer has drawn two of the three
   * greys.
   */
  private readonly itemDrawings = new Map<Layer, Map<number, Float32Array>>();

  constructor(
    private readonly psd: Psd,
    private readonly printLayer: Layer,
  ) {
    this.frame = frameOf(psd.width, psd.height, masterEdge);
    this.compositor = new Compositor(psd, this.frame);
    const name = shownName(printLayer.name);
    const surface = surfaceOf(printLayer.placedLayer!, name);
    const { scale, left, top } = this.frame;
    const inMaster = (u: number, v: number) => {
      const at = surface(u, v);
      return at && { x: left + at.x * scale, y: top + at.y * scale };
    };
    this.grid = invertSurface(inMaster, masterEdge, name);
  }

  read(wantedColorLayer: string | null): Mockup {
    const area = drawPrint(this.grid, masterEdge, () => [1, 1, 1], false);
    const printed = this.fitPrint();
    const colorLayer = this.findColorLayer(wantedColorLayer, area);
    const planes = colorLayer
      ? this.withItem(printed, this.fitItem(colorLayer), area)
      : this.withPrintOnly(printed, area);
    this.extendEdges([planes.shade, planes.mask, planes.gloss]);
    const reference = toRgb(this.draw(drawPrint(this.grid, masterEdge, testCard, false)));
    const { uv, ...grid } = this.grid;
    return {
      kind: 'read',
      ...planes,
      grid: { ...grid, uv: new Uint8Array(uv.buffer) },
      printLayer: this.printLayer.name ?? '',
      colorLayer: colorLayer?.name ?? null,
      color: hexOf(colorLayer),
      aspect: contentAspect(this.printLayer.placedLayer!),
      differences: [...differencesOf(this.psd, this.printLayer), ...this.lossOfColor(reference, planes.mask)],
      reference,
      storedDifference: this.storedDifference(),
    };
  }

  private draw(print: Raster | null, others: Replacements = new Map()): Raster {
    return this.compositor.draw(new Map([...others, [this.printLayer, print]]));
  }

  private fitPrint() {
    const drawings = printGreys.map((grey) => {
      const ink = [grey / 255, grey / 255, grey / 255] as const;
      return brightness(this.draw(drawPrint(this.grid, masterEdge, () => ink, true)));
    });
    return fitLight(printGreys, drawings);
  }

  private fitItem(colorLayer: Layer) {
    return fitLight(
      itemGreys,
      itemGreys.map((grey) => this.drawItem(colorLayer, grey)),
    );
  }

  private drawItem(colorLayer: Layer, grey: number): Float32Array {
    const drawings = this.itemDrawings.get(colorLayer) ?? new Map<number, Float32Array>();
    this.itemDrawings.set(colorLayer, drawings);
    const cached = drawings.get(grey);
    if (cached) return cached;
    const drawing = brightness(this.draw(null, new Map([[colorLayer, [grey / 255, grey / 255, grey / 255]]])));
    drawings.set(grey, drawing);
    return drawing;
  }

  /**
   * Returns the named layer, or the topmost fill of one color that covers most of the print area
   * and not the whole document.
   */
  private findColorLayer(wanted: string | null, area: Raster): Layer | null {
    const layers = allLayers(this.psd.children).filter(
      ({ isVisible, layer }) => isVisible && layer !== this.printLayer,
    );
    if (wanted !== null) {
      const named = layers.filter(({ layer, path }) => layer.name === wanted || path === wanted);
      if (named.length !== 1)
        throw new PsdMistake(`has ${named.length} visible layers ${shownName(wanted)} for the color, not 1`);
      return named[0]!.layer;
    }
    const fills = layers.filter(({ layer }) => layer.vectorFill?.type === 'color').reverse();
    return fills.slice(0, 5).find(({ layer }) => this.isItemColor(layer, area))?.layer ?? null;
  }

  private isItemColor(layer: Layer, area: Raster): boolean {
    const [dark, bright] = [this.drawItem(layer, 30), this.drawItem(layer, 250)];
    let [colored, inArea, coloredInArea] = [0, 0, 0];
    for (let index = 0; index < dark.length; index++) {
      const isColored = bright[index]! - dark[index]! > 20;
      const isArea = area.rgba[4 * index + 3]! >= 0.5;
      colored += Number(isColored);
      inArea += Number(isArea);
      coloredInArea += Number(isColored && isArea);
    }
    const documentPixels = this.psd.width * this.psd.height * this.frame.scale ** 2;
    return coloredInArea > 0.5 * inArea && colored < 0.95 * documentPixels;
  }

  /** Light of the print where it is printed, light of the item elsewhere. */
  private withItem(printed: ReturnType<typeof fitLight>, item: ReturnType<typeof fitLight>, area: Raster) {
    const planes = { shade: item.shade, mask: item.mask, gloss: item.gloss };
    for (let index = 0; index < item.mask.length; index++) {
      // The print layer may be masked where the item is visible
      const isPrinted = area.rgba[4 * index + 3]! >= 0.5 && printed.slope[index]! > 0.5 * item.slope[index]!;
      if (isPrinted && printed.mask[index]! > 0)
        for (const name of ['shade', 'mask', 'gloss'] as const) planes[name][index] = printed[name][index]!;
    }
    return planes;
  }

  /** Only the print area takes the color of the item. */
  private withPrintOnly(printed: ReturnType<typeof fitLight>, area: Raster) {
    const blank = brightness(this.draw(null));
    const planes = { shade: printed.shade, mask: printed.mask, gloss: printed.gloss };
    for (let index = 0; index < blank.length; index++) {
      const coverage = area.rgba[4 * index + 3]!;
      if (coverage === 1) continue;
      planes.mask[index] = Math.round(planes.mask[index]! * coverage);
      if (coverage > 0) continue;
      planes.shade[index] = Math.min(255, Math.round((200 * blank[index]!) / 246));
      planes.gloss[index] = 0;
    }
    return planes;
  }

  /** Continues a document that is not square to the edges of the master. */
  private extendEdges(planes: readonly Uint8Array[]): void {
    const { left, top } = this.frame;
    const [x0, y0] = [Math.ceil(left), Math.ceil(top)];
    const inside = (value: number, start: number): number => Math.min(masterEdge - 1 - start, Math.max(start, value));
    if (x0 === 0 && y0 === 0) return;
    for (const plane of planes) {
      const before = plane.slice();
      for (let y = 0, index = 0; y < masterEdge; y++)
        for (let x = 0; x < masterEdge; x++, index++)
          plane[index] = before[inside(y, y0) * masterEdge + inside(x, x0)]!;
    }
  }

  /** Our format has the color of the item and of the print, and grey light. */
  private lossOfColor(reference: Uint8Array, mask: Uint8Array): Difference[] {
    let [colored, all] = [0, 0];
    for (let index = 0; index < mask.length; index++) {
      if (mask[index]! > 0) continue;
      const [red, green, blue] = [reference[3 * index]!, reference[3 * index + 1]!, reference[3 * index + 2]!];
      all += 1;
      colored += Number(Math.max(red, green, blue) - Math.min(red, green, blue) > 16);
    }
    const share = Math.round((100 * colored) / Math.max(1, all));
    return share > 0
      ? [{ feature: `colors beside the item, ${share} % of its surroundings: they become grey`, differs: true }]
      : [];
  }

  private storedDifference(): number | null {
    const stored = this.stored();
    // Programs that do not draw a document store one color
    if (!stored || stored.data.every((value, index) => value === stored.data[index % 4])) return null;
    const { sums, ...box } = resample({ left: 0, top: 0, ...stored }, this.frame);
    const drawn = this.compositor.draw(new Map()).rgba;
    let difference = 0;
    for (let y = 0, i = 0; y < box.height; y++)
      for (let x = 0; x < box.width; x++, i += 4) {
        const o = 4 * ((box.top + y) * masterEdge + box.left + x);
        const share = drawn[o + 3]!;
        for (let c = 0; c < 3; c++) difference += Math.abs(drawn[o + c]! * share - sums[i + c]!);
      }
    return (255 * difference) / (3 * box.width * box.height);
  }

  /** Returns the drawing that Photoshop has stored; null without one. */
  private stored() {
    if (this.psd.imageResources?.versionInfo?.hasRealMergedData === false) return null;
    try {
      const image = getCompositeImageData(this.psd);
      return image ? { width: image.width, height: image.height, data: image.data as Uint8ClampedArray } : null;
    } catch (error) {
      throw damaged(error);
    }
  }
}

function hexOf(layer: Layer | null): string {
  const fill = layer?.vectorFill;
  const rgb = fill?.type === 'color' ? rgbOf(fill.color) : [1, 1, 1];
  return `#${rgb
    .map((it) =>
      Math.round(255 * Math.min(1, Math.max(0, it)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/**
 * Reads a PSD with a smart object, and derives the layers of an item from it.
 *
 * @throws PsdMistake
 */
export function readMockup({ bytes, printLayer, colorLayer }: ReadTask): Mockup {
  const psd = readDocument(bytes);
  const layer = findPrintLayer(allLayers(psd.children), printLayer);
  return new MockupReader(psd, layer).read(colorLayer);
}
