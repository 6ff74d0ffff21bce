import { type ResizeMode } from '#contracts';
import { fit } from '#placement';

/**
 * Scale of a print around the centre of its area (1 = as fitted), then its shift right and down in
 * fractions of the area.
 */
export interface Adjustment {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const unadjusted: Adjustment = { scale: 1, x: 0, y: 0 };

const pattern = /^(\d{1,4}\.\d{1,5})([+-]\d{1,4}\.\d{1,5})([+-]\d{1,4}\.\d{1,5})$/;

/** Parses `{scale}{+-x}{+-y}`, such as `0.4736+0.0-0.25`. Returns null for another text. */
export function parseAdjustment(text: string): Adjustment | null {
  const parts = pattern.exec(text);
  return parts && { scale: Number(parts[1]), x: Number(parts[2]), y: Number(parts[3]) };
}

/**
 * Rectangle in print coordinates: the print area is 0..1 along both axes, u to the right and v
 * down.
 */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Print that is parallel to its area. */
export interface UprightPrint {
  /** Edges of the artwork. */
  readonly artwork: Rectangle;
  /**
   * Limits of the ink. On an all-over item a side that reaches the edge of the area is infinite:
   * there the outline of the item limits the ink, and another edge would cause a white rim.
   */
  readonly ink: Rectangle;
}

export interface PrintShape {
  /** Width / height of the print area. */
  readonly areaAspect: number;
  /** Width / height of the artwork. */
  readonly artworkAspect: number;
  readonly cover: boolean;
}

/**
 * Places the artwork: `contain` fits it into the area; `cover` fills the area and crops the artwork
 * at its edges.
 */
export function place(shape: PrintShape, mode: ResizeMode, { scale, x, y }: Adjustment): UprightPrint {
  const fitted = fit(shape.artworkAspect, shape.areaAspect, mode);
  const [width, height] = [scale * fitted.width, scale * fitted.height];
  const left = 0.5 + x - width / 2;
  const top = 0.5 + y - height / 2;
  return limitInk({ left, top, right: left + width, bottom: top + height }, shape.cover);
}

/** Adds the limits of the ink to artwork that is parallel to the area. */
export function limitInk(artwork: Rectangle, cover: boolean): UprightPrint {
  const start = (edge: number): number => (edge > 1e-6 ? edge : cover ? -Infinity : 0);
  const end = (edge: number): number => (edge < 1 - 1e-6 ? edge : cover ? Infinity : 1);
  const { left, top, right, bottom } = artwork;
  return { artwork, ink: { left: start(left), top: start(top), right: end(right), bottom: end(bottom) } };
}
