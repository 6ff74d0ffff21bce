/**
 * Weights of the four pixels around a position by Catmull-Rom (bicubic) interpolation.
 *
 * @param t distance from the second pixel, 0 to 1
 */
export const firstWeight = (t: number): number => ((2 - t) * t - 1) * t * 0.5;
export const secondWeight = (t: number): number => ((3 * t - 5) * t * t + 2) * 0.5;
export const thirdWeight = (t: number): number => ((4 - 3 * t) * t + 1) * t * 0.5;
export const fourthWeight = (t: number): number => (t - 1) * t * t * 0.5;
