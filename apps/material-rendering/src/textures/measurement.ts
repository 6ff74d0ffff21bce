import type { StoredPart } from './metadata/stored-parts.js';
import type { PictureHeader } from './texture.js';

/** What goes to a decoding child process: measure a picture that nobody has looked at. */
export interface MeasureOrder {
  readonly kind: 'measure';
  /** Of the file: the process that decodes can read no file of clients. */
  readonly bytes: Buffer;
}

/** Decode a stored picture to one level of its pyramid, see `decodeLevel`. */
export interface LevelOrder {
  readonly kind: 'level';
  /** Of the file. */
  readonly bytes: Buffer;
  readonly edge: number;
}

/** Facts of a picture that was decoded to its last pixel. Pixels are counted after orientation. */
export interface Measured extends PictureHeader {
  readonly kind: 'measured';
  /** `#rrggbb`; null when nothing is visible. */
  readonly dominantRgb: string | null;
  /** What to store, without metadata; null: the file as it is. */
  readonly parts: readonly StoredPart[] | null;
}

export type Measurement =
  | Measured
  | { readonly kind: 'too-large'; readonly reason: string }
  | { readonly kind: 'not-decoded'; readonly reason: string };
