import { type Language, type PreflightCode, printTechniques, type PrintTechnique } from '#contracts';

/** A finding, with the name of its print place in the language of the text. */
interface FindingText {
  readonly place: string;
  readonly technique: PrintTechnique;
  readonly value: number;
  readonly limit: number;
  readonly colors?: readonly string[] | undefined;
}
type Text = (finding: FindingText) => string;

/** Two digits, never 0. */
const percent = ({ value }: FindingText): string => String(Math.max(0.1, Number((100 * value).toPrecision(2))));
const dpi = ({ value }: FindingText): string => (value < 1 ? '< 1' : String(Math.floor(value)));
const squares = ({ value }: FindingText): string => String(Math.round(value));
const stroke = ({ technique }: FindingText): number => printTechniques[technique].minStroke;

const english: Record<PreflightCode, Text> = {
  'fully-transparent': ({ place }) => `Nothing is printed on the ${place}.`,
  'first-frame': ({ place }) => `Only the first frame of the animation is printed on the ${place}.`,
  'low-resolution': (it) => `${dpi(it)} dpi on the ${it.place}; ${it.limit} dpi or more prints sharply.`,
  'cut-text': (it) => `${percent(it)} % of the text is cut off at the edges of the ${it.place}.`,
  cropped: (it) => `${percent(it)} % of the image is cut off at the edges of the ${it.place}.`,
  hidden: (it) => `A seam or a fold hides ${percent(it)} % of the image on the ${it.place}.`,
  'white-on-white': (it) =>
    `${percent(it)} % of the image on the ${it.place} is hardly seen on: ${it.colors?.join(', ')}.`,
  'outside-safe-zone': (it) =>
    `${percent(it)} % of the image on the ${it.place} is so near to an edge that it may be cut.`,
  'thin-lines': (it) =>
    `${squares(it)} mm² of strokes on the ${it.place} are thinner than ${stroke(it)} mm and may break.`,
  'out-of-gamut': (it) => `${percent(it)} % of the image on the ${it.place} is printed in less vivid colors.`,
  translucent: (it) =>
    `${percent(it)} % of the image on the ${it.place} is half transparent and may be printed with visible dots.`,
  'mostly-empty': (it) => `${percent(it)} % of the print area on the ${it.place} is empty.`,
};

const japanese: Record<PreflightCode, Text> = {
  'fully-transparent': ({ place }) => `${place}には何も印刷されません。`,
  'first-frame': ({ place }) => `${place}にはアニメーションの最初のフレームのみが印刷されます。`,
  'low-resolution': (it) => `${it.place}の解像度は${dpi(it)} dpiです。${it.limit} dpi以上で鮮明に印刷されます。`,
  'cut-text': (it) => `${it.place}の端で文字の${percent(it)}%が切り取られます。`,
  cropped: (it) => `${it.place}の端で画像の${percent(it)}%が切り取られます。`,
  hidden: (it) => `${it.place}の画像の${percent(it)}%が縫い目または折り目に隠れます。`,
  'white-on-white': (it) =>
    `${it.place}の画像の${percent(it)}%は次の色の上でほとんど見えません：${it.colors?.join('、')}。`,
  'outside-safe-zone': (it) => `${it.place}の画像の${percent(it)}%は端に近く、切り取られることがあります。`,
  'thin-lines': (it) => `${it.place}に${stroke(it)} mmより細い線が${squares(it)} mm²あり、途切れることがあります。`,
  'out-of-gamut': (it) => `${it.place}の画像の${percent(it)}%は鮮やかさが失われます。`,
  translucent: (it) => `${it.place}の画像の${percent(it)}%は半透明で、網点が見えることがあります。`,
  'mostly-empty': (it) => `${it.place}の印刷範囲の${percent(it)}%は空白です。`,
};

export const preflightTexts = { en: english, ja: japanese } as const satisfies Record<Language, object>;
