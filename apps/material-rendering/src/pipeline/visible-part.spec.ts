import { visiblePart } from './visible-part.js';

/** An image of 6 x 5 pixels that are not visible, although they are white, but for those at `places`. */
function image(places: readonly (readonly [x: number, y: number, alpha: number])[]): Uint8Array {
  const pixels = new Uint8Array(4 * 6 * 5).fill(255).map((value, at) => (at % 4 === 3 ? 0 : value));
  for (const [x, y, alpha] of places) pixels[4 * (6 * y + x) + 3] = alpha;
  return pixels;
}

describe('the visible part of an image', () => {
  it.each([
    ['one pixel', [[3, 2, 255]], { left: 3, top: 2, width: 1, height: 1 }],
    [
      'two that are hardly visible',
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
    ['nothing: the whole', [], { left: 0, top: 0, width: 6, height: 5 }],
  ] as const)('holds %s', (_what, places, part) => {
    expect(visiblePart(image(places), 6, 5)).toEqual(part);
  });
});
