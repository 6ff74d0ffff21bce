import { dateTimeWriter, type TaxPercent } from '#kernel';
import { type CatalogSettings } from './settings.js';

/** What a writer of JSON needs to know beside the row: addresses, tax and the form of dates. */
export interface Presentation {
  readonly baseUrl: string;
  readonly taxPercent: TaxPercent;
  readonly imageSigningSecret: string;
  readonly dateTime: (at: Date) => string;
}

export const presentationOf = (settings: CatalogSettings): Presentation => ({
  baseUrl: settings.baseUrl,
  taxPercent: settings.taxPercent,
  imageSigningSecret: settings.imageSigningSecret,
  dateTime: dateTimeWriter(settings.dateTimeFormat, settings.timeZone),
});

/** A date that may be missing, as JSON. */
export const dateTimeJson = (at: Date | null, by: Presentation): string =>
  at === null ? 'null' : `"${by.dateTime(at)}"`;
