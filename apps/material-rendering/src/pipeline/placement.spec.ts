import { parseAdjustment, place, unadjusted, type PrintShape } from './placement.js';

const wide: PrintShape = { areaAspect: 1, artworkAspect: 2, cover: false };

describe('placing artwork', () => {
  it('lays all of it into the area with contain', () => {
    expect(place(wide, 'contain', unadjusted).artwork).toEqual({ left: 0, top: 0.25, right: 1, bottom: 0.75 });
    expect(place({ ...wide, artworkAspect: 0.5 }, 'contain', unadjusted).artwork).toEqual({
      left: 0.25,
      top: 0,
      right: 0.75,
      bottom: 1,
    });
  });

  it('fills the area with cover, and prints no ink beside it', () => {
    expect(place(wide, 'cover', unadjusted)).toEqual({
      artwork: { left: -0.5, top: 0, right: 1.5, bottom: 1 },
      ink: { left: 0, top: 0, right: 1, bottom: 1 },
    });
  });

  it('scales around the middle of the area, then moves right and down by parts of the area', () => {
    const { artwork } = place({ ...wide, artworkAspect: 1 }, 'contain', { scale: 0.5, x: 0.25, y: -0.25 });
    expect(artwork).toEqual({ left: 0.5, top: 0, right: 1, bottom: 0.5 });
  });

  it('ends ink on an all-over item at the item, but at the artwork where the item goes on', () => {
    const { ink } = place({ ...wide, cover: true }, 'contain', unadjusted);
    expect(ink).toEqual({ left: -Infinity, top: 0.25, right: Infinity, bottom: 0.75 });
  });

  it('reads an adjustment', () => {
    expect(parseAdjustment('0.4736+0.0-0.25')).toEqual({ scale: 0.4736, x: 0, y: -0.25 });
  });

  it.each(['', '1', '1.0', '1.0+0.0', '-1.0+0.0+0.0', '1.0+0.0+0.0+0.0', '1e9+0.0+0.0', 'NaN+0.0+0.0'])(
    'does not read %p as an adjustment',
    (text) => {
      expect(parseAdjustment(text)).toBeNull();
    },
  );
});
