import type { RateLimit } from '#contracts';
import type { ShapeSettings } from './shapes.js';

/** What the documents say of this installation. */
export interface DocumentSettings extends ShapeSettings {
  /** In front of every path; without a slash at its end. */
  readonly baseUrl: string;
  /** The limit in force for an operation; undefined where there is none. */
  readonly rateLimitOf: (operation: string) => RateLimit | undefined;
}
