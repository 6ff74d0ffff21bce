import type { Language } from '#contracts';

const formats: Readonly<Record<Language, Intl.DateTimeFormat>> = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
  ja: new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
};

/** A point in time (ISO 8601) for people: `22 November 2026 at 02:13 UTC`. */
export const pointInTime = (iso: string, language: Language): string =>
  `${formats[language].format(new Date(iso))} UTC`;
