/** Texture scaled to one size: RGBA bytes, premultiplied, so that they can be averaged directly. */
export interface PyramidLevel {
  /** Nominal long edge. A small original has fewer pixels. */
  readonly edge: number;
  readonly width: number;
  readonly height: number;
  /** Width / height of the original, because those of the level are rounded. */
  readonly aspect: number;
  readonly data: Buffer;
}

/** Stored, validated image. `hash` identifies its bytes permanently. */
export interface PrintTexture {
  readonly hash: string;
  /** Width / height of the upright image. */
  aspect(): Promise<number>;
  /** Decodes one level, see `decodeLevel`. The implementation decides in which process. */
  decode(edge: number): Promise<PyramidLevel>;
}
