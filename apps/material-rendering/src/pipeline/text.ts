import { sharp } from './sharp.js';
import { markupOf } from './text-markup.js';

/** Pixels of the square that a text is fitted into: the longest side of what is drawn. */
const box = 2_000;
/** Letters smaller than this, in pixels per em, are hard to read on a T-shirt: 12 mm of 30 cm. Words are divided then. */
const smallestEm = 80;
/**
 * Points. libvips fits a text by its dpi: from 72 on it halves or doubles, and gives up above 10,000. From 100 points it
 * finds both a full stop that fills the box and 255 letters in one line.
 */
const points = 100;
// The first family has Latin letters that go with its Japanese ones
const font = `Noto Sans JP, Noto Sans, Noto Color Emoji bold ${points}`;

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
  const picture = sharp(pixels, { raw: { width, height, channels: 4 } });
  // A column of a hundred bars is two pixels wide, and trimming looks at squares of three
  if (Math.min(width, height) >= 3) picture.trim({ background: { r: 0, g: 0, b: 0, alpha: 0 }, threshold: 0 });
  return picture.png().toBuffer();
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
