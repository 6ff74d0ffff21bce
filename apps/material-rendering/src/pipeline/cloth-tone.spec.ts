import { clothTone } from './cloth-tone.js';

describe('the tone of cloth', () => {
  it.each([
    ['white', '#ffffff', [250, 250, 250]],
    ['black', '#000000', [31, 31, 34]],
  ])('never takes %s to the end of the scale', (_, hex, tone) => {
    expect(clothTone(hex)).toEqual(tone);
  });

  it('leaves other colours what they are', () => {
    const tone = clothTone('#be3c50');
    [190, 60, 80].forEach((channel, c) => expect(Math.abs(tone[c]! - channel)).toBeLessThanOrEqual(4));
  });

  it('keeps darker colours darker', () => {
    const greys = Array.from(
      { length: 256 },
      (_, value) => clothTone(`#${value.toString(16).padStart(2, '0').repeat(3)}`)[0],
    );
    expect(greys).toEqual([...greys].sort((a, b) => a - b));
  });

  it('refuses what is no colour', () => {
    expect(() => clothTone('red')).toThrow(RangeError);
  });
});
