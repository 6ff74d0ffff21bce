import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Blob, Face, Font } from 'harfbuzzjs';
import { CoverageMap, segmentsOf } from '../text/text-curves.js';
import { shapeText } from '../text/text-shaping.js';

const { resolve } = createRequire(import.meta.url);

/** Font of labels, Latin and Japanese. It is one of those of texts, which the image contains. */
let opened: Font | undefined;
const labelFont = (): Font =>
  (opened ??= new Font(
    new Face(new Blob(readFileSync(resolve('@expo-google-fonts/noto-sans-jp/700Bold/NotoSansJP_700Bold.ttf')))),
  ));

/** Coverage of the pixels of a label, 0..1, row by row. */
interface Label {
  readonly width: number;
  readonly height: number;
  /** Row of the baseline. */
  readonly baseline: number;
  readonly rows: Iterable<Float32Array>;
}

/**
 * Draws a line of text without fontconfig, whose configuration a container may lack. Characters
 * that the font lacks are omitted.
 *
 * @param em font size in pixels
 * @param maxWidth pixels at which the line is cut off
 */
export function drawLabel(text: string, em: number, maxWidth: number): Label {
  const characters = Array.from(text, (character) => ({ character, family: undefined }));
  const baseline = Math.ceil(1.1 * em);
  const glyphs = shapeText(characters, () => [labelFont()], em)
    .flat()
    .flatMap((cluster) => cluster.glyphs);
  const segments = [...segmentsOf(glyphs.map((glyph) => ({ ...glyph, y: glyph.y + baseline })))];
  let right = 0;
  for (const { points } of segments) for (let at = 0; at < points.length; at += 2) right = Math.max(right, points[at]!);
  const [width, height] = [Math.max(1, Math.min(Math.ceil(right), maxWidth)), Math.ceil(1.5 * em)];
  return { width, height, baseline, rows: new CoverageMap(width, height, segments).rows() };
}
