import { type PyramidLevel } from './pyramid.js';

/** A stored, already checked picture. `hash` names its bytes for ever. */
export interface PrintTexture {
  readonly hash: string;
  /** Width / height of the upright picture. */
  aspect(): Promise<number>;
  /** See `decodeLevel`; whoever does it decides in which process. */
  decode(edge: number): Promise<PyramidLevel>;
}
