import { clothOf, clothTone } from './cloth-tone.js';
import { backgroundRgb } from './light.js';

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
  const cloth = { clear: false, fabric: 'jersey' } as const;
  const plastic = { clear: false, fabric: undefined };

  it('is the tone of the color', () => {
    for (const item of [cloth, plastic])
      expect(clothOf(item, '#D71920')).toEqual({ rgb: clothTone('#d71920'), mottled: false });
  });

  it('is unbleached cotton for the catalog color "natural", and mottled for heather gray, on cloth only', () => {
    expect(clothOf(cloth, '#f1d6b5').rgb).not.toEqual(clothTone('#f1d6b5'));
    expect(clothOf(cloth, '#B9BCBF')).toEqual({ rgb: clothTone('#b9bcbf'), mottled: true });
    expect(clothOf(plastic, '#f1d6b5').rgb).toEqual(clothTone('#f1d6b5'));
    expect(clothOf(plastic, '#b9bcbf').mottled).toBe(false);
  });

  it('is the background for a clear item', () => {
    expect(clothOf({ clear: true, fabric: undefined }, '#d71920').rgb).toEqual(backgroundRgb);
  });
});
