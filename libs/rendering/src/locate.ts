/** Points of a level and their coverage, for a block of pixels of a plan. */
export interface Points {
  /** Coordinates in 1/256 of a pixel of the level. */
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** 0 outside of the ink, 1 inside, between them at an edge. */
  readonly coverage: Float64Array;
}

/** Finds the points of `count` pixels of a plan, from the pixel `first` on. */
export type Locate = (points: Points, first: number, count: number) => void;

export const clamp = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;
