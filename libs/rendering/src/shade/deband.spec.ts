import { deband, dither } from './deband.js';

const edge = 600;
const wall = new Uint8Array(edge * edge);

/** Returns an image of a function of x and y. */
const image = (value: (x: number, y: number) => number): Uint8Array =>
  Uint8Array.from({ length: edge * edge }, (_, i) => value(i % edge, Math.floor(i / edge)));

/** A shadow that loses 60 levels, of which the file has every second. */
const smooth = (x: number): number => 190 - x / 10;
const stairs = image((x) => 2 * Math.round(smooth(x) / 2));

describe('deband', () => {
  it('halves the error of a staircase, and more', () => {
    const light = deband(stairs, wall, edge);
    const error = (values: ArrayLike<number>): number => {
      let sum = 0;
      for (let x = 30; x < edge - 30; x++) sum += Math.abs(values[300 * edge + x]! - smooth(x));
      return sum;
    };
    expect(error(light)).toBeLessThan(0.5 * error(stairs));
  });

  it('corrects a bend by a smaller square, not by none', () => {
    const light = deband(
      image((x) => 150 + Math.abs(x - 300) / 2),
      wall,
      edge,
    );
    // The mean of the whole square is 3.75 higher, more than the limit
    expect(light[300 * edge + 300]! - 150).toBeGreaterThan(1);
    expect(light[300 * edge + 300]! - 150).toBeLessThanOrEqual(2.5);
  });

  it.each([
    ['an edge', image((x) => (x < 120 ? 190 : 160)), wall],
    ['the item', stairs, new Uint8Array(edge * edge).fill(255)],
  ])('does not change %s', (_, shade, mask) => {
    // Not toEqual, which needs minutes to print the difference
    expect(deband(shade, mask, edge).findIndex((value, i) => value !== shade[i])).toBe(-1);
  });

  it('does not mix the wall with an item of nearly the same light', () => {
    const light = deband(
      image((x) => (x < 120 ? 190 : 192)),
      Uint8Array.from(wall, (_, i) => (i % edge < 120 ? 0 : 255)),
      edge,
    );
    expect(light[300 * edge + 118]).toBe(190);
  });
});

describe('dither', () => {
  it.each([0, 0.25, 0.5, 254.9])('has the mean of %d over 8 x 8 pixels', (value) => {
    const bytes = dither(new Float32Array(64).fill(value), 8);
    const mean = bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length;
    expect(Math.abs(mean - value)).toBeLessThan(0.01);
    expect(new Set(bytes).size).toBeLessThanOrEqual(2);
  });

  it('does not change whole numbers, and clamps light above 255', () => {
    expect(dither(Float32Array.of(0, 7, 255, 300), 2)).toEqual(Buffer.of(0, 7, 255, 255));
  });
});
