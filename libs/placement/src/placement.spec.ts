import { type PlacedArtwork } from '#contracts';
import { compose, invert, scaling, type Point } from './matrix.js';
import { crossingSides, inkArea } from './coverage.js';
import { completePlacement, placeArtwork } from './placement.js';
import { placementErrors } from './placement-errors.js';
import { tilePoint } from './tile.js';

const area = { width: 300, height: 400 };
const target = { artwork: { width: 2_000, height: 1_000 }, area, mode: 'contain' } as const;
const placed = (given: Parameters<typeof completePlacement>[0] = {}) => placeArtwork(target, completePlacement(given));
/** Returns the image of a point. */
const apply = ([a, b, c, d, e, f]: PlacedArtwork['matrix'], { x, y }: Point): Point => ({
  x: a * x + c * y + e,
  y: b * x + d * y + f,
});
const corners = [
  { x: 0, y: 0 },
  { x: 1, y: 1 },
];

describe('placeArtwork', () => {
  it('centres the artwork as fitted without a placement', () => {
    expect(corners.map((corner) => apply(placeArtwork(target).matrix, corner))).toEqual([
      { x: 0, y: 125 },
      { x: 300, y: 275 },
    ]);
    expect(placed()).toEqual(placeArtwork(target));
  });

  it('fills the area with cover', () => {
    const { matrix } = placeArtwork({ ...target, mode: 'cover' });
    expect(corners.map((corner) => apply(matrix, corner))).toEqual([
      { x: -250, y: 0 },
      { x: 550, y: 400 },
    ]);
  });

  it('scales around the centre and shifts by parts of the area', () => {
    const { matrix } = placed({ scale: 0.5, x: 0.25, y: -0.25 });
    expect(corners.map((corner) => apply(matrix, corner))).toEqual([
      { x: 150, y: 62.5 },
      { x: 300, y: 137.5 },
    ]);
  });

  it('rotates clockwise around the centre of the artwork', () => {
    const { matrix } = placed({ rotation: 90 });
    expect(corners.map((corner) => apply(matrix, corner))).toEqual([
      { x: 225, y: 50 },
      { x: 75, y: 350 },
    ]);
    expect(placed({ rotation: -270 })).toEqual(placed({ rotation: 90 }));
    const turned = apply(placed({ rotation: 30 }).matrix, { x: 1, y: 0.5 });
    expect(turned.x).toBeCloseTo(150 + 150 * Math.cos(Math.PI / 6));
    expect(turned.y).toBeCloseTo(200 + 150 * Math.sin(Math.PI / 6));
  });

  it('has the same matrix after JSON', () => {
    for (const rotation of [0, 90, 180, 270, 30]) {
      const artwork = placed({ rotation });
      expect(JSON.parse(JSON.stringify(artwork))).toStrictEqual(artwork);
    }
  });

  it('measures the spacing of repeats in sizes of the artwork', () => {
    expect(placed({ repeat: 'grid', spacing: 30, scale: 0.5 }).period).toEqual({ x: 1.2, y: 1.4 });
  });

  it('accepts offsetX and offsetY for x and y, which have precedence', () => {
    expect(completePlacement({ offsetX: 0.1, offsetY: 0.2, y: 0.3 })).toMatchObject({ x: 0.1, y: 0.3 });
  });
});

describe('matrices', () => {
  it('are inverted and composed', () => {
    const { matrix } = placed({ rotation: 30, x: 0.2 });
    const identity = compose(matrix, invert(matrix));
    [1, 0, 0, 1, 0, 0].forEach((value, index) => expect(identity[index]).toBeCloseTo(value));
    expect(apply(compose(scaling(2, 3), [1, 0, 0, 1, 5, 7]), { x: 1, y: 1 })).toEqual({ x: 7, y: 10 });
  });
});

describe('tilePoint', () => {
  const at = (repeat: 'none' | 'grid' | 'half-drop' | 'mirror', x: number, y: number) =>
    tilePoint({ repeat, period: { x: 1.5, y: 2 } }, { x, y });

  const expectAt = (point: Point, expected: readonly [x: number, y: number]): void => {
    expect(point.x).toBeCloseTo(expected[0]);
    expect(point.y).toBeCloseTo(expected[1]);
  };

  it('repeats the artwork to all sides, with half of the space on each side', () => {
    expect(at('none', 3.25, -0.5)).toEqual({ x: 3.25, y: -0.5 });
    expectAt(at('grid', 3.25, -0.4), [0.25, -0.4]);
    expectAt(at('grid', -1.25, 3.75), [0.25, -0.25]);
    expectAt(at('grid', 1.2, 1.4), [1.2, 1.4]);
    expectAt(at('grid', 1.3, 1.6), [-0.2, -0.4]);
  });

  it('shifts every second column by half a repeat', () => {
    expectAt(at('half-drop', 0.25, 0.5), [0.25, 0.5]);
    expectAt(at('half-drop', 1.75, 0.25), [0.25, 1.25]);
    expectAt(at('half-drop', 1.75, 1.25), [0.25, 0.25]);
    expectAt(at('half-drop', -1.25, 1.25), [0.25, 0.25]);
    // The space to the left of a column belongs to it
    expectAt(at('half-drop', 1.3, 1.25), [-0.2, 0.25]);
  });

  it('mirrors every second column and row, with the space beside them', () => {
    expectAt(at('mirror', 0.25, 0.25), [0.25, 0.25]);
    expectAt(at('mirror', 1.75, 2.25), [0.75, 0.75]);
    expectAt(at('mirror', 1.3, 0.25), [1.2, 0.25]);
    expectAt(at('mirror', 2.7, 0.25), [-0.2, 0.25]);
  });
});

describe('coverage', () => {
  it('finds the sides of the artwork that cross the area', () => {
    expect(crossingSides(placed(), area)).toEqual([false, false, true, true]);
    expect(crossingSides(placed({ x: 0.1 }), area)).toEqual([true, false, true, true]);
    expect(crossingSides(placed({ scale: 10 }), area)).toEqual([false, false, false, false]);
    expect(crossingSides(placed({ rotation: 10 }), area)).toEqual([true, true, true, true]);
  });

  it('measures the printed part of the area', () => {
    expect(inkArea(placed(), area)).toBeCloseTo(300 * 150);
    expect(inkArea(placed({ x: 0.5 }), area)).toBeCloseTo(150 * 150);
    expect(inkArea(placed({ scale: 10 }), area)).toBeCloseTo(300 * 400);
    expect(inkArea(placed({ rotation: 45, scale: 0.5 }), area)).toBeCloseTo(150 * 75);
    expect(inkArea(placed({ x: 1 }), area)).toBe(0);
  });
});

describe('placementErrors', () => {
  const errors = (given: Parameters<typeof completePlacement>[0]) => placementErrors(completePlacement(given), target);

  it('accepts the limits', () => {
    expect(errors({ scale: 0.01, rotation: -360 })).toEqual([]);
    expect(errors({ scale: 100, x: 1, y: -1, rotation: 360, repeat: 'mirror', spacing: 1_000 })).toEqual([]);
  });

  it.each([
    [{ scale: 0 }, 'scale'],
    [{ scale: -1 }, 'scale'],
    [{ scale: Number.MAX_VALUE }, 'scale'],
    [{ scale: NaN }, 'scale'],
    [{ x: Infinity }, 'x'],
    [{ x: 'NaN' }, 'x'],
    [{ rotation: null }, 'rotation'],
    [{ y: -1e308 }, 'y'],
    [{ rotation: 361 }, 'rotation'],
    [{ spacing: -1 }, 'spacing'],
    [{ spacing: 1e9 }, 'spacing'],
  ])('rejects %j', (given, field) => {
    expect(errors(given)).toEqual([{ field, message: expect.stringMatching(/^must be a number from /) as string }]);
  });

  it('rejects artwork outside the area', () => {
    const message = 'moves the whole artwork out of the print area';
    expect(errors({ x: 1 })).toEqual([{ field: 'x', message }]);
    expect(errors({ y: -0.7 })).toEqual([{ field: 'y', message }]);
    expect(errors({ x: 0.01, y: 5 })).toEqual([{ field: 'y', message }]);
    expect(errors({ x: 0.99 })).toEqual([]);
  });

  it('rejects repeats that are all outside the area', () => {
    const far = { scale: 0.1, spacing: 1_000, x: 1 } as const;
    for (const repeat of ['grid', 'mirror', 'half-drop'] as const) {
      expect(errors({ ...far, repeat })).toEqual([{ field: 'spacing', message: 'leaves no repeat in the print area' }]);
      expect(errors({ ...far, repeat, x: 0 })).toEqual([]);
    }
    // The column beside is half a repeat higher
    const beside = { scale: 0.1, spacing: 1_000, x: -(1_030 / 300), y: 0 } as const;
    expect(errors({ ...beside, repeat: 'grid' })).toEqual([]);
    expect(errors({ ...beside, repeat: 'half-drop' })).toHaveLength(1);
    expect(errors({ ...beside, repeat: 'half-drop', y: 507.5 / 400 })).toEqual([]);
  });

  it('accepts exactly the repeats of which a point is inside the area', () => {
    let [inside, outside] = [0, 0];
    for (let n = 0; n < 200; n++) {
      const repeat = (['grid', 'half-drop', 'mirror'] as const)[n % 3]!;
      const given = {
        repeat,
        scale: 0.2,
        spacing: 450,
        x: ((n * 37) % 100) / 40,
        y: ((n * 61) % 100) / 40,
        rotation: n,
      };
      const artwork = placed(given);
      const inverse = invert(artwork.matrix);
      let isSeen = false;
      for (let x = 1; x < area.width && !isSeen; x += 2)
        for (let y = 1; y < area.height && !isSeen; y += 2) {
          const at = tilePoint(artwork, apply(inverse, { x, y }));
          isSeen = at.x > 0 && at.x < 1 && at.y > 0 && at.y < 1;
        }
      const isAccepted = errors(given).length === 0;
      // A corner may be between the points
      if (isAccepted !== isSeen) expect([n, isAccepted, isSeen]).toEqual([n, true, false]);
      if (isSeen) inside++;
      else if (!isAccepted) outside++;
    }
    expect([inside > 20, outside > 20]).toEqual([true, true]);
  });

  it('rejects more than 10,000 repeats', () => {
    expect(errors({ repeat: 'grid', scale: 0.01 })).toEqual([
      { field: 'scale', message: 'is too small: at most 10,000 repeats fit into a print area' },
    ]);
    expect(errors({ repeat: 'grid', scale: 0.01, spacing: 10 })).toEqual([]);
  });
});
