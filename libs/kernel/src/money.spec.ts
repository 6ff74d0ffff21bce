import { withTax } from './money.js';

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
    // 1.1 * 100 is 110.00000000000001 and 1.1 * 90 is 99.00000000000001: the other way round a unit would be lost
    for (let amount = 0; amount < 20_000; amount += 10) expect(withTax(amount, 10)).toBe(amount + amount / 10);
  });
});
