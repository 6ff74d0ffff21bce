import { backgroundRgb, glossTable, litTable, type Rgb } from '#rendering/light.js';
import { masterSide } from '../bundle/uv-grid.js';
import { measureColor, separateLight } from './light.js';
import { fillPolygon } from './polygon.js';

const side = masterSide;
const item = fillPolygon(
  [
    { x: 300, y: 200 },
    { x: 900, y: 200 },
    { x: 900, y: 1_000 },
    { x: 300, y: 1_000 },
  ],
  side,
);

/** Shade with folds, and a highlight, as a photo would show them on a color. */
const shadeAt = (x: number): number => Math.round(170 + 25 * Math.sin(x / 40));
const glossAt = (x: number, y: number): number =>
  Math.round(120 * Math.exp(-((x - 600) ** 2 + (y - 500) ** 2) / 8_000));

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
    [400, 300],
    [560, 520],
    [600, 500],
    [700, 800],
    [850, 900],
  ] as const;

  const teal: Rgb = [30, 140, 150];
  const tealPhoto = photoOf(teal);

  it('is divided into shade and gloss by the channels of a color', () => {
    const { shade, gloss } = separateLight({ rgb: tealPhoto, color: teal, mask: item, background: 'photo' });
    for (const [x, y] of positions) {
      expect(Math.abs(at(shade, x, y) - shadeAt(x))).toBeLessThan(5);
      expect(Math.abs(at(gloss, x, y) - glossAt(x, y))).toBeLessThan(8);
    }
    expect(at(gloss, 100, 600)).toBe(0);
    expect(Math.abs(at(shade, 100, 600) - 191)).toBeLessThan(2);
  });

  it('of a white blank has the folds in shade, and gloss where it is brighter than full light', () => {
    const color: Rgb = [200, 200, 200];
    const { shade, gloss } = separateLight({ rgb: photoOf(color), mask: item, color, background: 'photo' });
    for (const [x, y] of [positions[0], positions[3], positions[4]])
      expect(Math.abs(at(shade, x, y) - shadeAt(x))).toBeLessThan(5);
    expect(at(gloss, 600, 500)).toBeGreaterThan(at(gloss, 400, 300) + 10);
    expect(at(gloss, 400, 300)).toBeLessThan(14);
  });

  it('of the background is that of the wall, unless the photo is wanted', () => {
    const color: Rgb = [200, 200, 200];
    const dark = photoOf(color).map((value, i) => (item[Math.floor(i / 3)] === 255 ? value : value * 0.7));
    const planes = { rgb: dark, mask: item, color } as const;
    expect(Math.abs(at(separateLight({ ...planes, background: 'wall' }).shade, 100, 100) - 191)).toBeLessThan(2);
    expect(Math.abs(at(separateLight({ ...planes, background: 'photo' }).shade, 100, 100) - 134)).toBeLessThan(3);
  });

  it('shows no rim of a dark blank around the item', () => {
    const { shade } = separateLight({
      rgb: tealPhoto,
      mask: item.map((value, i) => item[i + 2] ?? value),
      color: teal,
      background: 'photo',
    });
    // The mask is two pixels beside the item: shade changes from 191 to that of the item only
    for (let x = 290; x < 310; x++) expect(at(shade, x, 600)).toBeGreaterThan(130);
  });

  it('measures the color where it is lit, below highlights', () => {
    const [red, green, blue] = measureColor(tealPhoto, item);
    expect(Math.abs(red - 30)).toBeLessThan(25);
    expect(Math.abs(green - 140)).toBeLessThan(12);
    expect(Math.abs(blue - 150)).toBeLessThan(12);
  });
});
