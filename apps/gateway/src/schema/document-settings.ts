import type { RateLimit } from '#contracts';
import type { ShapeSettings } from './shapes.js';

/** Settings of the installation that the API documents contain. */
export interface DocumentSettings extends ShapeSettings {
  /** Prefix of every path, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the configured rate limit of an operation; undefined without a limit. */
  readonly rateLimitOf: (operation: string) => RateLimit | undefined;
}
