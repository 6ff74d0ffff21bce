import { acquirePixels, releasePixels } from './pixel-pool.js';

const mebibyte = 1024 * 1024;

describe('pixel pool', () => {
  it('lends a buffer to one image at a time, and again after its release', () => {
    const [one, other] = [acquirePixels(300), acquirePixels(300)];
    expect(other).not.toBe(one);
    releasePixels(one);
    expect(acquirePixels(600)).not.toBe(one);
    expect(acquirePixels(300)).toBe(one);
  });

  it('ignores a second release of a buffer', () => {
    const pixels = acquirePixels(301);
    releasePixels(pixels);
    releasePixels(pixels);
    expect(acquirePixels(301)).toBe(pixels);
    expect(acquirePixels(301)).not.toBe(pixels);
  });

  it('ignores the release of a buffer that is not from the pool', () => {
    const blank = Buffer.alloc(302);
    releasePixels(blank);
    expect(acquirePixels(302)).not.toBe(blank);
  });

  it('holds up to 8 MiB and drops the buffer that was released first', () => {
    const [first, second, third] = [3, 3, 3].map((size, i) => acquirePixels(size * mebibyte + i));
    for (const pixels of [first!, second!, third!]) releasePixels(pixels);
    expect(acquirePixels(third!.length)).toBe(third);
    expect(acquirePixels(second!.length)).toBe(second);
    expect(acquirePixels(first!.length)).not.toBe(first);
  });

  it('drops a buffer larger than the pool without evicting others', () => {
    const [small, large] = [acquirePixels(mebibyte), acquirePixels(9 * mebibyte)];
    releasePixels(small);
    releasePixels(large);
    expect(acquirePixels(small.length)).toBe(small);
    expect(acquirePixels(large.length)).not.toBe(large);
  });
});
