import { enlarge } from './enlarge.js';

describe('enlarge', () => {
  it('returns an image of the same size unchanged', () => {
    const grey = Buffer.from([0, 50, 200, 255]);
    expect(enlarge(grey, 2, 2).equals(grey)).toBe(true);
  });

  it('does not change the color of an image of one color', () => {
    expect(new Set(enlarge(Buffer.alloc(25, 77), 5, 16))).toEqual(new Set([77]));
  });

  it.each([
    ['the right', (x: number) => x],
    ['the bottom', (_: number, y: number) => y],
  ])('interpolates a gradient to %s without a shift', (_, rise) => {
    const grey = Uint8Array.from({ length: 400 }, (_, i) => 10 * rise((i % 20) + 0.5, Math.floor(i / 20) + 0.5));
    const enlarged = enlarge(grey, 20, 50);
    for (let i = 0; i < 2_500; i++) {
      const place: number = rise(((i % 50) + 0.5) / 2.5, (Math.floor(i / 50) + 0.5) / 2.5);
      if (place < 2 || place > 18) continue;
      expect(Math.abs(enlarged[i]! - 10 * place)).toBeLessThanOrEqual(0.51);
    }
  });

  it('clamps values to 0..255 at a hard edge', () => {
    const enlarged = enlarge(
      Uint8Array.from({ length: 64 }, (_, i) => (i % 8 < 4 ? 0 : 255)),
      8,
      40,
    );
    expect([enlarged[0], enlarged[39]]).toEqual([0, 255]);
    for (let x = 1; x < 40; x++) expect(enlarged[x]!).toBeGreaterThanOrEqual(enlarged[x - 1]!);
  });
});
