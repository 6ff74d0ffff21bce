import { bestPrice, applyDiscount, isRunning, RunningSales } from './sale.rules.js';

describe('applyDiscount and bestPrice', () => {
  it.each([
    [3641, { kind: 'amount', amount: 800 }, 2841],
    [3641, { kind: 'percent', percent: 10 }, 3276],
    [3641, { kind: 'percent', percent: 1 }, 3604],
    [800, { kind: 'amount', amount: 800 }, 0],
    [799, { kind: 'amount', amount: 800 }, 0],
    [799, { kind: 'percent', percent: 100 }, 0],
    [1, { kind: 'percent', percent: 1 }, 0],
    [0, { kind: 'percent', percent: 50 }, 0],
  ] as const)('reduce %i with %j to %i', (price, discount, expected) => {
    expect(applyDiscount(price, discount)).toBe(expected);
  });

  it('reduce every price above zero', () => {
    const prices = Array.from({ length: 2_000 }, (_, index) => index + 1);
    expect(prices.filter((price) => applyDiscount(price, { kind: 'percent', percent: 1 }) >= price)).toEqual([]);
  });

  it('apply only the best of several discounts', () => {
    const amount = { kind: 'amount', amount: 300 } as const;
    const share = { kind: 'percent', percent: 20 } as const;
    expect(bestPrice(1_000, [amount, share])).toBe(700);
    expect(bestPrice(3_000, [amount, share])).toBe(2_400);
    expect(bestPrice(3_000, [])).toBe(3_000);
  });
});

describe('isRunning', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 11, 24, 0, minute));

  it('includes the start and excludes the end', () => {
    const sale = { startsAt: at(10), endsAt: at(20) };
    expect([9, 10, 19, 20].map((minute) => isRunning(sale, at(minute)))).toEqual([false, true, true, false]);
  });

  it('is true forever without an end', () => {
    expect(isRunning({ startsAt: at(10), endsAt: null }, new Date('2999-01-01'))).toBe(true);
  });
});

describe('RunningSales', () => {
  const forever = { startsAt: new Date(0), endsAt: null, itemId: null, userId: null, productId: null };
  const off = (amount: number) => ({ kind: 'amount', amount }) as const;
  const sales = new RunningSales([
    { ...forever, itemId: 1, discount: off(1) },
    { ...forever, userId: 1, discount: off(2) },
    { ...forever, productId: 1, discount: off(3) },
    { ...forever, itemId: 1, discount: off(4) },
  ]);

  it('finds discounts by item, owner and product separately', () => {
    expect(sales.discountsOf({ productId: 1, itemId: 2, userId: 2 })).toEqual([off(3)]);
    expect(sales.discountsOf({ productId: 2, itemId: 1, userId: 2 })).toEqual([off(1), off(4)]);
    expect(sales.discountsOf({ productId: 2, itemId: 2, userId: 1 })).toEqual([off(2)]);
    expect(sales.discountsOf({ productId: 1, itemId: 1, userId: 1 })).toHaveLength(4);
    expect(sales.discountsOf({ productId: 9, itemId: 9, userId: 9 })).toEqual([]);
  });

  it('lists each target once', () => {
    expect(sales.targets).toEqual({ items: [1], users: [1], products: [1] });
  });
});
