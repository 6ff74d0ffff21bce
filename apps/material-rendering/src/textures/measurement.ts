import type { PictureHeader } from './texture.js';

/** What goes to the decoding child process. */
export interface MeasureOrder {
  readonly bytes: Uint8Array;
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
