import { type ActivityKind, type Language, toVisibleLine } from '#contracts';

/** The built-in user that stands for everybody who wishes not to be named. */
export const anonymousUserId = 0;

/** What is remembered of an occurrence, for its text. */
export interface ActivityData {
  readonly favorite: { readonly productId: number; readonly productTitle: string };
  readonly sale: { readonly productId: number; readonly productTitle: string };
  readonly material: { readonly materialId: number; readonly materialTitle: string };
}

/** An occurrence as it is stored: its kind together with what belongs to the kind. */
export type Occurrence = {
  [Kind in ActivityKind]: { readonly kind: Kind; readonly data: ActivityData[Kind] };
}[ActivityKind];

interface Sender {
  readonly id: number;
  readonly name: string;
  readonly displayName: string | null;
}

/** The texts of a language. `sender` is how the sender is called, null for somebody who is not to be named. */
type Texts = { readonly [Kind in ActivityKind]: (data: ActivityData[Kind], sender: string | null) => string };

const texts: Record<Language, Texts> = {
  en: {
    favorite: ({ productTitle }, sender) => `${sender ?? 'Somebody'} likes your ${productTitle}.`,
    sale: ({ productTitle }, sender) =>
      sender === null ? `Your ${productTitle} was sold.` : `${sender} bought your ${productTitle}.`,
    material: ({ materialTitle }) => `The images of your ${materialTitle} are ready.`,
  },
  ja: {
    favorite: ({ productTitle }, sender) =>
      `${sender ?? '匿名ユーザー'}さんが「${productTitle}」をお気に入りに追加しました。`,
    sale: ({ productTitle }, sender) =>
      sender === null ? `「${productTitle}」が売れました。` : `${sender}さんが「${productTitle}」を購入しました。`,
    material: ({ materialTitle }) => `「${materialTitle}」の画像ができました。`,
  },
};

/** What happened, for people. A sender without a display name is called by the user name. */
export function messageOf({ kind, data }: Occurrence, sender: Sender, language: Language): string {
  // An empty display name says as little as none
  const name = sender.id === anonymousUserId ? null : toVisibleLine(sender.displayName) || sender.name;
  // The compiler cannot see that kind and data of an occurrence belong together
  const write = texts[language][kind] as (data: Occurrence['data'], sender: string | null) => string;
  // Titles may be older than their rule
  return toVisibleLine(write(data, name));
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

const formats: Record<Language, Intl.RelativeTimeFormat> = {
  en: new Intl.RelativeTimeFormat('en', { numeric: 'auto' }),
  ja: new Intl.RelativeTimeFormat('ja', { numeric: 'auto' }),
};
const counted: Record<Language, Intl.RelativeTimeFormat> = {
  en: new Intl.RelativeTimeFormat('en', { numeric: 'always' }),
  ja: new Intl.RelativeTimeFormat('ja', { numeric: 'always' }),
};

/**
 * How long ago, for people: `2 hours ago`, `2 時間前`, in the largest whole unit (a month is 30 days, a year 365), and
 * `now` within the first minute or when clocks disagree.
 */
export function timeago(at: Date, now: Date, language: Language): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1000);
  for (const [unit, length] of units) {
    if (seconds >= length) return counted[language].format(-Math.floor(seconds / length), unit);
  }
  return formats[language].format(0, 'second');
}
