import { join } from 'node:path';
import { type PlacementInput } from '#contracts';
import { placeArtwork } from '#placement';
import { paintPng } from '../testing/test-card.js';
import { sharp } from '#images';
import { cmykTable } from './cmyk-table.js';
import { convertColors } from './color-table.js';
import { pixelGrid, type PrintArea } from './print-area.js';
import { rasterize } from './raster.js';
import {
  artworkSize,
  dotArtwork,
  dotPlace,
  inkCentre,
  pixelsOf,
  placedIn,
  profilesFolder,
  sourceOf,
} from './testing/print-files.js';

const profile = join(profilesFolder, 'fogra39l.icc');
const sheet: PrintArea = { area: { width: 60, height: 50 }, bleed: 0, dpi: 150, mirror: false, colorSpace: 'rgb' };
const withBleed: PrintArea = { ...sheet, bleed: 5 };

const draw = async (bytes: Buffer, print: PrintArea, placed = placedIn(print)) => {
  const raster = await rasterize(await sourceOf(bytes), placed, print, profile);
  return { raster, pixels: pixelsOf(raster) };
};

/** Opaque artwork of one color. */
const plain = (red: number, green: number, blue: number, alpha = 255): Promise<Buffer> =>
  paintPng(artworkSize.width, artworkSize.height, () => [red, green, blue, alpha]);

describe('pixelGrid', () => {
  it.each([
    [
      { area: { width: 25.4, height: 50.8 }, bleed: 0 },
      { width: 150, height: 300 },
    ],
    [
      { area: { width: 25.4, height: 50.8 }, bleed: 2.54 },
      { width: 180, height: 330 },
    ],
    [
      { area: { width: 25.5, height: 50.9 }, bleed: 0 },
      { width: 151, height: 301 },
    ],
    // 195.00000000000003 pixels in floating point
    [
      { area: { width: 33.02, height: 50.8 }, bleed: 0 },
      { width: 195, height: 300 },
    ],
  ])('covers area and bleed: %j', (area, size) => {
    expect(pixelGrid({ ...sheet, ...area })).toEqual({ ...size, pitch: 25.4 / 150 });
  });
});

describe('rasterize', () => {
  it.each<[string, PrintArea, PlacementInput]>([
    ['as fitted', sheet, {}],
    ['with bleed', withBleed, {}],
    ['mirrored', { ...withBleed, mirror: true }, { x: 0.1 }],
    ['shifted and reduced', sheet, { scale: 0.21, x: 0.2, y: -0.1 }],
    ['enlarged', sheet, { scale: 7.3, x: 1.3, y: -0.7 }],
    ['rotated by 90 degrees', sheet, { rotation: 90 }],
    ['rotated by 180 degrees', sheet, { rotation: 180, scale: 0.8 }],
    ['rotated by 33 degrees', sheet, { rotation: 33, scale: 0.9 }],
    ['rotated and mirrored', { ...sheet, mirror: true }, { rotation: -101, scale: 0.5 }],
    ['at a low resolution', { ...sheet, dpi: 60 }, { scale: 0.9 }],
  ])('draws the artwork where the matrix places it: %s', async (_, print, placement) => {
    const placed = placedIn(print, placement);
    const { raster, pixels } = await draw(await dotArtwork(), print, placed);
    const place = dotPlace(placed.matrix, print);
    const centre = inkCentre(raster, pixels);
    expect(Math.hypot(centre.x - place.x, centre.y - place.y)).toBeLessThan(0.03);
  });

  it.each<[string, PlacementInput]>([
    ['once', { scale: 0.7, x: 0.1 }],
    ['upside down', { rotation: 180 }],
    ['as a grid', { repeat: 'grid', scale: 0.3, spacing: 2 }],
    ['without space', { repeat: 'grid', scale: 0.3 }],
    ['with mirrored repeats', { repeat: 'mirror', scale: 0.3, spacing: 1 }],
  ])('draws upright artwork like rotated artwork: %s', async (_, placement) => {
    const bytes = await paintPng(artworkSize.width, artworkSize.height, (x, y) => [
      255 * x,
      255 * y,
      (x * 600) % 40 > 20 ? 255 : 0,
      y > 0.8 ? 128 : 255,
    ]);
    const placed = placedIn(withBleed, placement);
    const [a, , c, d, e, f] = placed.matrix;
    const upright = await draw(bytes, withBleed, placed);
    const rotated = await draw(bytes, withBleed, { ...placed, matrix: [a, 1e-9, c, d, e, f] });
    let worst = 0;
    upright.pixels.forEach((value, index) => (worst = Math.max(worst, Math.abs(value - rotated.pixels[index]!))));
    expect(worst).toBeLessThanOrEqual(1);
  });

  it.each<[string, PlacementInput]>([
    ['as a grid', { repeat: 'grid' }],
    ['mirrored', { repeat: 'mirror' }],
    ['shifted', { repeat: 'half-drop' }],
    ['rotated and mirrored', { repeat: 'mirror', rotation: 180 }],
    ['rotated by 90 degrees and mirrored', { repeat: 'mirror', rotation: 90 }],
  ])('has the colors of a repeat at its antialiased edges: %s', async (_, placement) => {
    // Red and blue at the left and right edge, dark and light at the upper and lower one
    const bytes = await paintPng(artworkSize.width, artworkSize.height, (x, y) => [
      x < 0.5 ? 200 : 20,
      y < 0.5 ? 20 : 200,
      x < 0.5 ? 20 : 200,
      255,
    ]);
    const placed = placedIn(sheet, { scale: 0.2, spacing: 3, x: 0.0041, y: 0.0033, ...placement });
    const { raster, pixels } = await draw(bytes, sheet, placed);
    const { width, height } = raster;
    let edges = 0;
    let worst = 0;
    const compare = (edge: number, inside: number): void => {
      const [partly, whole] = [pixels[4 * edge + 3]!, pixels[4 * inside + 3]!];
      if (partly < 40 || partly > 215 || whole < 255) return;
      edges += 1;
      for (let c = 0; c < 3; c++) worst = Math.max(worst, Math.abs(pixels[4 * edge + c]! - pixels[4 * inside + c]!));
    };
    for (let y = 1; y < height - 1; y++)
      for (let x = 1; x < width - 1; x++)
        for (const inside of [-1, 1, -width, width]) compare(y * width + x, y * width + x + inside);
    expect(edges).toBeGreaterThan(500);
    // Rounding of the bytes that are multiplied by their alpha
    expect(worst).toBeLessThanOrEqual(4);
  });

  it('ends the ink at the artwork, and repeats the edges that reach the area in the bleed', async () => {
    const { raster, pixels } = await draw(await plain(200, 100, 50), withBleed);
    const alphaAt = (x: number, y: number): number => {
      const [column, row] = [Math.floor((x + 5) / raster.pitch), Math.floor((y + 5) / raster.pitch)];
      return pixels[4 * (row * raster.width + column) + 3]!;
    };
    // The artwork covers 60 x 40 mm in the middle
    expect([alphaAt(30, 4.8), alphaAt(30, 5.2), alphaAt(30, 44.8), alphaAt(30, 45.2)]).toEqual([0, 255, 255, 0]);
    expect([alphaAt(-4.9, 25), alphaAt(64.9, 25), alphaAt(-4.9, 4.8), alphaAt(-4.9, 5.2)]).toEqual([255, 255, 0, 255]);
    const [red, green, blue] = pixels.subarray(4 * (Math.floor(raster.height / 2) * raster.width));
    expect([red, green, blue]).toEqual([200, 100, 50]);
  });

  it('continues the artwork into the bleed', async () => {
    const bytes = await paintPng(artworkSize.width, artworkSize.height, (x) => [255 * x, 0, 0, 255]);
    const placed = placedIn(withBleed, { scale: 2 });
    const { raster, pixels } = await draw(bytes, withBleed, placed);
    const row = 4 * Math.floor(raster.height / 2) * raster.width;
    // The area shows the middle half, the bleed 5 of 120 mm more
    expect(pixels[row]).toBeCloseTo(255 * (0.25 - 5 / 120), -0.5);
    expect(pixels[row + 4 * (raster.width - 1)]).toBeCloseTo(255 * (0.75 + 5 / 120), -0.5);
  });

  it('antialiases the edge of the artwork and keeps its color', async () => {
    // The edge lies in the middle of a pixel
    const print = { ...sheet, area: { width: 25.4, height: 25.4 }, dpi: 10 };
    const { pixels } = await draw(await plain(200, 100, 50), print, {
      matrix: [19.05 - 2.54 / 4, 0, 0, 25.4, 0, 0],
      repeat: 'none',
      period: { x: 1, y: 1 },
    });
    const row = [...pixels.subarray(4 * 50, 4 * 60)];
    const alphas = Array.from({ length: 10 }, (_, column) => row[4 * column + 3]);
    expect(alphas.slice(0, 7)).toEqual(Array(7).fill(255));
    expect(alphas[7]).toBeCloseTo(255 * 0.25, -0.5);
    expect(alphas.slice(8)).toEqual([0, 0]);
    row
      .slice(28, 31)
      .forEach((value, index) => expect(Math.abs(value - [200, 100, 50][index]!)).toBeLessThanOrEqual(2));
  });

  it('keeps the color of half-transparent artwork', async () => {
    const { raster, pixels } = await draw(await plain(200, 100, 50, 100), sheet);
    const middle = 4 * (Math.floor(raster.height / 2) * raster.width + Math.floor(raster.width / 2));
    const color = [...pixels.subarray(middle, middle + 4)];
    color.forEach((value, index) => expect(Math.abs(value - [200, 100, 50, 100][index]!)).toBeLessThanOrEqual(2));
  });

  it('draws a photograph upright', async () => {
    const upright = await paintPng(400, 600, (_, y) => (y < 0.5 ? [200, 0, 0, 255] : [0, 0, 200, 255]));
    const onItsSide = await sharp(upright).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const portrait = { ...sheet, area: { width: 40, height: 60 } };
    const placed = placeArtwork({ artwork: { width: 400, height: 600 }, area: portrait.area, mode: 'contain' });
    const { raster, pixels } = await draw(onItsSide, portrait, placed);
    const redAt = (part: number) => pixels[4 * (Math.floor(part * raster.height) * raster.width + 5)];
    expect([redAt(0.05), redAt(0.45), redAt(0.55), redAt(0.95)].map((red) => red! > 150)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('repeats the artwork in area and bleed', async () => {
    const placed = placedIn(withBleed, { repeat: 'half-drop', scale: 0.25, spacing: 1 });
    const { raster, pixels } = await draw(await dotArtwork(), withBleed, placed);
    const [a, , , d] = placed.matrix;
    const first = dotPlace(placed.matrix, withBleed);
    for (const [column, row] of [
      [0, 0],
      [1, 0.5],
      [-1, 1.5],
      [2, -2],
    ] as const) {
      const point = { x: first.x + column * (a + 1), y: first.y + row * (d + 1) };
      const centre = inkCentre(raster, pixels, { point, radius: 2 });
      expect(Math.hypot(centre.x - point.x, centre.y - point.y)).toBeLessThan(0.05);
    }
  });

  it('draws the same bytes again', async () => {
    const bytes = await dotArtwork();
    const placed = placedIn(withBleed, { rotation: 12 });
    expect((await draw(bytes, withBleed, placed)).pixels.equals((await draw(bytes, withBleed, placed)).pixels)).toBe(
      true,
    );
  });

  it('prints half-transparent artwork with half the ink of CMYK, and none outside of it', async () => {
    const cmyk: PrintArea = { ...sheet, colorSpace: 'cmyk' };
    const inkOf = async (alpha: number) => {
      const { raster, pixels } = await draw(await plain(200, 30, 40, alpha), cmyk);
      const middle = 4 * (Math.floor(raster.height / 2) * raster.width + Math.floor(raster.width / 2));
      expect([...pixels.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
      return [...pixels.subarray(middle, middle + 4)];
    };
    const full = await inkOf(255);
    const half = await inkOf(128);
    expect(full[1]).toBeGreaterThan(200);
    half.forEach((ink, index) => expect(Math.abs(ink - full[index]! / 2)).toBeLessThanOrEqual(1));
  });
});

describe('the table of a CMYK profile', () => {
  it('has the ink of the profile within 2 %', async () => {
    const levels = [0, 1, 37, 64, 101, 128, 177, 222, 254, 255];
    const colors = levels.flatMap((red) => levels.flatMap((green) => levels.map((blue) => [red, green, blue])));
    const raw = { width: colors.length, height: 1, channels: 3 } as const;
    const expected = await sharp(Buffer.from(colors.flat()), { raw }).withIccProfile(profile).raw().toBuffer();
    const inks = Buffer.from(colors.flatMap((color) => [...color, 255]));
    convertColors(inks, await cmykTable(profile));
    const differences = [...inks].map((ink, index) => Math.abs(ink - expected[index]!));
    expect(Math.max(...differences)).toBeLessThanOrEqual(5);
    expect(differences.reduce((sum, difference) => sum + difference) / differences.length).toBeLessThan(0.3);
  });

  it('is not made of a profile of another color space', async () => {
    await expect(cmykTable('srgb')).rejects.toThrow('srgb is not a CMYK profile');
  });
});
