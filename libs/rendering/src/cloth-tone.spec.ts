import { clothOf, clothTone } from './cloth-tone.js';

describe('clothTone', () => {
  it.each([
    ['white', '#ffffff', [250, 250, 250]],
    ['black', '#000000', [31, 31, 34]],
  ])('maps %s to a value inside the scale', (_, hex, tone) => {
    expect(clothTone(hex)).toEqual(tone);
  });

  it('changes a red by at most 4 of 255', () => {
    const tone = clothTone('#be3c50');
    [190, 60, 80].forEach((channel, c) => expect(Math.abs(tone[c]! - channel)).toBeLessThanOrEqual(4));
  });

  it('preserves the order of brightness of greys', () => {
    const greys = Array.from(
      { length: 256 },
      (_, value) => clothTone(`#${value.toString(16).padStart(2, '0').repeat(3)}`)[0],
    );
    expect(greys).toEqual([...greys].sort((a, b) => a - b));
  });

  it('throws for a text that is no color', () => {
    expect(() => clothTone('red')).toThrow(RangeError);
  });
});

describe('clothOf', () => {
  it('is the tone of the color', () => {
    expect(clothOf('#D71920')).toEqual({ rgb: clothTone('#d71920'), mottled: false });
  });

  it('is unbleached cotton for the catalog color "natural", and mottled for heather gray', () => {
    expect(clothOf('#f1d6b5').rgb).not.toEqual(clothTone('#f1d6b5'));
    expect(clothOf('#B9BCBF')).toEqual({ rgb: clothTone('#b9bcbf'), mottled: true });
  });
});
