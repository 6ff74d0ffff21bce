import { ValueUse } from './value-use.js';

describe('ValueUse', () => {
  const replace = (before: ValueUse | undefined, count: number): ValueUse =>
    Array.from({ length: count }).reduce<ValueUse>((use) => ValueUse.after(use, false), ValueUse.after(before, false));

  it('is not worth a validation after three values that were never used again', () => {
    expect([replace(undefined, 2), replace(undefined, 3)].map((use) => use.isWorthValidating)).toEqual([true, false]);
  });

  it('is worth a validation again once a value is still valid', () => {
    expect(ValueUse.after(replace(undefined, 9), true).isWorthValidating).toBe(true);
  });

  it('is worth a validation while values are used again', () => {
    const used = replace(undefined, 2);
    used.wasUsed = true;
    expect([replace(used, 2), replace(used, 3)].map((use) => use.isWorthValidating)).toEqual([true, false]);
  });
});
