import { type Report } from '../items/item-file.rules.js';
import { type Layer, layerImages } from './layer.js';

/** Value of the mask from which a pixel counts as one that takes ink. */
export const inked = 128;
/** Share of the print area that takes ink at least: all items that ship have 0.86 or more. */
const minCoverage = 0.5;

/**
 * Part of the print area beside its edges where a grid may fold: the print of an own item can
 * continue mirrored around a spine. Grids of items that ship do not fold.
 */
const foldableEdge = 0.2;
/** Share of the print that may be mirrored, edges included. */
const maxMirrored = 0.5;
/** Share of the print whose u and v may be the same at adjacent nodes. */
const maxFlat = 0.2;
/**
 * Share of the visible square that shows the print at least, because a renderer measures its scale
 * there: 10 x 10 pixels of the smallest image. All items that ship have 0.04 or more.
 */
const minVisible = 0.001;

/** A decoded master image of one channel. */
export interface Plane {
  readonly width: number;
  readonly data: Buffer;
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
  /** Area in units of the nodes: negative where the print would be mirrored. */
  readonly area: number;
}

/** Yields the visible cells whose four nodes are within the print area. */
function* printedCells({ uv, nodes, crop }: Layer): Iterable<Cell> {
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
      if (!(x >= crop.x && y >= crop.y && x < crop.x + crop.size && y < crop.y + crop.size)) continue;
      const [u, v] = [nodes[2 * first]!, nodes[2 * first + 1]!];
      const [rightU, rightV] = [nodes[2 * right]! - u, nodes[2 * right + 1]! - v];
      const [belowU, belowV] = [nodes[2 * below]! - u, nodes[2 * below + 1]! - v];
      yield { column, row, x, y, u: u / scale, v: v / scale, area: rightU * belowV - belowU * rightV };
    }
}

/** Numbers of visible cells. */
interface Print {
  readonly printed: number;
  /** Printed cells that take ink. */
  readonly covered: number;
  /** Covered cells without area: their nodes are on one point or line of the print. */
  readonly flat: number;
  readonly mirrored: number;
  /** First covered cell that is flat or mirrored. */
  readonly first: Cell | undefined;
  /** First one of them that is not beside the edge of the print area. */
  readonly inner: Cell | undefined;
}

/** Two pixels, because a renderer measures the print between adjacent ones. */
function takesInk({ width, data }: Plane, { x, y }: Cell): boolean {
  const pixel = Math.floor(y) * width + Math.floor(x);
  return data[pixel]! >= inked && data[pixel + 1]! >= inked;
}

function visiblePrint(layer: Layer, mask: Plane | undefined): Print {
  let [printed, covered, flat, mirrored] = [0, 0, 0, 0];
  let first: Cell | undefined;
  let inner: Cell | undefined;
  const isInner = (part: number): boolean => part > foldableEdge && part < 1 - foldableEdge;
  for (const cell of printedCells(layer)) {
    printed += 1;
    if (mask && !takesInk(mask, cell)) continue;
    covered += 1;
    if (cell.area > 0) continue;
    if (cell.area === 0) flat += 1;
    else mirrored += 1;
    first ??= cell;
    if (isInner(cell.u) && isInner(cell.v)) inner ??= cell;
  }
  return { printed, covered, flat, mirrored, first, inner };
}

const isTooSmall = ({ covered }: Print, { uv, crop }: Layer): boolean =>
  covered * uv.step ** 2 < minVisible * crop.size ** 2;
const isFlat = ({ flat, covered }: Print): boolean => flat > maxFlat * covered;

/**
 * Reports a grid without print, a print where the item takes no ink, and a mirrored print.
 *
 * @param ink the plane that limits the ink: of `ink.png`, or else of `mask.png`
 */
export function checkGrid(layer: Layer, ink: Plane | undefined, report: Report): void {
  const folder = `layers/${layer.angle}`;
  const [gridFile, inkFile] = [`${folder}/uv.bin`, `${folder}/${layerImages[layer.images.ink ? 'ink' : 'mask']}`];
  const print = visiblePrint(layer, ink);
  const { printed, covered, mirrored } = print;
  if (printed === 0) {
    report(gridFile, 'has no point of the print area');
    return;
  }
  if (covered < minCoverage * printed)
    report(inkFile, `covers only ${Math.floor((100 * covered) / printed)} % of the print area`);
  else if (isTooSmall(print, layer))
    report(gridFile, `has a print on less than ${100 * minVisible} % of the image: enlarge the grid`);
  const folded = mirrored > maxMirrored * covered ? print.first : print.inner;
  if (isFlat(print))
    report(gridFile, 'has the same u and v at adjacent nodes: u must increase to the right, v downwards');
  else if (folded)
    report(gridFile, `folds at column ${folded.column}, row ${folded.row}: the print would be mirrored there`);
}

/** Reports a close-up without print. Defects of its angle are reported with that angle only. */
export function checkCrop(layer: Layer, mask: Plane | undefined, report: Report): void {
  const whole = { ...layer, crop: { x: 0, y: 0, size: layer.width } };
  const isInvisible = (it: Layer): boolean => {
    const print = visiblePrint(it, mask);
    return isTooSmall(print, it) || isFlat(print);
  };
  if (!isInvisible(whole) && isInvisible(layer))
    report(`layers/${layer.angle}/layer.json:crop`, `shows no print: move it to where ${layer.printPlace} is printed`);
}
