import { type Language, type PrintWarningCode } from '#contracts';
import { type Size } from '#placement';
import { croppedShare, dpiOf, scaledSize, type ArtworkLayout } from './artwork-layout.rules.js';

/**
 * Returns the text of a warning. `place` is the name of the print place in the language of the
 * text.
 */
type Text = (print: ArtworkLayout & { readonly place: string }) => string;

const pixels = ({ width, height }: Size): string => `${width} x ${height}`;
const millimetres = ({ area }: ArtworkLayout): string => `${pixels(area.millimetres)} mm`;
/** Rounded down, so that a value below `minDpi` is never shown as `minDpi`. */
const dpi = (layout: ArtworkLayout): string => (dpiOf(layout) < 1 ? '< 1' : String(Math.floor(dpiOf(layout))));
const sharpPixels = (layout: ArtworkLayout): string =>
  pixels(scaledSize(layout.artwork, layout.minDpi / dpiOf(layout)));

/** At most 99: a part of the image always remains. */
const croppedPercent = (layout: ArtworkLayout): number => Math.min(99, Math.round(100 * croppedShare(layout)));

const english: Record<PrintWarningCode, Text> = {
  'low-resolution': (it) =>
    `${dpi(it)} dpi on the ${it.place} (${millimetres(it)}); ${it.minDpi} dpi or more prints sharply. ` +
    `Send at least ${sharpPixels(it)} pixels.`,
  'fully-transparent': (it) =>
    `The image is fully transparent: nothing is printed on the ${it.place} (${millimetres(it)}).`,
  'first-frame': (it) =>
    `Only the first frame of the animation is printed on the ${it.place} (${millimetres(it)}), with ${dpi(it)} dpi.`,
  cropped: (it) =>
    `${croppedPercent(it)} % of the image is cut off at the edges of the ${it.place} (${millimetres(it)}). ` +
    'Send an image of these proportions, or place it smaller, to lose nothing.',
};

const japanese: Record<PrintWarningCode, Text> = {
  'low-resolution': (it) =>
    `${it.place}（${millimetres(it)}）の解像度は${dpi(it)} dpiです。${it.minDpi} dpi以上で鮮明に印刷されます。` +
    `${sharpPixels(it)}ピクセル以上の画像をお使いください。`,
  'fully-transparent': (it) => `画像が完全に透明なため、${it.place}（${millimetres(it)}）には何も印刷されません。`,
  'first-frame': (it) =>
    `${it.place}（${millimetres(it)}）にはアニメーションの最初のフレームのみが${dpi(it)} dpiで印刷されます。`,
  cropped: (it) =>
    `${it.place}（${millimetres(it)}）の端で画像の${croppedPercent(it)}%が切り取られます。` +
    '同じ縦横比の画像を使うか、小さく配置すると切り取られません。',
};

export const warningTexts = { en: english, ja: japanese } as const satisfies Record<Language, object>;
