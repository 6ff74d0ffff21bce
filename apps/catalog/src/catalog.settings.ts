import { type DateTimeFormat, type TaxPercent } from '#kernel';

/** What the catalogue's answers depend on, read once from the environment. The class is only the token. */
export abstract class CatalogSettings {
  /** Public address of the gateway, without a slash at the end. */
  abstract readonly baseUrl: string;
  abstract readonly taxPercent: TaxPercent;
  /** Key of the signatures in image URLs. */
  abstract readonly imageSigningSecret: string;
  /** Limit of the response cache. */
  abstract readonly cacheBytes: number;
  /** IANA name. */
  abstract readonly timeZone: string;
  abstract readonly dateTimeFormat: DateTimeFormat;
}
