import { Cache } from '#cache';
import { signDraft, signFilePath } from '#contracts';
import { dateTimeWriter, type TaxPercent } from '#kernel';
import { type CatalogSettings } from './catalog.settings.js';

/** Settings and functions that JSON of any row depends on. */
export interface JsonContext {
  readonly baseUrl: string;
  readonly taxPercent: TaxPercent;
  /**
   * Returns the signature for image URLs of a material; with `draftItem`, the signature for images
   * of the material's unpublished product of that item.
   */
  readonly signatureOf: (filePath: string, draftItem?: string) => string;
  readonly dateTime: (at: Date) => string;
}

export const jsonContextOf = (settings: CatalogSettings): JsonContext => ({
  baseUrl: settings.baseUrl,
  taxPercent: settings.taxPercent,
  signatureOf: signer(settings.imageSigningSecret),
  dateTime: dateTimeWriter(settings.dateTimeFormat, settings.timeZone),
});

/**
 * Returns a signing function that caches signatures: signing took a tenth of the time needed for
 * the JSON of 20 products, and adjacent products of a list often share a material.
 */
function signer(secret: string): JsonContext['signatureOf'] {
  const signatures = new Cache<string>({
    name: 'signatures',
    maxBytes: 2 * 1024 ** 2,
    bytesOf: ({ length }) => length,
  });
  // Only owners see drafts, too rarely to cache their signatures
  return (filePath, draftItem) =>
    draftItem === undefined
      ? signatures.memo(filePath, () => signFilePath(filePath, secret))
      : signDraft(filePath, draftItem, secret);
}

/** Returns a date as JSON, `null` if it is missing. */
export const dateTimeJson = (at: Date | null, context: JsonContext): string =>
  at === null ? 'null' : `"${context.dateTime(at)}"`;
