import { type ActivityKind, type Language, toVisibleLine } from '#contracts';

/** Id of the built-in user, shown as the sender in place of anonymous and deleted users. */
export const anonymousUserId = 0;

/** Stored data of each kind of activity, from which its message is written. */
export interface ActivityData {
  readonly favorite: { readonly productId: number; readonly productTitle: string };
  readonly sale: { readonly productId: number; readonly productTitle: string };
  readonly material: { readonly materialId: number; readonly materialTitle: string };
  readonly webhook: { readonly endpointId: number; readonly host: string };
}

/** Kind of an activity together with the data of that kind. */
export type Occurrence = {
  [Kind in ActivityKind]: { readonly kind: Kind; readonly data: ActivityData[Kind] };
}[ActivityKind];

interface Sender {
  readonly id: number;
  readonly name: string;
  readonly displayName: string | null;
}

/**
 * Message templates of a language. `sender` is the sender's shown name, or null for an anonymous
 * sender.
 */
type Texts = { readonly [Kind in ActivityKind]: (data: ActivityData[Kind], sender: string | null) => string };

const texts: Record<Language, Texts> = {
  en: {
    favorite: ({ productTitle }, sender) => `${sender ?? 'Someone'} likes your ${productTitle}.`,
    sale: ({ productTitle }, sender) =>
      sender === null ? `Your ${productTitle} was sold.` : `${sender} bought your ${productTitle}.`,
    material: ({ materialTitle }) => `The images of your ${materialTitle} are ready.`,
    webhook: ({ host }) => `Your webhook endpoint at ${host} has been disabled because it does not accept events.`,
  },
  ja: {
    favorite: ({ productTitle }, sender) =>
      `${sender === null ? '匿名ユーザー' : `${sender}さん`}が「${productTitle}」をお気に入りに追加しました。`,
    sale: ({ productTitle }, sender) =>
      sender === null ? `「${productTitle}」が売れました。` : `${sender}さんが「${productTitle}」を購入しました。`,
    material: ({ materialTitle }) => `「${materialTitle}」の画像ができました。`,
    webhook: ({ host }) => `イベントを受信できないため、${host} のWebhookエンドポイントを無効にしました。`,
  },
};

/** Returns the message of an activity. A sender without a display name is shown by user name. */
export function messageOf({ kind, data }: Occurrence, sender: Sender, language: Language): string {
  // A display name without visible characters counts as none
  const name = sender.id === anonymousUserId ? null : toVisibleLine(sender.displayName) || sender.name;
  // TypeScript cannot infer that kind and data of an occurrence match
  const write = texts[language][kind] as (data: Occurrence['data'], sender: string | null) => string;
  // Titles may have been stored before titles were validated
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
const numericFormats: Record<Language, Intl.RelativeTimeFormat> = {
  en: new Intl.RelativeTimeFormat('en', { numeric: 'always' }),
  ja: new Intl.RelativeTimeFormat('ja', { numeric: 'always' }),
};

/**
 * Returns how long ago `at` was, in the largest whole unit: `2 hours ago`, `2 時間前`. A month is 30
 * days, a year 365 days. Returns `now` (`今`) within the first minute and for times in the future,
 * which result from clock skew.
 */
export function timeago(at: Date, now: Date, language: Language): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1000);
  for (const [unit, length] of units) {
    if (seconds >= length) return numericFormats[language].format(-Math.floor(seconds / length), unit);
  }
  return formats[language].format(0, 'second');
}
