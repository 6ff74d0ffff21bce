import { LRUCache } from 'lru-cache';
import { signDraft, signFilePath } from '#contracts';
import { dateTimeWriter, type TaxPercent } from '#kernel';
import { type CatalogSettings } from './catalog.settings.js';

/** What a writer of JSON needs to know beside the row: addresses, tax and the form of dates. */
export interface Presentation {
  readonly baseUrl: string;
  readonly taxPercent: TaxPercent;
  /** The signature of a material's images, by their file path; with `draftItem` of its unpublished product of that item. */
  readonly signatureOf: (filePath: string, draftItem?: string) => string;
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
  // Drafts are shown to their owner alone: too few to be worth the cache's room
  return (filePath, draftItem) =>
    draftItem === undefined ? known.memo(filePath) : signDraft(filePath, draftItem, secret);
}

/** A date that may be missing, as JSON. */
export const dateTimeJson = (at: Date | null, by: Presentation): string =>
  at === null ? 'null' : `"${by.dateTime(at)}"`;
