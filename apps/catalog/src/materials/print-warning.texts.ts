import { type Language, type PrintWarningCode } from '#contracts';
import {
  croppedShare,
  dpiOf,
  scaledSize,
  type ArtworkLayout,
  type Size,
  upscalingFactor,
} from './artwork-layout.rules.js';

/** Resolution from which the dots of a print are invisible at arm's length. */
export const sharpDpi = 150;

/**
 * Returns the text of a warning. `place` is the name of the print place in the language of the
 * text.
 */
type Text = (print: ArtworkLayout & { readonly place: string }) => string;

const pixels = ({ width, height }: Size): string => `${width} x ${height}`;
const millimetres = ({ area }: ArtworkLayout): string => `${pixels(area.millimetres)} mm`;
/** Rounded down, so that a value below `sharpDpi` is never shown as `sharpDpi`. */
const dpi = (layout: ArtworkLayout): string => (dpiOf(layout) < 1 ? '< 1' : String(Math.floor(dpiOf(layout))));
const sharpPixels = (layout: ArtworkLayout): string => pixels(scaledSize(layout.artwork, sharpDpi / dpiOf(layout)));
const fullPixels = (layout: ArtworkLayout): string => pixels(scaledSize(layout.artwork, upscalingFactor(layout)));

/** At most 99: a part of the image always remains. */
const percent = (part: number): number => Math.min(99, Math.round(100 * part));
const largestCrop = (layout: ArtworkLayout, names: { readonly width: string; readonly height: string }) => {
  const { width, height } = croppedShare(layout);
  return width > height ? { side: names.width, share: percent(width) } : { side: names.height, share: percent(height) };
};

const english: Record<PrintWarningCode, Text> = {
  'low-resolution': (it) =>
    `${dpi(it)} dpi on the ${it.place} (${millimetres(it)}); ${sharpDpi} dpi or more prints sharply. ` +
    `Send at least ${sharpPixels(it)} pixels.`,
  upscaled: (it) =>
    `${pixels(it.artwork)} pixels are enlarged for the ${it.place} (${millimetres(it)}). ` +
    `Send at least ${fullPixels(it)} pixels.`,
  'fully-transparent': (it) =>
    `The image is fully transparent: nothing is printed on the ${it.place} (${millimetres(it)}).`,
  cropped: (it) => {
    const { side, share } = largestCrop(it, { width: 'width', height: 'height' });
    return (
      `${share} % of the ${side} is cut off to cover the ${it.place} (${millimetres(it)}). ` +
      'Send an image of these proportions to lose nothing.'
    );
  },
};

const japanese: Record<PrintWarningCode, Text> = {
  'low-resolution': (it) =>
    `${it.place}（${millimetres(it)}）の解像度は${dpi(it)} dpiです。${sharpDpi} dpi以上で鮮明に印刷されます。` +
    `${sharpPixels(it)}ピクセル以上の画像をお使いください。`,
  upscaled: (it) =>
    `${it.place}（${millimetres(it)}）に印刷するため、${pixels(it.artwork)}ピクセルの画像が拡大されます。` +
    `${fullPixels(it)}ピクセル以上の画像をお使いください。`,
  'fully-transparent': (it) => `画像が完全に透明なため、${it.place}（${millimetres(it)}）には何も印刷されません。`,
  cropped: (it) => {
    const { side, share } = largestCrop(it, { width: '幅', height: '高さ' });
    return (
      `${it.place}（${millimetres(it)}）を覆うため、画像の${side}の${share}%が切り取られます。` +
      '同じ縦横比の画像なら切り取られません。'
    );
  },
};

export const warningTexts = { en: english, ja: japanese } as const satisfies Record<Language, object>;
