import { type Box, boxesOf, colored, type ColoredText } from './text-clusters.js';
import { CoverageMap, type Segment, segmentsOf } from './text-curves.js';
import { type Cluster, type FontsFor, type PlacedGlyph, shapeText } from './text-shaping.js';
import { charactersOf } from './text-markup.js';
import { fitText, type TextBitmap, typesetLike } from './text.js';
import { visiblePart } from '../visible-part.js';

/** Outline of the letters of a text, in pixels of its image. */
export interface TextOutline {
  readonly width: number;
  readonly height: number;
  /** Curves in the operators of PDF (`m`, `l`, `c`, `h`), filled by nonzero winding; y is down. */
  readonly path: string;
}

/**
 * Returns the outline of a text, for print files, or null when it differs from the image: of emoji,
 * and of scripts and fonts that HarfBuzz shapes in another way than Pango in its place.
 *
 * Pango yields no places of glyphs. Therefore the text is rendered a second time, each cluster in a
 * color of its own, and glyphs of HarfBuzz are moved to the pixels of their cluster. The outline is
 * compared with the image.
 */
export async function outlineText(text: string, rgb: string, fontsFor: FontsFor): Promise<TextOutline | null> {
  const fitted = await fitText(text, rgb);
  const characters = charactersOf(fitted.markup);
  const runs = shapeText(characters, fontsFor, fitted.em);
  const marked = colored(fitted.markup, new Set(runs.flat().map(({ character }) => character)));
  const glyphs = placeRuns(runs, marked, await typesetLike(fitted, marked.markup), fitted.em);
  const { left, top, width, height } = visiblePart(fitted.pixels, fitted.width, fitted.height);
  const moved = glyphs.map((glyph) => ({ ...glyph, x: glyph.x - left, y: glyph.y - top }));
  const segments = [...segmentsOf(moved)];
  if (!covers(fitted, { left, top, width, height }, segments)) return null;
  return { width, height, path: segments.map(operatorOf).join('\n') };
}

const operators = { move: 'm', line: 'l', cubic: 'c', close: 'h' } as const;
const operatorOf = ({ type, points }: Segment): string =>
  [...points.map((value) => String(Math.round(10 * value) / 10)), operators[type]].join(' ');

/** Cluster with the box of its glyphs in the run, and that of its pixels; none if it is hidden. */
interface SeenCluster {
  readonly cluster: Cluster;
  readonly own: Box;
  readonly seen: Box | undefined;
}

function placeRuns(runs: readonly Cluster[][], marked: ColoredText, bitmap: TextBitmap, em: number): PlacedGlyph[] {
  const boxes = boxesOf(marked, bitmap);
  return runs.flatMap((run) => {
    const visible = run.flatMap((cluster): SeenCluster[] => {
      const own = boxOf(cluster);
      return own ? [{ cluster, own, seen: boxes.get(cluster.character) }] : [];
    });
    return piecesOf(visible, em).flatMap(placePiece);
  });
}

/** Returns the box of the glyphs of a cluster; undefined without any, such as a space. */
function boxOf({ glyphs }: Cluster): Box | undefined {
  const boxes = glyphs.flatMap(({ font, id, x, y, scale }) => {
    const extents = font.glyphExtents(id);
    if (!extents || extents.width === 0) return [];
    const { xBearing, yBearing, width, height } = extents;
    return [
      {
        left: x + xBearing * scale,
        top: y - yBearing * scale,
        right: x + (xBearing + width) * scale,
        bottom: y - (yBearing + height) * scale,
      },
    ];
  });
  if (boxes.length === 0) return undefined;
  return {
    left: Math.min(...boxes.map((it) => it.left)),
    top: Math.min(...boxes.map((it) => it.top)),
    right: Math.max(...boxes.map((it) => it.right)),
    bottom: Math.max(...boxes.map((it) => it.bottom)),
  };
}

/** Distance of a cluster from its place in the run, by the centres of the boxes. */
const offsetOf = (own: Box, seen: Box): { x: number; y: number } => ({
  x: (seen.left + seen.right - own.left - own.right) / 2,
  y: (seen.top + seen.bottom - own.top - own.bottom) / 2,
});

/** Divides a run where a line was broken: the offset of clusters changes there. */
function piecesOf(clusters: readonly SeenCluster[], em: number): SeenCluster[][] {
  const pieces: SeenCluster[][] = [[]];
  let before: { x: number; y: number } | undefined;
  for (const cluster of clusters) {
    if (cluster.seen) {
      const offset = offsetOf(cluster.own, cluster.seen);
      const isMoved = before && Math.hypot(offset.x - before.x, offset.y - before.y) > em / 8;
      if (isMoved) pieces.push([]);
      before = offset;
    }
    pieces.at(-1)!.push(cluster);
  }
  return pieces;
}

/**
 * Moves the glyphs of a piece to their pixels. A neighbour may hide one edge of a cluster, as in
 * Arabic, so the outermost edges are decisive.
 */
function placePiece(piece: readonly SeenCluster[]): PlacedGlyph[] {
  const pairs = piece.flatMap(({ own, seen }) => (seen ? [{ own, seen }] : []));
  if (pairs.length === 0) return [];
  const left = Math.min(...pairs.map(({ own, seen }) => seen.left - own.left));
  const right = Math.max(...pairs.map(({ own, seen }) => seen.right - own.right));
  const top = Math.min(...pairs.map(({ own, seen }) => seen.top - own.top));
  const bottom = Math.max(...pairs.map(({ own, seen }) => seen.bottom - own.bottom));
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return piece.flatMap(({ cluster }) => cluster.glyphs.map((glyph) => ({ ...glyph, x: glyph.x + x, y: glyph.y + y })));
}

/** Side in pixels of the squares in which outline and image are compared. */
const squareSide = 8;
/**
 * Part of a square whose coverage may differ. An edge through a square is then within 2.4 pixels,
 * 0.3 mm of a T-shirt. Pango moves edges by half a pixel (hinting), so that the same letters differ
 * by up to 0.2.
 */
const maxDifference = 0.3;

/** Returns whether an outline covers the visible pixels of an image, and no others. */
function covers(
  { pixels, width: wholeWidth }: TextBitmap,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
  segments: readonly Segment[],
): boolean {
  const squares = new Float32Array(Math.ceil(width / squareSide));
  let y = 0;
  for (const row of new CoverageMap(width, height, segments).rows()) {
    for (let x = 0, at = 4 * ((top + y) * wholeWidth + left) + 3; x < width; x++, at += 4)
      squares[Math.floor(x / squareSide)]! += Math.abs(row[x]! - pixels[at]! / 255);
    y++;
    if (y % squareSide !== 0 && y !== height) continue;
    if (squares.some((sum) => sum > maxDifference * squareSide ** 2)) return false;
    squares.fill(0);
  }
  return true;
}
