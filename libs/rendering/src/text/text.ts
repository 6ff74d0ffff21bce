import { sharp } from '#images';
import { markupOf } from './text-markup.js';
import { visiblePart } from '../visible-part.js';

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
export const families = [
  'Noto Sans',
  'Noto Sans JP',
  'Noto Sans KR',
  'Noto Sans SC',
  'Noto Sans Arabic',
  'Noto Sans Hebrew',
  'Noto Sans Thai',
  'Noto Color Emoji',
] as const;
const font = `${families.join(', ')} bold ${points}`;

/** Pixels of four bytes (RGBA) of a text, with margins. */
export interface TextBitmap {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Text that fits into the box. */
interface FittedText extends TextBitmap {
  readonly markup: string;
  readonly wrap: 'word' | 'word-char';
  /** Resolution at which the text fits. */
  readonly dpi: number;
  /** Font size in pixels. */
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
  const { pixels, width, height } = await fitText(text, rgb);
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .extract(visiblePart(pixels, width, height))
    .png({ compressionLevel: 3 })
    .toBuffer();
}

/** Returns the pixels of `renderText` with margins, and how the text was fitted. */
export async function fitText(text: string, rgb: string): Promise<FittedText> {
  const whole = await fit(markupOf(text, rgb, 'between-phrases'), 'word');
  return whole.em < minUnbrokenEm ? fit(markupOf(text, rgb, 'anywhere'), 'word-char') : whole;
}

async function fit(markup: string, wrap: FittedText['wrap']): Promise<FittedText> {
  const { bitmap, dpi } = await typeset(markup, wrap, { height: boxSidePixels });
  if (dpi === undefined) throw new Error('the text was not fitted');
  return { ...bitmap, markup, wrap, dpi, em: (points * dpi) / 72 };
}

/** Renders a text with other markup of the same layout. */
export async function typesetLike({ wrap, dpi }: FittedText, markup: string): Promise<TextBitmap> {
  return (await typeset(markup, wrap, { dpi })).bitmap;
}

async function typeset(
  markup: string,
  wrap: FittedText['wrap'],
  size: { readonly height: number } | { readonly dpi: number },
): Promise<{ readonly bitmap: TextBitmap; readonly dpi: number | undefined }> {
  const { data, info } = await sharp({
    text: { text: markup, font, width: boxSidePixels, ...size, align: 'centre', rgba: true, wrap },
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { bitmap: { pixels: data, width: info.width, height: info.height }, dpi: info.textAutofitDpi };
}
