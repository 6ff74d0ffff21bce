import { isDark, luminance } from './color.rules.js';

describe('luminance', () => {
  it('is 0 for black and 1 for white', () => {
    expect(luminance('#000000')).toBe(0);
    expect(luminance('#ffffff')).toBeCloseTo(1, 12);
  });

  it('weighs green more than red and red more than blue', () => {
    expect(luminance('#00ff00')).toBeCloseTo(0.7152, 4);
    expect(luminance('#ff0000')).toBeCloseTo(0.2126, 4);
    expect(luminance('#0000ff')).toBeCloseTo(0.0722, 4);
  });

  it('is computed in linear light: half the value is about a fifth of the light', () => {
    expect(luminance('#808080')).toBeCloseTo(0.2159, 4);
  });
});

describe('isDark', () => {
  it.each(['#000000', '#1f2a4a', '#d71920', '#757575'])('%s is dark', (rgb) => {
    expect(isDark(rgb)).toBe(true);
  });

  it.each(['#ffffff', '#f1d6b5', '#dcdcda', '#767676'])('%s is light', (rgb) => {
    expect(isDark(rgb)).toBe(false);
  });
});
