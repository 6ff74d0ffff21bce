import { visiblePart } from './visible-part.js';

/** Returns an image of 6 x 5 white, transparent pixels, except those at `places`. */
function image(places: readonly (readonly [x: number, y: number, alpha: number])[]): Uint8Array {
  const pixels = new Uint8Array(4 * 6 * 5).fill(255).map((value, at) => (at % 4 === 3 ? 0 : value));
  for (const [x, y, alpha] of places) pixels[4 * (6 * y + x) + 3] = alpha;
  return pixels;
}

describe('visiblePart', () => {
  it.each([
    ['one pixel', [[3, 2, 255]], { left: 3, top: 2, width: 1, height: 1 }],
    [
      'two pixels that are hardly visible',
      [
        [1, 3, 1],
        [4, 1, 1],
      ],
      { left: 1, top: 1, width: 4, height: 3 },
    ],
    [
      'two corners',
      [
        [5, 0, 9],
        [0, 4, 9],
      ],
      { left: 0, top: 0, width: 6, height: 5 },
    ],
    ['the whole image without visible pixels', [], { left: 0, top: 0, width: 6, height: 5 }],
  ] as const)('contains %s', (_what, places, part) => {
    expect(visiblePart(image(places), 6, 5)).toEqual(part);
  });
});
