import { Buffer as ShapedText, ClusterLevel, Direction, type Font, shape } from 'harfbuzzjs';

/** Character of a text, and the font family that the markup requests. */
export interface MarkedCharacter {
  readonly character: string;
  readonly family: string | undefined;
}

/** Glyph of a font at its place, in pixels with y down. */
export interface PlacedGlyph {
  readonly font: Font;
  readonly id: number;
  readonly x: number;
  readonly y: number;
  /** Pixels per unit of the font. */
  readonly scale: number;
}

/** Glyphs that show one or more characters together, at their place in a run. */
export interface Cluster {
  /** Index of the first of its characters. */
  readonly character: number;
  readonly glyphs: readonly PlacedGlyph[];
}

/** Returns the fonts in the order of preference, the given family first. */
export type FontsFor = (family: string | undefined) => Iterable<Font>;

/** Sequence of characters of one font and direction. */
interface Run {
  readonly font: Font;
  readonly first: number;
  readonly characters: string[];
  isRightToLeft: boolean;
}

const invisible = /^[\s\p{Default_Ignorable_Code_Point}]/u;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const hasDirection = /[\p{L}\p{N}]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the clusters of each run of a text. Pango rounds advances and offsets to pixels, and so
 * does this function. Lines are not broken: the places of runs are unknown.
 *
 * @param em font size in pixels
 */
export const shapeText = (text: readonly MarkedCharacter[], fontsFor: FontsFor, em: number): Cluster[][] =>
  runsOf(text, fontsFor).map((run) => shapeRun(run, em));

function runsOf(text: readonly MarkedCharacter[], fontsFor: FontsFor): Run[] {
  const runs: Run[] = [];
  let [first, isLineStart] = [0, true];
  for (const { segment } of graphemes.segment(text.map(({ character }) => character).join(''))) {
    const characters = Array.from(segment);
    const last = runs.at(-1);
    const font = invisible.test(segment) && last ? last.font : fontOf(characters, fontsFor(text[first]!.family));
    const isNewLine = segment === '\n';
    if (!isNewLine && font && last?.font === font && !isLineStart) last.characters.push(...characters);
    else if (!isNewLine && font) runs.push({ font, first, characters, isRightToLeft: false });
    isLineStart = isNewLine;
    first += characters.length;
  }
  for (const run of runs) run.isRightToLeft = run.characters.some((it) => rightToLeft.test(it));
  // Punctuation between words has their direction, by which brackets are mirrored
  runs.forEach((run, index) => {
    if (!run.characters.some((it) => hasDirection.test(it)))
      run.isRightToLeft = runs[index - 1]?.isRightToLeft === true && runs[index + 1]?.isRightToLeft !== false;
  });
  return runs;
}

/** Returns the first font that has all characters, or else the first one that has the base. */
function fontOf(characters: readonly string[], fonts: Iterable<Font>): Font | undefined {
  let ofBase: Font | undefined;
  for (const font of fonts) {
    const missing = characters.findIndex((it) => font.nominalGlyph(it.codePointAt(0)!) === undefined);
    if (missing === -1) return font;
    if (missing > 0) ofBase ??= font;
  }
  return ofBase;
}

function shapeRun({ font, first, characters, isRightToLeft }: Run, em: number): Cluster[] {
  const buffer = new ShapedText();
  // As in Pango: marks are clusters of their own
  buffer.setClusterLevel(ClusterLevel.MONOTONE_CHARACTERS);
  characters.forEach((character, index) => buffer.add(character.codePointAt(0)!, first + index));
  buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
  buffer.guessSegmentProperties();
  shape(font, buffer);
  const scale = em / font.face.upem;
  const clusters = new Map<number, PlacedGlyph[]>();
  const positions = buffer.getGlyphPositions();
  let pen = 0;
  buffer.getGlyphInfos().forEach(({ codepoint, cluster }, index) => {
    const { xAdvance, xOffset, yOffset } = positions[index]!;
    const glyphs = clusters.get(cluster) ?? [];
    const [x, y] = [pen + Math.round(xOffset * scale), 0 - Math.round(yOffset * scale)];
    clusters.set(cluster, [...glyphs, { font, id: codepoint, x, y, scale }]);
    pen += Math.round(xAdvance * scale);
  });
  return [...clusters]
    .map(([character, glyphs]) => ({ character, glyphs }))
    .toSorted((one, other) => one.character - other.character);
}
