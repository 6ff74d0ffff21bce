import { type PreflightCode } from '#contracts';
import { completePlacement, placeArtwork } from '#placement';
import { sourceOf } from '../print/testing/print-files.js';
import { rasterize } from '../print/raster.js';
import { engineFiles, type Paint, paintPng } from '../testing/test-card.js';
import { type PlaceReport, preflight, type PreflightPlace, type PreflightTools } from './preflight.js';

const { cmykProfile } = engineFiles;
const { abs, hypot, SQRT1_2 } = Math;

/** Half a millimetre of DTG is 4 pixels of 203.2 dpi. */
const dpi = 203.2;
const area = { width: 50, height: 40 };
/** Eight pixels of artwork in a millimetre, as of the print. */
const artwork = { width: 400, height: 320 };
const colors = [
  { name: 'white', rgb: '#ffffff' },
  { name: 'black', rgb: '#000000' },
];

const shown: PreflightPlace = {
  artwork,
  animated: false,
  isText: false,
  placed: placeArtwork({ artwork, area, mode: 'contain' }),
  area,
  technique: 'direct-to-garment',
  bleed: 0,
  safeZone: 0,
  colorSpace: 'rgb',
  hidden: [],
  colors,
};

/** Reports on an artwork; `paint` receives millimetres of the artwork as fitted. */
async function reportOf(paint: Paint, change: Partial<PreflightPlace> = {}): Promise<PlaceReport> {
  const place = { ...shown, ...change };
  const { width, height } = place.artwork;
  const bytes = await paintPng(width, height, (x, y) => paint(x * area.width, y * area.height));
  const source = await sourceOf(bytes);
  const draw: PreflightTools['draw'] = (placed, print) => rasterize(source, placed, print, '');
  return preflight(place, { dpi, draw, cmykProfile });
}
async function codesOf(paint: Paint, change: Partial<PreflightPlace> = {}): Promise<PreflightCode[]> {
  return (await reportOf(paint, change)).findings.map(({ code }) => code);
}
async function findingOf(code: PreflightCode, paint: Paint, change: Partial<PreflightPlace> = {}) {
  return (await reportOf(paint, change)).findings.find((it) => it.code === code);
}

const red = [200, 30, 30, 255] as const;
const nothing = [0, 0, 0, 0] as const;
/** Red inside a rectangle, in millimetres. */
const box =
  (
    left: number,
    top: number,
    right: number,
    bottom: number,
    color: readonly [number, number, number, number] = red,
  ): Paint =>
  (x, y) =>
    x > left && x < right && y > top && y < bottom ? color : nothing;
const all: Paint = () => red;

describe('preflight', () => {
  it('has no findings of an artwork that fills the area', async () => {
    const report = await reportOf(all);
    expect(report).toEqual({
      effectiveDpi: expect.closeTo(203.2, 6),
      emptyShare: 0,
      outOfGamutShare: null,
      findings: [],
    });
  });

  it('finds that nothing is printed, and nothing else', async () => {
    expect(await codesOf(() => [255, 0, 0, 0], { animated: true })).toEqual(['fully-transparent']);
    expect(await codesOf(() => [255, 0, 0, 25])).toEqual(['fully-transparent']);
    expect(await codesOf(() => [255, 0, 0, 27])).not.toContain('fully-transparent');
  });

  it('finds an animation', async () => {
    expect(await codesOf(all, { animated: true })).toEqual(['first-frame']);
  });

  it.each([
    ['direct-to-garment', 150],
    ['uv', 200],
  ] as const)('finds a resolution below that of %s', async (technique, limit) => {
    const at = (wanted: number) => ({ technique, placed: { ...shown.placed, matrix: scaled(203.2 / wanted) } });
    const scaled = (by: number): PreflightPlace['placed']['matrix'] => [50 * by, 0, 0, 40 * by, 0, 0];
    expect(await findingOf('low-resolution', all, at(limit))).toBeUndefined();
    expect(await findingOf('low-resolution', all, at(limit - 0.1))).toMatchObject({
      value: expect.closeTo(limit - 0.1),
    });
  });

  it('finds ink that is cropped, but not a transparent margin', async () => {
    const moved = (x: number, more = {}) => ({
      placed: placeArtwork({ artwork, area, mode: 'contain' }, completePlacement({ x, ...more })),
    });
    const ink = box(5, 0, 45, 40);
    expect(await codesOf(ink, moved(0.1))).toEqual([]);
    // 0.4 of 40 mm are a hundredth
    expect(await codesOf(ink, moved(5.4 / 50))).toEqual([]);
    expect(await codesOf(ink, moved(5.6 / 50))).toEqual(['cropped']);
    expect(await codesOf(ink, moved(0.3, { repeat: 'grid' }))).toEqual([]);
  });

  it('finds a text of which a part is cropped', async () => {
    const cover = (height: number) => placeArtwork({ artwork: { width: 400, height }, area, mode: 'cover' });
    const text = (height: number) => ({ isText: true, artwork: { width: 400, height }, placed: cover(height) });
    expect(await codesOf(all, text(320))).toEqual([]);
    expect(await codesOf(all, text(322))).toEqual(['cut-text']);
    expect(await codesOf(all, { ...text(322), isText: false })).toEqual([]);
  });

  it('finds ink that a seam or a fold hides', async () => {
    const hidden = [
      { x: 0, y: 0, width: 2, height: 40 },
      { x: 48, y: 0, width: 2, height: 40 },
    ];
    expect(await codesOf(box(0, 0, 20, 40), { hidden })).toEqual([]);
    expect(await codesOf(box(0, 0, 19.75, 40), { hidden })).toEqual(['hidden']);
    expect(await codesOf(box(31, 0, 50, 40), { hidden })).toEqual(['hidden']);
    expect(await codesOf(box(2, 0, 10, 40), { hidden })).toEqual([]);
    // Strips that overlap hide once
    expect(
      await findingOf('hidden', all, { hidden: [...hidden, ...hidden, { x: 0, y: 0, width: 50, height: 3 }] }),
    ).toMatchObject({
      value: expect.closeTo((4 * 40 + 46 * 3) / 2_000),
    });
  });

  it('finds ink that is not seen on a color of the item', async () => {
    const half =
      (share: number, color: readonly [number, number, number, number]): Paint =>
      (x) =>
        x < 50 * share ? color : red;
    expect(await codesOf(half(0.8, [255, 255, 255, 255]))).toEqual([]);
    expect(await findingOf('white-on-white', half(0.81, [255, 255, 255, 255]))).toMatchObject({ colors: ['white'] });
    expect(await findingOf('white-on-white', half(0.81, [0, 0, 0, 255]))).toMatchObject({ colors: ['black'] });
    const navy = [{ name: 'navy', rgb: '#1f2a4a' }, ...colors];
    expect(await findingOf('white-on-white', () => [34, 45, 75, 255], { colors: navy })).toMatchObject({
      colors: ['navy'],
    });
    // 10 of lightness from white
    expect(await codesOf(() => [230, 230, 230, 255])).toEqual(['white-on-white']);
    expect(await codesOf(() => [225, 225, 225, 255])).toEqual([]);
  });

  it('finds ink outside of the safe zone, unless it continues in the bleed', async () => {
    expect(await codesOf(box(5, 5, 45, 35), { safeZone: 5 })).toEqual([]);
    // A hundredth of the ink
    expect(await codesOf(box(4.625, 5, 45, 35), { safeZone: 5 })).toEqual([]);
    expect(await codesOf(box(4.5, 5, 45, 35), { safeZone: 5 })).toEqual(['outside-safe-zone']);
    for (const side of [box(5, 5, 45, 36), box(5, 4, 45, 35), box(5, 5, 46, 35)])
      expect(await codesOf(side, { safeZone: 5, bleed: 3 })).toEqual(['outside-safe-zone']);
    expect(await codesOf(all, { safeZone: 5 })).toEqual(['outside-safe-zone']);
    expect(await codesOf(all, { safeZone: 5, bleed: 3 })).toEqual([]);
    expect(await codesOf(box(0, 10, 40, 30), { safeZone: 5, bleed: 3 })).toEqual([]);
  });

  it('finds strokes that are thinner than the technique needs', async () => {
    /** Diagonal and upright strokes around a block. */
    const strokes =
      (width: number): Paint =>
      (x, y) => {
        const isBlock = abs(x - 25) < 5 && abs(y - 20) < 5;
        const isUpright = [4, 8, 12].some((at) => x > at && x < at + width);
        const isLevel = [4, 8].some((at) => y > at && y < at + width);
        const isDiagonal = abs((x - 60 + y) * SQRT1_2) < width / 2;
        return isBlock || isUpright || isLevel || isDiagonal ? red : nothing;
      };
    expect(await findingOf('thin-lines', strokes(0.75))).toBeUndefined();
    expect(await findingOf('thin-lines', strokes(0.5))).toBeUndefined();
    const thin = await findingOf('thin-lines', strokes(0.25));
    // 5 strokes of 40 or 50 mm, and one of 40 mm
    expect(thin).toMatchObject({ value: expect.closeTo(0.25 * (3 * 40 + 2 * 50 + 40), -1), limit: 5 });
    expect(await findingOf('thin-lines', strokes(0.25), { technique: 'uv' })).toBeUndefined();
  });

  it('finds thin strokes from 5 square millimetres', async () => {
    const line = (length: number) => box(5, 10, 5 + length, 10.25);
    expect(await findingOf('thin-lines', line(19.5))).toBeUndefined();
    expect(await findingOf('thin-lines', line(20.5))).toBeDefined();
  });

  it.each<[string, Paint]>([
    ['a disc', (x, y) => (hypot(x - 25, y - 20) < 15 ? red : nothing)],
    ['a small dot', (x, y) => (hypot(x - 25, y - 20) < 0.4 ? red : nothing)],
    ['a square', box(10, 10, 30, 30)],
    ['a turned square', (x, y) => (abs(x - 25) + abs(y - 20) < 12 ? red : nothing)],
    ['ink with a transparent window', (x, y) => (hypot(x - 25, y - 20) < 15 ? nothing : red)],
  ])('finds no thin strokes in %s', async (_, paint) => {
    expect(await findingOf('thin-lines', paint)).toBeUndefined();
  });

  it('finds colors that CMYK cannot print', async () => {
    const cmyk = { colorSpace: 'cmyk', technique: 'digital' } as const;
    const blue =
      (share: number): Paint =>
      (x) =>
        x < 50 * share ? [0, 0, 255, 255] : [120, 120, 120, 255];
    expect(await reportOf(blue(0.1), cmyk)).toMatchObject({ outOfGamutShare: expect.closeTo(0.1, 2), findings: [] });
    expect((await reportOf(blue(0.11), cmyk)).findings.map(({ code }) => code)).toEqual(['out-of-gamut']);
    expect(await reportOf(blue(1))).toMatchObject({ outOfGamutShare: null, findings: [] });
    for (const printable of [
      [255, 0, 0, 255],
      [120, 160, 80, 255],
    ] as const)
      expect(await codesOf(() => printable, cmyk)).toEqual([]);
    expect(await reportOf(() => [255, 255, 255, 255], { ...cmyk, colors: [] })).toMatchObject({ outOfGamutShare: 0 });
  });

  it('finds ink that is neither transparent nor opaque, but not smooth edges', async () => {
    const veil =
      (width: number): Paint =>
      (x, y) =>
        x > 10 && x < 40 && y > 5 && y < 35 ? [200, 30, 30, x < 10 + width ? 128 : 255] : nothing;
    expect(await codesOf(veil(1.5))).toEqual([]);
    expect(await codesOf(veil(1.875))).toEqual(['translucent']);
    const soft: Paint = (x, y) => [200, 30, 30, 255 * Math.min(1, Math.max(0, 8 * (4 - hypot(x - 25, y - 20))))];
    expect(await codesOf(soft)).toEqual([]);
  });

  it('finds an area that is nearly empty', async () => {
    expect(await reportOf(box(10, 10, 15, 14))).toMatchObject({ emptyShare: 0.99, findings: [] });
    expect(await codesOf(box(10, 10, 15, 13.9))).toEqual(['mostly-empty']);
  });

  it('reports all findings, the gravest first', async () => {
    const paint: Paint = (x, y) => (x < 2 && y < 2 ? [255, 255, 255, 255] : nothing);
    const codes = await codesOf(paint, {
      animated: true,
      technique: 'uv',
      safeZone: 1,
      hidden: [{ x: 0, y: 0, width: 1, height: 1 }],
    });
    expect(codes).toEqual(['first-frame', 'hidden', 'white-on-white', 'outside-safe-zone', 'mostly-empty']);
  });
});

it('draws at most 12 million pixels, and the resolution of the printer at most', async () => {
  const drawn: number[] = [];
  const stopped = new Error('stopped');
  const draw: PreflightTools['draw'] = (_placed, print) => {
    drawn.push(print.dpi);
    return Promise.reject(stopped);
  };
  for (const [place, dpi] of [
    [shown, 200],
    [{ ...shown, area: { width: 860, height: 780 } }, 150],
  ] as const)
    await expect(preflight(place, { dpi, draw, cmykProfile })).rejects.toBe(stopped);
  expect(drawn[0]).toBeCloseTo(200);
  expect((860 * 780) / (25.4 / drawn[1]!) ** 2).toBeCloseTo(12e6, 0);
});
