import { dominantColor } from './dominant-color.js';
import { paintRaw } from './testing/test-card.js';

describe('dominantColor', () => {
  it('returns the exact color of an image of one color', () => {
    expect(dominantColor(paintRaw(8, 8, () => [39, 75, 109, 255]))).toBe('#274b6d');
  });

  it('returns the color that covers most of the image', () => {
    expect(dominantColor(paintRaw(10, 10, (x) => (x < 0.4 ? [255, 0, 0, 255] : [0, 0, 255, 255])))).toBe('#0000ff');
  });

  it('weights pixels by their alpha, and returns their color before premultiplication', () => {
    const premultiplied = paintRaw(10, 10, (x) => (x < 0.6 ? [64, 0, 0, 64] : [0, 0, 255, 255]));
    expect(dominantColor(premultiplied)).toBe('#0000ff');
    expect(dominantColor(paintRaw(4, 4, () => [64, 0, 0, 64]))).toBe('#ff0000');
  });

  it('ignores transparent pixels, and returns null when no pixel is visible', () => {
    expect(dominantColor(paintRaw(10, 10, (x) => (x < 0.9 ? [0, 0, 0, 0] : [10, 200, 30, 255])))).toBe('#0ac81e');
    expect(dominantColor(paintRaw(10, 10, () => [0, 0, 0, 0]))).toBeNull();
  });
});
