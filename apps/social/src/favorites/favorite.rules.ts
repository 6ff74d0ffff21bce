/**
 * Position of a favorite's stamp on the product's image, as shares of width and height, and its
 * rotation in degrees.
 */
export interface Stamp {
  readonly x: number;
  readonly y: number;
  readonly rotation: number;
}

const thousandths = (share: number): number => Math.round(share * 1000) / 1000;

/**
 * Draws a random stamp: `x` and `y` from 0 to 1 with three decimals, `rotation` a whole number from
 * -30 to 30. A favorite gets its stamp once, when it is created.
 *
 * @param random returns a number from 0 up to, not including, 1; called three times
 */
export const drawStamp = (random: () => number): Stamp => ({
  x: thousandths(random()),
  y: thousandths(random()),
  rotation: Math.floor(random() * 61) - 30,
});
