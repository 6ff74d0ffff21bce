import { Cache } from '#cache';
import { signDraft, signFilePath } from '#contracts';
import { dateTimeWriter, type TaxPercent } from '#kernel';
import { type CatalogSettings } from './catalog.settings.js';

/** Context of all JSON beside the row: addresses, tax and the form of dates. */
export interface JsonContext {
  readonly baseUrl: string;
  readonly taxPercent: TaxPercent;
  /** The signature of a material's images, by their file path; with `draftItem` of its unpublished product of that item. */
  readonly signatureOf: (filePath: string, draftItem?: string) => string;
  readonly dateTime: (at: Date) => string;
}

export const jsonContextOf = (settings: CatalogSettings): JsonContext => ({
  baseUrl: settings.baseUrl,
  taxPercent: settings.taxPercent,
  signatureOf: signer(settings.imageSigningSecret),
  dateTime: dateTimeWriter(settings.dateTimeFormat, settings.timeZone),
});

/** The signatures of 20 products took a tenth of the time of their JSON, and neighbours are often of one material. */
function signer(secret: string): JsonContext['signatureOf'] {
  const signatures = new Cache<string>({
    name: 'signatures',
    maxBytes: 2 * 1024 ** 2,
    bytesOf: ({ length }) => length,
  });
  // Drafts are shown to their owner alone, too rarely to be cached
  return (filePath, draftItem) =>
    draftItem === undefined
      ? signatures.memo(filePath, () => signFilePath(filePath, secret))
      : signDraft(filePath, draftItem, secret);
}

/** A date that may be missing, as JSON. */
export const dateTimeJson = (at: Date | null, by: JsonContext): string =>
  at === null ? 'null' : `"${by.dateTime(at)}"`;
