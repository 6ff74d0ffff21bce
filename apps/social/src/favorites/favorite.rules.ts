/** Where the stamp of a favorite lands on the product's image: a share of width and height, and degrees. */
export interface Stamp {
  readonly x: number;
  readonly y: number;
  readonly rotation: number;
}

const thousandths = (share: number): number => Math.round(share * 1000) / 1000;

/**
 * Draws a stamp: `x` and `y` from 0 to 1 with three decimals, `rotation` a whole number from -30 to 30. It is drawn
 * once, when the favorite is made.
 *
 * @param random a number from 0 up to, not including, 1; asked three times
 */
export const drawStamp = (random: () => number): Stamp => ({
  x: thousandths(random()),
  y: thousandths(random()),
  rotation: Math.floor(random() * 61) - 30,
});
