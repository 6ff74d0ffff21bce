import { LRUCache } from 'lru-cache';
import { signFilePath } from '#contracts';
import { dateTimeWriter, type TaxPercent } from '#kernel';
import { type CatalogSettings } from './settings.js';

/** What a writer of JSON needs to know beside the row: addresses, tax and the form of dates. */
export interface Presentation {
  readonly baseUrl: string;
  readonly taxPercent: TaxPercent;
  /** The signature of a material's pictures, by their file path. */
  readonly signatureOf: (filePath: string) => string;
  readonly dateTime: (at: Date) => string;
}

export const presentationOf = (settings: CatalogSettings): Presentation => ({
  baseUrl: settings.baseUrl,
  taxPercent: settings.taxPercent,
  signatureOf: signer(settings.imageSigningSecret),
  dateTime: dateTimeWriter(settings.dateTimeFormat, settings.timeZone),
});

/** Of 20 products as JSON the signatures took a tenth of the time, and neighbours often are of one material. */
function signer(secret: string): Presentation['signatureOf'] {
  const known = new LRUCache<string, string>({ max: 5_000, memoMethod: (filePath) => signFilePath(filePath, secret) });
  return (filePath) => known.memo(filePath);
}

/** A date that may be missing, as JSON. */
export const dateTimeJson = (at: Date | null, by: Presentation): string =>
  at === null ? 'null' : `"${by.dateTime(at)}"`;
