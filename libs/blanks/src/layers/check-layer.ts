import { sharp } from '#images';
import { type Report } from '../items/item-file.rules.js';
import { type BundleItem } from '../items/item-file.schema.js';
import { type Layer, layerImages } from './layer.js';

type Place = BundleItem['printPlaces'][number];

/** Tolerance of aspect ratios. */
const aspectTolerance = 0.02;
/** Share of the print area that takes ink at least: all items that ship have 0.86 or more. */
const minCoverage = 0.5;

/**
 * Part of the print area beside its edges where a grid may fold: the print of a note continues
 * mirrored around its spine.
 */
const foldableEdge = 0.2;

interface Plane {
  readonly width: number;
  readonly data: Buffer;
}

/** Decodes a master image to one channel; undefined after a mistake. */
async function decode(image: Buffer, { width }: Layer, report: (message: string) => void): Promise<Plane | undefined> {
  // Only these two decoders see the bytes
  const start = image.subarray(0, 12).toString('latin1');
  if (!start.startsWith('\x89PNG\r\n\x1a\n') && !/^RIFF.{4}WEBP$/s.test(start)) {
    report('is not a PNG or WebP image');
    return undefined;
  }
  try {
    const opened = sharp(image, { limitInputPixels: width * width, failOn: 'error' });
    const { format, width: columns, height: rows } = await opened.metadata();
    if (format !== 'png' && format !== 'webp') throw new Error('another format');
    if (columns !== width || rows !== width) {
      report(`is ${columns} x ${rows} pixels, not ${width} x ${width}`);
      return undefined;
    }
    return { width, data: await opened.toColourspace('b-w').extractChannel(0).raw().toBuffer() };
  } catch {
    report('is damaged');
    return undefined;
  }
}

/** A cell of the grid within the print area: its first node, and the centre in the master. */
interface Cell {
  readonly column: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
  /** Print coordinates of the first node. */
  readonly u: number;
  readonly v: number;
  /** Area in print coordinates, negative where the print would be mirrored. */
  readonly area: number;
}

/** Returns the cells whose four nodes are within the print area. */
function printedCells({ uv, nodes, width }: Layer): Cell[] {
  const { cols, rows, x0, y0, step, scale, outside } = uv;
  const cells: Cell[] = [];
  for (let row = 0; row + 1 < rows; row++)
    for (let column = 0; column + 1 < cols; column++) {
      const corners = [0, 1, cols, cols + 1].map((offset) => {
        const at = 2 * (row * cols + column + offset);
        return nodes[at] === outside ? null : { u: nodes[at]! / scale, v: nodes[at + 1]! / scale };
      });
      const [a, b, c] = corners;
      const isInside = corners.every((it) => it !== null && it.u >= 0 && it.u <= 1 && it.v >= 0 && it.v <= 1);
      if (!isInside) continue;
      const area = (b!.u - a!.u) * (c!.v - a!.v) - (c!.u - a!.u) * (b!.v - a!.v);
      const [x, y] = [x0 + (column + 0.5) * step, y0 + (row + 0.5) * step];
      if (x >= 0 && y >= 0 && x < width && y < width) cells.push({ column, row, x, y, u: a!.u, v: a!.v, area });
    }
  return cells;
}

function checkArea(layer: Layer, place: Place, report: Report): void {
  const { width, height } = place.millimetres;
  const { printArea, aspect } = layer;
  if (printArea.width !== width || printArea.height !== height)
    report('printArea', `is ${printArea.width} x ${printArea.height} mm, not the ${width} x ${height} mm of ${place.name}`);
  if (Math.abs((aspect * height) / width - 1) > aspectTolerance)
    report('aspect', `${aspect} is not that of ${width} x ${height} mm, ${(width / height).toFixed(3)}`);
}

/**
 * Checks a layer that was read: its print area, its grid, and its images, which are decoded.
 *
 * @param place print place of the angle
 * @param isColored whether variants have different colors
 * @param report receives each mistake with its file and path
 */
export async function checkLayer(
  layer: Layer,
  { place, isColored }: { readonly place: Place | undefined; readonly isColored: boolean },
  report: Report,
): Promise<void> {
  const folder = `layers/${layer.angle}`;
  if (place) checkArea(layer, place, (path, message) => report(`${folder}/layer.json:${path}`, message));
  const cells = printedCells(layer);
  if (cells.length === 0) report(`${folder}/uv.bin`, 'has no point of the print area');
  const planes = await Promise.all(
    (['shade', 'mask', 'gloss'] as const).map((name) =>
      decode(layer.images[name], layer, (message) => report(`${folder}/${layerImages[name]}`, message)),
    ),
  );
  const mask = planes[1];
  if (!mask) return;
  const covered = cells.filter(({ x, y }) => mask.data[Math.floor(y) * mask.width + Math.floor(x)]! >= 128);
  if (covered.length < minCoverage * cells.length)
    report(`${folder}/mask.png`, `covers only ${Math.floor((100 * covered.length) / cells.length)} % of the print area`);
  const isInner = (part: number): boolean => part > foldableEdge && part < 1 - foldableEdge;
  const folded = covered.find(({ area, u, v }) => area <= 0 && isInner(u) && isInner(v));
  if (folded)
    report(`${folder}/uv.bin`, `folds at column ${folded.column}, row ${folded.row}: the print would be mirrored there`);
  const tints = !layer.clear && mask.data.some((value) => value >= 128);
  if (isColored && !tints) report(`${folder}/mask.png`, 'tints nothing, but variants have different colors');
}
