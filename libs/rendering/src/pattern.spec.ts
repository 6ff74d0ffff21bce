import { completePlacement, placeArtwork } from '#placement';
import { placePrint, type PlacedPrint } from './pattern.js';
import { place, unadjusted } from './placement.js';
import { type Plan } from './plan.js';
import { levelOf, sheet } from './testing/test-card.js';
import { type PyramidLevel } from './texture.js';
import { warp } from './warp.js';

const area = { width: 100, height: 100 };
const target = { artwork: { width: 1, height: 1 }, area, mode: 'contain' } as const;

interface Given {
  readonly wanted: Parameters<typeof completePlacement>[0];
  readonly cover?: boolean;
  readonly adjustment?: typeof unadjusted;
}

function placed({ wanted, cover = false, adjustment = unadjusted }: Given): PlacedPrint {
  const shape = { areaAspect: 1, artworkAspect: 1, cover };
  const artwork = placeArtwork(target, completePlacement(wanted));
  return placePrint(shape, area, { mode: 'contain', placed: artwork, adjustment });
}

/** Red grows to the right of the artwork, green grows down. */
const gradient = levelOf(200, (x, y) => [255 * x, 255 * y, 0, 255]);
const black = levelOf(32, () => [0, 0, 0, 255]);
const plan = sheet(100);

const warped = (
  given: Given,
  level: PyramidLevel,
  on: Plan = sheet(100, { cover: given.cover ?? false }),
): Uint8Array => warp(on, level, placed(given)).rgba;
const pixel = (rgba: Uint8Array, x: number, y: number): number[] => {
  const at = 4 * (100 * y + x);
  return [...rgba.subarray(at, at + 4)];
};

/** Part of the artwork that is printed at the centre of a pixel, from its color. */
const artworkAt = (rgba: Uint8Array, x: number, y: number): number[] =>
  pixel(rgba, x, y)
    .slice(0, 2)
    .map((value) => value / 255);

const expectPart = (part: readonly number[], expected: readonly number[]): void =>
  expected.forEach((value, index) => expect(Math.abs(part[index]! - value)).toBeLessThan(0.012));

describe('placePrint', () => {
  it('places upright artwork in a rectangle, exactly as without a matrix', () => {
    const shape = { areaAspect: 1, artworkAspect: 1, cover: false };
    const adjustment = { scale: 0.5, x: 0.25, y: -0.25 };
    const expected = place(shape, 'contain', adjustment);
    expect(placed({ wanted: { scale: 0.5, x: 0.25, y: -0.25 } })).toEqual(expected);
    expect(placed({ wanted: {}, adjustment })).toEqual(expected);
  });

  it('applies an adjustment to the artwork as placed', () => {
    const print = placed({ wanted: { scale: 0.5, x: 0.25 }, adjustment: { scale: 0.5, x: 0.1, y: 0 } });
    const artwork = { left: 0.6, top: 0.375, right: 0.85, bottom: 0.625 };
    expect(print).toMatchObject({ artwork });
  });
});

describe('warp of a pattern', () => {
  it('rotates clockwise', () => {
    const rgba = warped({ wanted: { rotation: 90 } }, gradient);
    // The left edge of the artwork is at the top
    expectPart(artworkAt(rgba, 80, 10), [0.105, 0.195]);
    expectPart(artworkAt(rgba, 20, 70), [0.705, 0.795]);
  });

  it('rotates by any angle around the centre', () => {
    const rgba = warped({ wanted: { rotation: 30, scale: 0.5 } }, gradient);
    const radians = Math.PI / 6;
    const at = (x: number, y: number) => [
      Math.round(50 + 50 * (x * Math.cos(radians) - y * Math.sin(radians)) - 0.5),
      Math.round(50 + 50 * (x * Math.sin(radians) + y * Math.cos(radians)) - 0.5),
    ];
    const [x, y] = at(0.3, -0.4) as [number, number];
    const part = artworkAt(rgba, x, y);
    expect(Math.abs(part[0]! - 0.8)).toBeLessThan(0.02);
    expect(Math.abs(part[1]! - 0.1)).toBeLessThan(0.02);
    expect(pixel(rgba, 5, 5)[3]).toBe(0);
  });

  it('repeats the artwork over the whole area', () => {
    const rgba = warped({ wanted: { scale: 0.25, repeat: 'grid' } }, gradient);
    // The repeat in the middle begins at 37.5 of 100 pixels
    expectPart(artworkAt(rgba, 49, 49), [0.48, 0.48]);
    expectPart(artworkAt(rgba, 24, 74), [0.48, 0.48]);
    expectPart(artworkAt(rgba, 99, 0), [0.48, 0.52]);
    for (const [x, y] of [
      [0, 0],
      [12, 50],
      [99, 99],
    ] as const)
      expect(pixel(rgba, x, y)[3]).toBe(255);
  });

  it('shifts columns by half a repeat with half-drop', () => {
    const rgba = warped({ wanted: { scale: 0.25, repeat: 'half-drop' } }, gradient);
    expectPart(artworkAt(rgba, 49, 49), [0.48, 0.48]);
    expectPart(artworkAt(rgba, 24, 49), [0.48, 0.98]);
  });

  it('mirrors neighbours with mirror', () => {
    const rgba = warped({ wanted: { scale: 0.25, repeat: 'mirror' } }, gradient);
    expectPart(artworkAt(rgba, 40, 42), [0.12, 0.2]);
    expectPart(artworkAt(rgba, 65, 42), [0.88, 0.2]);
    expectPart(artworkAt(rgba, 40, 67), [0.12, 0.8]);
  });

  it('prints nothing in the space between repeats', () => {
    const rgba = warped({ wanted: { scale: 0.2, repeat: 'grid', spacing: 20 } }, black);
    const row = Array.from({ length: 100 }, (_, x) => pixel(rgba, x, 50)[3]!);
    // Repeats of 20 pixels, 20 apart, one in the middle
    expect([...row.keys()].filter((x) => row[x] === 255)).toEqual(
      [0, 40, 80].flatMap((from) => Array.from({ length: 20 }, (_, x) => from + x)),
    );
  });

  it('has the colors of the nearer repeat at its edges', () => {
    const halves = levelOf(200, (x) => (x < 0.5 ? [255, 0, 0, 255] : [0, 0, 255, 255]));
    const rgba = warped({ wanted: { scale: 0.2, repeat: 'grid', spacing: 20, x: 0.0075 } }, halves);
    // Repeats of 20 pixels begin at 0.75, 40.75 and 80.75
    const [red, , blue, alpha] = pixel(rgba, 40, 50);
    expect([red! > 50, blue, alpha! > 50 && alpha! < 80]).toEqual([true, 0, true]);
    const mirrored = warped({ wanted: { scale: 0.2, repeat: 'mirror', spacing: 20, x: 0.0075 } }, halves);
    expect(pixel(mirrored, 80, 50)[0]).toBe(0);
    expect(pixel(mirrored, 80, 50)[2]! > 50).toBe(true);
  });

  it('prints nothing outside the area, and antialiases rotated edges', () => {
    const rgba = warped({ wanted: { rotation: 45 } }, black);
    expect(pixel(rgba, 0, 50)[3]).toBe(255);
    expect(pixel(rgba, 2, 2)[3]).toBe(0);
    const partly = Array.from({ length: 10_000 }, (_, i) => rgba[4 * i + 3]!).filter(
      (alpha) => alpha > 0 && alpha < 255,
    );
    expect(partly.length).toBeGreaterThan(50);
    const beyond = { pixels: Uint32Array.of(0), u: Float32Array.of(-0.1), v: Float32Array.of(0.5) };
    expect(warped({ wanted: { rotation: 1, scale: 5 } }, black, sheet(100, beyond))[3]).toBe(0);
  });

  it('continues a print that reaches the edge of an all-over item', () => {
    const beyond = { pixels: Uint32Array.of(0), u: Float32Array.of(-0.1), v: Float32Array.of(0.5), cover: true };
    const given = { wanted: { rotation: 1, scale: 5 }, cover: true };
    expect(warped(given, black, sheet(100, beyond))[3]).toBe(255);
    const repeated = { wanted: { scale: 0.25, repeat: 'grid' }, cover: true } as const;
    // 0.1 to the left of the area is 0.1 in the repeat that begins at -0.125
    expectPart([warped(repeated, gradient, sheet(100, beyond))[0]! / 255], [0.1]);
    const along = { wanted: { rotation: 180 }, cover: true };
    expect(warped(along, black, sheet(100, beyond))[3]).toBe(255);
    const small = { wanted: { rotation: 45, scale: 0.2 }, cover: true };
    expect(warped(small, black, sheet(100, beyond))[3]).toBe(0);
  });

  it('has the same ink as upright artwork after a full turn', () => {
    const once = warp(plan, gradient, placed({ wanted: { scale: 0.7 } })).rgba;
    const turned = warped({ wanted: { scale: 0.7, rotation: 359.9999 } }, gradient);
    let worst = 0;
    for (let i = 0; i < once.length; i++) worst = Math.max(worst, Math.abs(once[i]! - turned[i]!));
    expect(worst).toBeLessThan(3);
  });
});
