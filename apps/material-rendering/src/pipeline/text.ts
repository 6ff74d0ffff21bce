import { sharp } from './sharp.js';
import { markupOf } from './text-markup.js';
import { visiblePart } from './visible-part.js';

/**
 * Pixels of the square that a text is fitted into: the longest side of what is drawn. A little more than the 2520 of a
 * T-shirt's width in print quality, because what is empty at the sides of the letters is cut off.
 */
const box = 2_600;
/** Letters smaller than this, in pixels per em, are hard to read on a T-shirt: 12 mm of 30 cm. Words are divided then. */
const smallestEm = 104;
/**
 * Points. libvips fits a text by its dpi: from 72 on it halves or doubles, and gives up above 10,000. From 130 points it
 * finds both a full stop that fills the box and 255 letters in one line.
 */
const points = 130;
/**
 * A character is taken from the first family that has it. Letters with marks come from the first: the Japanese one has
 * no places for marks on Latin and Greek letters. The Chinese one fills what the Japanese one lacks.
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

interface Typeset {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  readonly em: number;
}

/**
 * Draws a text as a PNG with a transparent ground and nothing around it: centred lines, as large as the box allows.
 * Words stay whole unless one is so long that all would become too small. Fonts are those of the process's fontconfig.
 *
 * @param text something visible, without control characters
 * @param rgb `#rrggbb`; emoji have their own colours
 */
export async function drawText(text: string, rgb: string): Promise<Buffer> {
  const whole = await typeset(markupOf(text, rgb, 'phrases'), 'word');
  const { pixels, width, height } =
    whole.em < smallestEm ? await typeset(markupOf(text, rgb, 'nothing'), 'word-char') : whole;
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .extract(visiblePart(pixels, width, height))
    .png({ compressionLevel: 3 })
    .toBuffer();
}

async function typeset(markup: string, wrap: 'word' | 'word-char'): Promise<Typeset> {
  const { data, info } = await sharp({
    text: { text: markup, font, width: box, height: box, align: 'centre', rgba: true, wrap },
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, textAutofitDpi: dpi } = info;
  if (dpi === undefined) throw new Error('the text was not fitted');
  return { pixels: data, width, height, em: (points * dpi) / 72 };
}
