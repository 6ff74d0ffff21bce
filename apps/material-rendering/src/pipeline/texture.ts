/** A material scaled to one size: RGBA bytes, colours multiplied by alpha, so that they can be averaged as they are. */
export interface PyramidLevel {
  /** The rung of the ladder; the pixels of a small original may be fewer. */
  readonly edge: number;
  readonly width: number;
  readonly height: number;
  /** Width / height of the original: the level's own are rounded. */
  readonly aspect: number;
  readonly data: Buffer;
}

/** A stored, already checked image. `hash` names its bytes for ever. */
export interface PrintTexture {
  readonly hash: string;
  /** Width / height of the upright image. */
  aspect(): Promise<number>;
  /** See `decodeLevel`; whoever does it decides in which process. */
  decode(edge: number): Promise<PyramidLevel>;
}
