import { type Layer, type Psd } from 'ag-psd';
import { type Raster } from './blend.js';
import { Compositor, type Replacements } from './composite.js';
import { hexOf } from './fill-color.js';
import { colorLayers, findPrintLayer } from './layer-search.js';
import { fitLight } from './light-fit.js';
import { masterSide } from '../bundle/master.js';
import { type Mockup, type ReadTask } from './mockup.schema.js';
import { drawPrint, testCard } from './print-pixels.js';
import { allLayers, readDocument } from './psd-document.js';
import { shownName } from './psd-mistake.js';
import { brightness, toRgb } from './on-wall.js';
import { type Frame, frameOf } from './resample.js';
import { storedDifference } from './stored-difference.js';
import { contentAspect, surfaceOf } from './surface.js';
import { type Difference, differencesOf } from './unsupported.js';
import { invertSurface, type UvGrid } from './uv-grid.js';

/** Greys of the item: cloth is never white or black. Greys of the print. */
const [itemGreys, printGreys] = [
  [30, 128, 250],
  [0, 128, 255],
] as const;

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
    this.frame = frameOf(psd.width, psd.height, masterSide);
    this.compositor = new Compositor(psd, this.frame);
    const name = shownName(printLayer.name);
    const surface = surfaceOf(printLayer.placedLayer!, name);
    const { scale, left, top } = this.frame;
    const inMaster = (u: number, v: number) => {
      const at = surface(u, v);
      return at && { x: left + at.x * scale, y: top + at.y * scale };
    };
    this.grid = invertSurface(inMaster, masterSide, name);
  }

  read(wantedColorLayer: string | null): Mockup {
    const area = drawPrint(this.grid, masterSide, () => [1, 1, 1], false);
    const printed = this.fitPrint();
    const colorLayer = this.findColorLayer(wantedColorLayer, area);
    const planes = colorLayer
      ? this.withItem(printed, this.fitItem(colorLayer), area)
      : this.withPrintOnly(printed, area);
    this.extendEdges([planes.shade, planes.mask, planes.gloss]);
    const reference = toRgb(this.draw(drawPrint(this.grid, masterSide, testCard, false)));
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
      storedDifference: storedDifference(this.psd, this.frame, () => this.compositor.draw(new Map())),
    };
  }

  private draw(print: Raster | null, others: Replacements = new Map()): Raster {
    return this.compositor.draw(new Map([...others, [this.printLayer, print]]));
  }

  private fitPrint() {
    const drawings = printGreys.map((grey) => {
      const ink = [grey / 255, grey / 255, grey / 255] as const;
      return brightness(this.draw(drawPrint(this.grid, masterSide, () => ink, true)));
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
    const found = colorLayers(this.psd, this.printLayer, wanted);
    if (wanted !== null) return found[0]!;
    return found.slice(0, 5).find((layer) => this.isItemColor(layer, area)) ?? null;
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
    const inside = (value: number, start: number): number => Math.min(masterSide - 1 - start, Math.max(start, value));
    if (x0 === 0 && y0 === 0) return;
    for (const plane of planes) {
      const before = plane.slice();
      for (let y = 0, index = 0; y < masterSide; y++)
        for (let x = 0; x < masterSide; x++, index++)
          plane[index] = before[inside(y, y0) * masterSide + inside(x, x0)]!;
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
