import { glossTable } from './light.js';
import { place, unadjusted, type Adjustment } from './placement.js';
import { type Plan } from './plan.js';
import { type PyramidLevel } from './texture.js';
import { levelOf, sheet } from './testing/test-card.js';
import { warp } from './warp.js';

function print(plan: Plan, level: PyramidLevel, adjustment: Adjustment = unadjusted): Uint8Array {
  const shape = { areaAspect: 1, artworkAspect: 1, cover: plan.layer.cover };
  return warp(plan, level, place(shape, plan.layer.cover ? 'cover' : 'contain', adjustment)).rgba;
}

const pixel = (rgba: Uint8Array, index: number): number[] => [...rgba.subarray(4 * index, 4 * index + 4)];

describe('warp', () => {
  it('returns an image of the same size unchanged', () => {
    const level = levelOf(64, (x, y) => [255 * x, 255 * y, 128, 255]);
    const rgba = print(sheet(64, { cover: true }), level);
    expect(Buffer.from(rgba).equals(level.data)).toBe(true);
  });

  it.each([31, 64, 200])('samples the artwork at the print coordinates of each pixel, from %d pixels', (edge) => {
    const rgba = print(
      sheet(97, { cover: true }),
      levelOf(edge, (x, y) => [255 * x, 255 * y, 0, 255]),
    );
    let worst = 0;
    for (let i = 0; i < 97 * 97; i++) {
      const [x, y] = [((i % 97) + 0.5) / 97, (Math.floor(i / 97) + 0.5) / 97];
      if (Math.min(x, 1 - x, y, 1 - y) < 0.5 / edge) continue;
      worst = Math.max(worst, Math.abs(rgba[4 * i]! - 255 * x), Math.abs(rgba[4 * i + 1]! - 255 * y));
    }
    // Tolerance for rounding of the artwork, the weights and the result
    expect(worst).toBeLessThan(1.6);
  });

  it('prints nothing outside the artwork, and antialiases its edge over one pixel', () => {
    const black = levelOf(32, () => [0, 0, 0, 255]);
    // The edge at 0.25 of 40 pixels lies exactly between pixels 9 and 10
    const rgba = print(sheet(40), black, { scale: 0.5, x: 0, y: 0 });
    const row = Array.from({ length: 40 }, (_, x) => rgba[4 * (20 * 40 + x) + 3]);
    expect(row.slice(8, 12)).toEqual([0, 0, 255, 255]);
    const moved = print(sheet(40), black, { scale: 0.5, x: 0.5 / 40, y: 0 });
    const movedRow = Array.from({ length: 4 }, (_, x) => moved[4 * (20 * 40 + x + 8) + 3]!);
    expect(movedRow.map((alpha) => Math.round(alpha / 10))).toEqual([0, 0, 13, 26]);
  });

  it('prints outside the area only on an all-over item', () => {
    const beyond = { pixels: Uint32Array.of(0), u: Float32Array.of(-0.1), v: Float32Array.of(0.5) };
    const level = levelOf(8, () => [10, 20, 30, 255]);
    expect(pixel(print(sheet(8, { ...beyond, cover: true }), level), 0)).toEqual([10, 20, 30, 255]);
    expect(pixel(print(sheet(8, beyond), level), 0)).toEqual([0, 0, 0, 0]);
  });

  it('repeats the edge of the area outside it, even when the artwork is larger', () => {
    const plan = sheet(1, { cover: true, u: Float32Array.of(-0.1), v: Float32Array.of(0.5) });
    // The artwork has twice the size of the area, whose left edge crops it at a quarter
    const rgba = print(
      plan,
      levelOf(256, (x) => [255 * x, 0, 0, 255]),
      { scale: 2, x: 0, y: 0 },
    );
    expect(Math.abs(rgba[0]! - 64)).toBeLessThanOrEqual(1);
  });

  it('multiplies colors by shade and adds gloss', () => {
    const plan = sheet(1, { cover: true, shade: Buffer.of(100), gloss: Buffer.of(50) });
    const level = levelOf(1, () => [200, 100, 0, 255]);
    expect(pixel(print(plan, level), 0)).toEqual([...[100, 50, 0].map((lit) => glossTable[(50 << 8) | lit]), 255]);
  });

  it('applies gloss to the color of half-transparent artwork before it is premultiplied', () => {
    const plan = sheet(1, { cover: true, gloss: Buffer.of(100) });
    const [whole, half] = [levelOf(1, () => [200, 0, 0, 255]), levelOf(1, () => [100, 0, 0, 128])];
    const [red, halfRed] = [print(plan, whole), print(plan, half)];
    for (let c = 0; c < 4; c++) expect(Math.abs(halfRed[c]! - red[c]! / 2)).toBeLessThanOrEqual(1);
  });

  it('mixes the background into ink on the outline, so that no item color is visible', () => {
    const rgba = print(
      sheet(1, { cover: true, mask: Buffer.of(51) }),
      levelOf(1, () => [0, 0, 0, 255]),
    );
    // 80 % of the background's 246, 246, 244
    expect(pixel(rgba, 0)).toEqual([197, 197, 195, 255]);
  });

  it('limits ink to the part of the item that carries it', () => {
    const level = levelOf(1, () => [0, 0, 0, 255]);
    const coverage = (ink: number, mask: number): number =>
      pixel(print(sheet(1, { cover: true, mask: Buffer.of(mask), ink: Buffer.of(ink) }), level), 0)[3]!;
    expect([coverage(255, 255), coverage(51, 255), coverage(51, 102), coverage(102, 102)]).toEqual([255, 51, 128, 255]);
  });
});
