import { parseAdjustment, place, unadjusted, type PrintShape } from './placement.js';

const wide: PrintShape = { areaAspect: 1, artworkAspect: 2, cover: false };

describe('place', () => {
  it('fits the artwork into the area with contain', () => {
    expect(place(wide, 'contain', unadjusted).artwork).toEqual({ left: 0, top: 0.25, right: 1, bottom: 0.75 });
    expect(place({ ...wide, artworkAspect: 0.5 }, 'contain', unadjusted).artwork).toEqual({
      left: 0.25,
      top: 0,
      right: 0.75,
      bottom: 1,
    });
  });

  it('fills the area with cover, without ink beside it', () => {
    expect(place(wide, 'cover', unadjusted)).toEqual({
      artwork: { left: -0.5, top: 0, right: 1.5, bottom: 1 },
      ink: { left: 0, top: 0, right: 1, bottom: 1 },
    });
  });

  it('scales around the centre of the area, then shifts right and down in fractions of the area', () => {
    const { artwork } = place({ ...wide, artworkAspect: 1 }, 'contain', { scale: 0.5, x: 0.25, y: -0.25 });
    expect(artwork).toEqual({ left: 0.5, top: 0, right: 1, bottom: 0.5 });
  });

  it('limits ink on an all-over item by the item, or by the artwork where that ends first', () => {
    const { ink } = place({ ...wide, cover: true }, 'contain', unadjusted);
    expect(ink).toEqual({ left: -Infinity, top: 0.25, right: Infinity, bottom: 0.75 });
  });
});

describe('parseAdjustment', () => {
  it('parses an adjustment', () => {
    expect(parseAdjustment('0.4736+0.0-0.25')).toEqual({ scale: 0.4736, x: 0, y: -0.25 });
  });

  it.each(['', '1', '1.0', '1.0+0.0', '-1.0+0.0+0.0', '1.0+0.0+0.0+0.0', '1e9+0.0+0.0', 'NaN+0.0+0.0'])(
    'returns null for %p',
    (text) => {
      expect(parseAdjustment(text)).toBeNull();
    },
  );
});
