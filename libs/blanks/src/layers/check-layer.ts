import { sharp } from '#images';
import { type Report } from '../items/item-file.rules.js';
import { type BundleItem } from '../items/item-file.schema.js';
import { type Layer, layerImages } from './layer.js';

type Place = Pick<BundleItem['printPlaces'][number], 'name' | 'millimetres'>;

/** Value of the mask from which a pixel counts as one that takes ink. */
const inked = 128;

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
    // Reads the header only
    const { format, width: columns, height: rows, depth } = await sharp(image, { limitInputPixels: false }).metadata();
    if (format !== 'png' && format !== 'webp') throw new Error('another format');
    if (columns !== width || rows !== width) {
      report(`is ${columns} x ${rows} pixels, not ${width} x ${width}`);
      return undefined;
    }
    if (depth !== 'uchar') {
      // The decoder of 16 bits needs twice the memory
      report('must have 8 bits per channel');
      return undefined;
    }
    const opened = sharp(image, { limitInputPixels: width * width, failOn: 'error' });
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

/** Yields the cells whose four nodes are within the print area. */
function* printedCells({ uv, nodes, width }: Layer): Iterable<Cell> {
  const { cols, rows, x0, y0, step, scale, outside } = uv;
  const isPrinted = (node: number): boolean => {
    const [u, v] = [nodes[2 * node]!, nodes[2 * node + 1]!];
    return u !== outside && u >= 0 && u <= scale && v >= 0 && v <= scale;
  };
  for (let row = 0; row + 1 < rows; row++)
    for (let column = 0; column + 1 < cols; column++) {
      const first = row * cols + column;
      const [right, below] = [first + 1, first + cols];
      if (!(isPrinted(first) && isPrinted(right) && isPrinted(below) && isPrinted(below + 1))) continue;
      const [x, y] = [x0 + (column + 0.5) * step, y0 + (row + 0.5) * step];
      if (!(x >= 0 && y >= 0 && x < width && y < width)) continue;
      const [u, v] = [nodes[2 * first]! / scale, nodes[2 * first + 1]! / scale];
      const [rightU, rightV] = [nodes[2 * right]! / scale - u, nodes[2 * right + 1]! / scale - v];
      const [belowU, belowV] = [nodes[2 * below]! / scale - u, nodes[2 * below + 1]! / scale - v];
      yield { column, row, x, y, u, v, area: rightU * belowV - belowU * rightV };
    }
}

function checkArea(layer: Layer, place: Place, report: Report): void {
  const { width, height } = place.millimetres;
  const { printArea, aspect } = layer;
  if (printArea.width !== width || printArea.height !== height)
    report(
      'printArea',
      `is ${printArea.width} x ${printArea.height} mm, not the ${width} x ${height} mm of ${place.name}`,
    );
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
  // In sequence, because the decoder of a PNG may need several times its pixels
  const decoded = (name: keyof typeof layerImages): Promise<Plane | undefined> =>
    decode(layer.images[name], layer, (message) => report(`${folder}/${layerImages[name]}`, message));
  await decoded('shade');
  await decoded('gloss');
  const mask = await decoded('mask');
  if (isColored && layer.clear) report(`${folder}/layer.json:clear`, 'is for variants of one color');
  if (isColored && mask && !mask.data.some((value) => value >= inked))
    report(`${folder}/mask.png`, 'tints nothing, but variants have different colors');
  else checkGrid(layer, mask, report);
}

/** Reports a grid without print, a print where the mask takes no ink, and a mirrored print. */
function checkGrid(layer: Layer, mask: Plane | undefined, report: Report): void {
  const folder = `layers/${layer.angle}`;
  let [printed, covered] = [0, 0];
  let folded: Cell | undefined;
  const isInner = (part: number): boolean => part > foldableEdge && part < 1 - foldableEdge;
  for (const cell of printedCells(layer)) {
    printed += 1;
    if (mask && mask.data[Math.floor(cell.y) * mask.width + Math.floor(cell.x)]! < inked) continue;
    covered += 1;
    if (cell.area <= 0 && isInner(cell.u) && isInner(cell.v)) folded ??= cell;
  }
  if (printed === 0) report(`${folder}/uv.bin`, 'has no point of the print area');
  if (covered < minCoverage * printed)
    report(`${folder}/mask.png`, `covers only ${Math.floor((100 * covered) / printed)} % of the print area`);
  if (folded)
    report(
      `${folder}/uv.bin`,
      `folds at column ${folded.column}, row ${folded.row}: the print would be mirrored there`,
    );
}
