import { completePlacement, placeArtwork } from './placement.js';
import { apply, invert } from './matrix.js';
import { repeatsIn } from './repeats.js';
import { tilePoint } from './tile.js';

const area = { width: 300, height: 400 };
const target = { artwork: { width: 2_000, height: 1_000 }, area, mode: 'contain' } as const;
const bleed = 5;

it('has one repeat without repetition', () => {
  const placed = placeArtwork(target, completePlacement({ rotation: 30 }));
  expect(repeatsIn(placed, area, bleed)).toEqual([placed.matrix]);
});

it.each([
  { repeat: 'grid' },
  { repeat: 'grid', spacing: 40 },
  { repeat: 'half-drop' },
  { repeat: 'half-drop', spacing: 15, rotation: 33 },
  { repeat: 'mirror' },
  { repeat: 'mirror', spacing: 8, rotation: -100 },
] as const)('shows the same point of the artwork as the raster: $repeat $spacing $rotation', (given) => {
  const placed = placeArtwork(target, completePlacement({ scale: 0.21, x: 0.07, ...given }));
  const inverses = repeatsIn(placed, area, bleed).map(invert);
  const inverse = invert(placed.matrix);
  for (let x = -bleed + 0.3; x < area.width + bleed; x += 7.1) {
    for (let y = -bleed + 0.3; y < area.height + bleed; y += 7.1) {
      const expected = tilePoint(placed, apply(inverse, { x, y }));
      const shown = inverses
        .map((it) => apply(it, { x, y }))
        .filter((point) => point.x > 0 && point.x < 1 && point.y > 0 && point.y < 1);
      const isInk = expected.x > 0 && expected.x < 1 && expected.y > 0 && expected.y < 1;
      expect(shown).toHaveLength(isInk ? 1 : 0);
      if (isInk) expect(Math.hypot(shown[0]!.x - expected.x, shown[0]!.y - expected.y)).toBeLessThan(1e-9);
    }
  }
});

it('omits repeats beyond the bleed', () => {
  const placed = placeArtwork(target, completePlacement({ scale: 0.1, repeat: 'grid' }));
  // 30 x 15 mm: one row and column more than the area has, because the middle one is centred
  expect(repeatsIn(placed, area, 0)).toHaveLength(11 * 27);
});
