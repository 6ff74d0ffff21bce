import { type DateTimeFormat, type TaxPercent } from '#kernel';

/**
 * Settings of the catalog's responses, read once from the environment. The class is abstract and
 * serves as injection token.
 */
export abstract class CatalogSettings {
  /** Public URL of the gateway, without a trailing slash. */
  abstract readonly baseUrl: string;
  abstract readonly taxPercent: TaxPercent;
  /** Key of the signatures in image URLs. */
  abstract readonly imageSigningSecret: string;
  /** Limit of the response cache. */
  abstract readonly cacheBytes: number;
  /** IANA time zone name. */
  abstract readonly timeZone: string;
  abstract readonly dateTimeFormat: DateTimeFormat;
}
