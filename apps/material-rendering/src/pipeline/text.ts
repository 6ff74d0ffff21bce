import { sharp } from './sharp.js';
import { markupOf } from './text-markup.js';
import { visiblePart } from './visible-part.js';

/**
 * Side in pixels of the square into which a text is fitted. Slightly more than 2520, the width in
 * pixels of a T-shirt's print area, because the empty space beside the letters is cropped.
 */
const boxSidePixels = 2_600;
/**
 * Limit in pixels per em below which words are divided: smaller letters are hard to read on a
 * T-shirt (12 mm of 30 cm).
 */
const minUnbrokenEm = 104;
/**
 * Font size in points. libvips fits a text by changing its dpi only: it starts at 72, doubles or
 * halves it, and gives up above 10,000. With 130 points it can fit both a single full stop that
 * fills the box and 255 letters in one line.
 */
const points = 130;
/**
 * Font families in order of preference: each character is taken from the first one that has it. The
 * Latin font is first because the Japanese one has no anchors for marks on Latin and Greek letters.
 * The Chinese font supplies the characters that the Japanese one lacks.
 */
const families = [
  'Noto Sans',
  'Noto Sans JP',
  'Noto Sans KR',
  'Noto Sans SC',
  'Noto Sans Arabic',
  'Noto Sans Hebrew',
  'Noto Sans Thai',
  'Noto Color Emoji',
];
const font = `${families.join(', ')} bold ${points}`;

interface TextBitmap {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  readonly em: number;
}

/**
 * Renders a text as a PNG with a transparent background and without margins: centred lines, as
 * large as the box allows. Words are divided only if the letters would become too small otherwise.
 * The fonts are those of the process's fontconfig.
 *
 * @param text contains visible characters and no control characters
 * @param rgb `#rrggbb`; emoji have their own colors
 */
export async function renderText(text: string, rgb: string): Promise<Buffer> {
  const whole = await typeset(markupOf(text, rgb, 'between-phrases'), 'word');
  const { pixels, width, height } =
    whole.em < minUnbrokenEm ? await typeset(markupOf(text, rgb, 'anywhere'), 'word-char') : whole;
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .extract(visiblePart(pixels, width, height))
    .png({ compressionLevel: 3 })
    .toBuffer();
}

async function typeset(markup: string, wrap: 'word' | 'word-char'): Promise<TextBitmap> {
  const { data, info } = await sharp({
    text: { text: markup, font, width: boxSidePixels, height: boxSidePixels, align: 'centre', rgba: true, wrap },
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, textAutofitDpi: dpi } = info;
  if (dpi === undefined) throw new Error('the text was not fitted');
  return { pixels: data, width, height, em: (points * dpi) / 72 };
}
