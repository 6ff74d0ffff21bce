import { type PlacedArtwork, type PreflightCode, printTechniques, type PrintTechnique } from '#contracts';
import { apply, inkArea, type Size } from '#placement';
import { type PrintArea } from '../print/print-area.js';
import { type PrintRaster } from '../print/raster.js';
import { type ClothColor, otherColorShare, unseenShares } from './color-shares.js';
import { type Ink, inkAlpha, inkInside, inkOutsideSafeZone, readInk, translucentInk } from './ink.js';
import { thinStrokes } from './thin-strokes.js';

/** A print place with its artwork. Lengths are in millimetres. */
export interface PreflightPlace {
  /** Pixels of the artwork. */
  readonly artwork: Size;
  readonly animated: boolean;
  /** Whether the artwork is a text, of which every part has to be seen. */
  readonly isText: boolean;
  readonly placed: PlacedArtwork;
  readonly area: Size;
  readonly technique: PrintTechnique;
  readonly bleed: number;
  readonly safeZone: number;
  readonly colorSpace: 'rgb' | 'cmyk';
  /** Parts of the area that a seam or a fold hides. */
  readonly hidden: readonly (Size & { readonly x: number; readonly y: number })[];
  /** Colors of the item. */
  readonly colors: readonly ClothColor[];
}

export interface PreflightTools {
  /** Resolution of the printer. */
  readonly dpi: number;
  /** Draws the artwork in an area. */
  readonly draw: (placed: PlacedArtwork, area: PrintArea) => Promise<PrintRaster>;
  /** Path of the ICC profile for CMYK. */
  readonly cmykProfile: string;
}

/** A problem of a print: its value is beyond the limit. */
interface Finding {
  readonly code: PreflightCode;
  readonly value: number;
  readonly limit: number;
  /** Names of the colors of the item on which the ink is not seen. */
  readonly colors?: readonly string[];
}

export interface PlaceReport {
  readonly effectiveDpi: number;
  /** Share of the area without ink. */
  readonly emptyShare: number;
  /** Share of the ink that is printed in another color; null without a profile of the printer. */
  readonly outOfGamutShare: number | null;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/** Limits of shares. Those of ink are relative to all ink of the place. */
const limits = {
  /** Rounded areas have another aspect ratio than the artwork, and a text has no margins. */
  cropped: 0.01,
  cutText: 0.002,
  /** An artwork that fills the largest area has 7 % under its seams. */
  hidden: 0.1,
  whiteOnWhite: 0.8,
  outsideSafeZone: 0.01,
  /** Square millimetres: a stroke of 0.3 mm has a length of 17 mm. */
  thinStrokes: 5,
  outOfGamut: 0.1,
  translucent: 0.05,
  /** An artwork is smaller than a hundredth of its area by mistake only. */
  empty: 0.99,
} as const;

/** Bounds time and memory: the largest area has half of its resolution of 150 dpi. */
const maxPixels = 12_000_000;
const artworkEdge = 500;

const pitchOf = (dpi: number): number => 25.4 / dpi;

/** Returns the print of a place without bleed, not mirrored, in RGB. */
function printAreaOf({ area }: PreflightPlace, dpi: number): PrintArea {
  const pitch = Math.max(pitchOf(dpi), Math.sqrt((area.width * area.height) / maxPixels));
  return { area, bleed: 0, dpi: 25.4 / pitch, mirror: false, colorSpace: 'rgb' };
}

/** Draws a whole artwork. */
function drawArtwork({ artwork: { width, height } }: PreflightPlace, { draw }: PreflightTools): Promise<PrintRaster> {
  const pitch = Math.max(width, height) / artworkEdge;
  return draw(
    { matrix: [width, 0, 0, height, 0, 0], repeat: 'none', period: { x: 1, y: 1 } },
    { area: { width, height }, bleed: 0, dpi: 25.4 / pitch, mirror: false, colorSpace: 'rgb' },
  );
}

/** Checks the print of a place. */
export async function preflight(place: PreflightPlace, tools: PreflightTools): Promise<PlaceReport> {
  const ink = await readInk(await tools.draw(place.placed, printAreaOf(place, tools.dpi)));
  const effectiveDpi = (25.4 * place.artwork.width) / Math.hypot(place.placed.matrix[0], place.placed.matrix[1]);
  const emptyShare = 1 - ink.count / ink.alpha.length;
  if (ink.count === 0) {
    const findings = [{ code: 'fully-transparent', value: 1, limit: 1 } as const];
    return { effectiveDpi, emptyShare, outOfGamutShare: null, findings };
  }
  const outOfGamutShare = place.colorSpace === 'cmyk' ? await otherColorShare(ink, tools.cmykProfile) : null;
  const { minDpi } = printTechniques[place.technique];
  const findings: Finding[] = [
    ...(place.animated ? [{ code: 'first-frame', value: 1, limit: 1 } as const] : []),
    // Equal within the rounding of the matrix
    ...(effectiveDpi < minDpi * (1 - 1e-9)
      ? [{ code: 'low-resolution', value: effectiveDpi, limit: minDpi } as const]
      : []),
    ...(isCropped(place) ? croppedFindings(place, await readInk(await drawArtwork(place, tools))) : []),
    ...above('hidden', inkInside(ink, place.hidden) / ink.count, limits.hidden),
    ...unseenFindings(ink, place.colors),
    ...above(
      'outside-safe-zone',
      inkOutsideSafeZone(ink, place.safeZone, place.bleed) / ink.count,
      limits.outsideSafeZone,
    ),
    ...above('thin-lines', await thinArea(ink, place.technique), limits.thinStrokes),
    ...above('out-of-gamut', outOfGamutShare ?? 0, limits.outOfGamut),
    ...above('translucent', translucentInk(ink) / ink.count, limits.translucent),
    ...above('mostly-empty', emptyShare, limits.empty),
  ];
  return { effectiveDpi, emptyShare, outOfGamutShare, findings };
}

const above = (code: PreflightCode, value: number, limit: number): Finding[] =>
  value > limit ? [{ code, value, limit }] : [];

/** Returns the area of thin strokes in square millimetres. */
const thinArea = async (ink: Ink, technique: PrintTechnique): Promise<number> =>
  (await thinStrokes(ink, printTechniques[technique].minStroke)) * ink.pitch ** 2;

/** Returns true if a part of the artwork, with ink or without, is outside the area. */
function isCropped({ placed, area }: PreflightPlace): boolean {
  const [a, b, c, d] = placed.matrix;
  return placed.repeat === 'none' && inkArea(placed, area) < Math.abs(a * d - b * c) * (1 - 1e-9);
}

/** Returns the share of the artwork's ink that is outside the area. */
function croppedShare({ placed, area }: PreflightPlace, { alpha, width, height, count }: Ink): number {
  let outside = 0;
  for (let i = 0; i < alpha.length; i++) {
    if (alpha[i]! < inkAlpha) continue;
    const point = { x: ((i % width) + 0.5) / width, y: (Math.floor(i / width) + 0.5) / height };
    const { x, y } = apply(placed.matrix, point);
    if (x < 0 || y < 0 || x > area.width || y > area.height) outside++;
  }
  return outside / count;
}

function croppedFindings(place: PreflightPlace, artwork: Ink): Finding[] {
  const share = croppedShare(place, artwork);
  return place.isText ? above('cut-text', share, limits.cutText) : above('cropped', share, limits.cropped);
}

/** Returns a finding with the colors on which the ink is not seen, and the highest share. */
function unseenFindings(ink: Ink, colors: readonly ClothColor[]): Finding[] {
  const shares = unseenShares(ink, colors);
  const unseen = colors.filter((_, index) => shares[index]! > limits.whiteOnWhite);
  if (unseen.length === 0) return [];
  const names = unseen.map(({ name }) => name);
  return [{ code: 'white-on-white', value: Math.max(...shares), limit: limits.whiteOnWhite, colors: names }];
}
