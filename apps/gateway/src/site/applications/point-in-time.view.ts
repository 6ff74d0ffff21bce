import type { Language } from '#contracts';

const formats: Readonly<Record<Language, Intl.DateTimeFormat>> = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
  ja: new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
};

/** Formats a point in time (ISO 8601) as `22 November 2026 at 02:13 UTC`. */
export const pointInTime = (iso: string, language: Language): string =>
  `${formats[language].format(new Date(iso))} UTC`;
