import { drawStamp } from './favorite.rules.js';

const stampOf = (...numbers: [number, number, number]) => {
  let next = 0;
  return drawStamp(() => numbers[next++]!);
};
const largest = 1 - Number.EPSILON / 2;

describe('the stamp of a favorite', () => {
  it('ranges from one corner and -30 degrees to the opposite corner and 30 degrees', () => {
    expect(stampOf(0, 0, 0)).toEqual({ x: 0, y: 0, rotation: -30 });
    expect(stampOf(largest, largest, largest)).toEqual({ x: 1, y: 1, rotation: 30 });
  });

  it('is upright in the middle', () => {
    expect(stampOf(0.5, 0.5, 0.5)).toEqual({ x: 0.5, y: 0.5, rotation: 0 });
  });

  it('has three decimals and whole degrees', () => {
    expect(stampOf(0.123456, 0.98765, 0.7)).toEqual({ x: 0.123, y: 0.988, rotation: 12 });
  });
});
