import { withoutTax, withTax } from './money.js';

describe('withTax', () => {
  it.each([
    [466, 512],
    [966, 1062],
    [3310, 3641],
    [0, 0],
    [1, 1],
    [9, 9],
    [10, 11],
  ])('makes %i into %i at 10 percent, rounded down', (amount, expected) => {
    expect(withTax(amount, 10)).toBe(expected);
  });

  it('is exact where floating point is not', () => {
    // In floating point, 1.1 * 100 is 110.00000000000001 and 1.1 * 90 is 99.00000000000001
    for (let amount = 0; amount < 20_000; amount += 10) expect(withTax(amount, 10)).toBe(amount + amount / 10);
  });
});

describe('withoutTax', () => {
  it('inverts withTax at every rate', () => {
    const amounts = Array.from({ length: 3_000 }, (_, amount) => amount);
    for (let tax = 0; tax <= 100; tax += 1)
      expect(amounts.filter((amount) => withoutTax(withTax(amount, tax), tax) !== amount)).toEqual([]);
  });

  it.each([
    [2841, 2583],
    [1, 1],
    [0, 0],
    [10, 10],
    [110, 100],
    [111, 101],
  ])('makes %i into %i at 10 percent, rounded up', (amount, expected) => {
    expect(withoutTax(amount, 10)).toBe(expected);
  });
});
