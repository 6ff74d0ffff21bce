import { blanksFolder, readCatalogFiles } from '#blanks';
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

  it('is that of yarn for three colors of the catalog, on cloth only', () => {
    const { colors } = readCatalogFiles(blanksFolder);
    const yarns = colors.flatMap(({ name, rgb }) => {
      const { rgb: tone, mottled } = clothOf(cloth, rgb.toUpperCase());
      expect(clothOf(plastic, rgb)).toEqual({ rgb: clothTone(rgb), mottled: false });
      return mottled || tone.join() !== clothTone(rgb).join() ? [{ name, mottled }] : [];
    });
    expect(yarns).toEqual([
      { name: 'natural', mottled: false },
      { name: 'oatmeal', mottled: true },
      { name: 'heather-gray', mottled: true },
    ]);
  });

  it('is the background for a clear item', () => {
    expect(clothOf({ clear: true, fabric: undefined }, '#d71920').rgb).toEqual(backgroundRgb);
  });
});
