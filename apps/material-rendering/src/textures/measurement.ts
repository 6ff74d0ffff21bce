import type { PictureHeader } from './texture.js';

/** What goes to a decoding child process: measure a picture that nobody has looked at. */
export interface MeasureOrder {
  readonly kind: 'measure';
  /** Of the file: its bytes would take 13 ms to get from one process to the other when it has 11 MB. */
  readonly path: string;
}

/** Decode a stored picture to one level of its pyramid, see `decodeLevel`. */
export interface LevelOrder {
  readonly kind: 'level';
  /** Of the file. */
  readonly path: string;
  readonly edge: number;
}

/** Facts of a picture that was decoded to its last pixel. Pixels are counted after orientation. */
export interface Measured extends PictureHeader {
  readonly kind: 'measured';
  /** `#rrggbb`; null when nothing is visible. */
  readonly dominantRgb: string | null;
}

export type Measurement =
  | Measured
  | { readonly kind: 'too-large'; readonly reason: string }
  | { readonly kind: 'not-decoded'; readonly reason: string };
