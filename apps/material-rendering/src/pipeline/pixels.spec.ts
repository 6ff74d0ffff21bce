import { borrowPixels, giveBackPixels } from './pixels.js';

const mebibyte = 1024 * 1024;

describe('borrowed pixels', () => {
  it('are lent to one image at a time, and again when they came back', () => {
    const [one, other] = [borrowPixels(300), borrowPixels(300)];
    expect(other).not.toBe(one);
    giveBackPixels(one);
    expect(borrowPixels(600)).not.toBe(one);
    expect(borrowPixels(300)).toBe(one);
  });

  it('cannot be given back twice', () => {
    const pixels = borrowPixels(301);
    giveBackPixels(pixels);
    giveBackPixels(pixels);
    expect(borrowPixels(301)).toBe(pixels);
    expect(borrowPixels(301)).not.toBe(pixels);
  });

  it('do not take in what belongs to somebody else', () => {
    const blank = Buffer.alloc(302);
    giveBackPixels(blank);
    expect(borrowPixels(302)).not.toBe(blank);
  });

  it('are kept up to 8 MiB, and the oldest is let go', () => {
    const [first, second, third] = [3, 3, 3].map((size, i) => borrowPixels(size * mebibyte + i));
    for (const pixels of [first!, second!, third!]) giveBackPixels(pixels);
    expect(borrowPixels(third!.length)).toBe(third);
    expect(borrowPixels(second!.length)).toBe(second);
    expect(borrowPixels(first!.length)).not.toBe(first);
  });

  it('are not kept at all when they are too large, and push no others out', () => {
    const [small, large] = [borrowPixels(mebibyte), borrowPixels(9 * mebibyte)];
    giveBackPixels(small);
    giveBackPixels(large);
    expect(borrowPixels(small.length)).toBe(small);
    expect(borrowPixels(large.length)).not.toBe(large);
  });
});
