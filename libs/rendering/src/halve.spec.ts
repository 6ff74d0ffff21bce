import { halve } from './halve.js';

describe('halve', () => {
  it('sets each pixel, including alpha, to the mean of the four that it covers', () => {
    const rgba = [
      [0, 10, 255, 255, 4, 10, 255, 255, 9, 9, 9, 9, 9, 9, 9, 9],
      [0, 20, 255, 0, 4, 20, 254, 0, 9, 9, 9, 9, 9, 9, 9, 9],
    ].flat();
    expect([...halve(Uint8Array.from(rgba), 4, 2)]).toEqual([2, 15, 255, 128, 9, 9, 9, 9]);
  });
});
