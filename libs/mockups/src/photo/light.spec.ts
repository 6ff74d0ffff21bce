import { backgroundRgb, glossTable, litTable, type Rgb } from '#rendering/light.js';
import { measureColor, separateLight } from './light.js';
import { fillPolygon } from './polygon.js';

/** A quarter of the edge of a master, so that few pixels are computed. */
const side = 300;
const item = fillPolygon(
  [
    { x: 75, y: 50 },
    { x: 225, y: 50 },
    { x: 225, y: 250 },
    { x: 75, y: 250 },
  ],
  side,
);

/** Shade with folds, and a highlight, as a photo would show them on a color. */
const shadeAt = (x: number): number => Math.round(170 + 25 * Math.sin(x / 10));
const glossAt = (x: number, y: number): number => Math.round(120 * Math.exp(-((x - 150) ** 2 + (y - 125) ** 2) / 500));

function photoOf(color: Rgb): Uint8Array {
  const rgb = new Uint8Array(3 * side * side);
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [i % side, Math.floor(i / side)];
    const isItem = item[i] === 255;
    for (let c = 0; c < 3; c++) {
      const lit = litTable[((isItem ? shadeAt(x) : 191) << 8) | (isItem ? color : backgroundRgb)[c]!]!;
      rgb[3 * i + c] = glossTable[((isItem ? glossAt(x, y) : 0) << 8) | lit]!;
    }
  }
  return rgb;
}

const at = (plane: Uint8Array, x: number, y: number): number => plane[y * side + x]!;

describe('light of a photographed blank', () => {
  const positions = [
    [100, 75],
    [140, 130],
    [150, 125],
    [175, 200],
    [212, 225],
  ] as const;

  const teal: Rgb = [30, 140, 150];
  const tealPhoto = photoOf(teal);

  it('is divided into shade and gloss by the channels of a color', () => {
    const { shade, gloss } = separateLight({ side, rgb: tealPhoto, color: teal, mask: item, background: 'photo' });
    for (const [x, y] of positions) {
      expect(Math.abs(at(shade, x, y) - shadeAt(x))).toBeLessThan(5);
      expect(Math.abs(at(gloss, x, y) - glossAt(x, y))).toBeLessThan(8);
    }
    expect(at(gloss, 25, 150)).toBe(0);
    expect(Math.abs(at(shade, 25, 150) - 191)).toBeLessThan(2);
  });

  it('of a white blank has the folds in shade, and gloss where it is brighter than full light', () => {
    const color: Rgb = [200, 200, 200];
    const { shade, gloss } = separateLight({ side, rgb: photoOf(color), mask: item, color, background: 'photo' });
    for (const [x, y] of [positions[0], positions[3], positions[4]])
      expect(Math.abs(at(shade, x, y) - shadeAt(x))).toBeLessThan(5);
    expect(at(gloss, 150, 125)).toBeGreaterThan(at(gloss, 100, 75) + 10);
    expect(at(gloss, 100, 75)).toBeLessThan(14);
  });

  it('of the background is that of the wall, unless the photo is wanted', () => {
    const color: Rgb = [200, 200, 200];
    const dark = photoOf(color).map((value, i) => (item[Math.floor(i / 3)] === 255 ? value : value * 0.7));
    const planes = { side, rgb: dark, mask: item, color } as const;
    expect(Math.abs(at(separateLight({ ...planes, background: 'wall' }).shade, 25, 25) - 191)).toBeLessThan(2);
    expect(Math.abs(at(separateLight({ ...planes, background: 'photo' }).shade, 25, 25) - 134)).toBeLessThan(3);
  });

  it('shows no rim of a dark blank around the item', () => {
    const { shade } = separateLight({
      side,
      rgb: tealPhoto,
      mask: item.map((value, i) => item[i + 2] ?? value),
      color: teal,
      background: 'photo',
    });
    // The mask is two pixels beside the item: shade changes from 191 to that of the item only
    for (let x = 65; x < 85; x++) expect(at(shade, x, 150)).toBeGreaterThan(130);
  });

  it('measures the color where it is lit, below highlights', () => {
    const [red, green, blue] = measureColor(tealPhoto, item);
    expect(Math.abs(red - 30)).toBeLessThan(25);
    expect(Math.abs(green - 140)).toBeLessThan(12);
    expect(Math.abs(blue - 150)).toBeLessThan(12);
  });
});
