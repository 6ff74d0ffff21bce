import { type Matrix } from '#contracts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the image of a point. */
export const apply = ([a, b, c, d, e, f]: Matrix, { x, y }: Point): Point => ({
  x: a * x + c * y + e,
  y: b * x + d * y + f,
});

/** Returns the matrix that first applies `first`, then `second`. */
export function compose([a, b, c, d, e, f]: Matrix, [p, q, r, s, t, u]: Matrix): Matrix {
  return [p * a + r * b, q * a + s * b, p * c + r * d, q * c + s * d, p * e + r * f + t, q * e + s * f + u];
}

/** Returns the inverse of a matrix whose determinant is not 0. */
export function invert([a, b, c, d, e, f]: Matrix): Matrix {
  const determinant = a * d - b * c;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

export const scaling = (x: number, y: number): Matrix => [x, 0, 0, y, 0, 0];
