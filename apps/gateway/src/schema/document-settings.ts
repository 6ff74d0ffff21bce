import type { RateLimit } from '#contracts';
import type { DateTimeFormat } from './shapes.js';

/** What the documents say of this installation. */
export interface DocumentSettings {
  /** In front of every path; without a slash at its end. */
  readonly baseUrl: string;
  readonly dateTimeFormat: DateTimeFormat;
  /** The limit in force for an operation; undefined where there is none. */
  readonly rateLimitOf: (operation: string) => RateLimit | undefined;
}
