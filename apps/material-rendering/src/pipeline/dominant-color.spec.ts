import { dominantColor } from './dominant-color.js';
import { paintRaw } from './testing/test-card.js';

describe('the dominant colour', () => {
  it('is the very colour of a flat image', () => {
    expect(dominantColor(paintRaw(8, 8, () => [39, 75, 109, 255]))).toBe('#274b6d');
  });

  it('is the one that covers most', () => {
    expect(dominantColor(paintRaw(10, 10, (x) => (x < 0.4 ? [255, 0, 0, 255] : [0, 0, 255, 255])))).toBe('#0000ff');
  });

  it('counts what is half transparent half, and gives its colour in full', () => {
    const premultiplied = paintRaw(10, 10, (x) => (x < 0.6 ? [64, 0, 0, 64] : [0, 0, 255, 255]));
    expect(dominantColor(premultiplied)).toBe('#0000ff');
    expect(dominantColor(paintRaw(4, 4, () => [64, 0, 0, 64]))).toBe('#ff0000');
  });

  it('does not count what is transparent, and is none when nothing is visible', () => {
    expect(dominantColor(paintRaw(10, 10, (x) => (x < 0.9 ? [0, 0, 0, 0] : [10, 200, 30, 255])))).toBe('#0ac81e');
    expect(dominantColor(paintRaw(10, 10, () => [0, 0, 0, 0]))).toBeNull();
  });
});
