import { bestPrice, discounted, isRunning, RunningSales } from './sale.rules.js';

describe('a discount', () => {
  it.each([
    [3641, { kind: 'amount', amount: 800 }, 2841],
    [3641, { kind: 'percent', percent: 10 }, 3276],
    [3641, { kind: 'percent', percent: 1 }, 3604],
    [800, { kind: 'amount', amount: 800 }, 0],
    [799, { kind: 'amount', amount: 800 }, 0],
    [799, { kind: 'percent', percent: 100 }, 0],
    [1, { kind: 'percent', percent: 1 }, 0],
    [0, { kind: 'percent', percent: 50 }, 0],
  ] as const)('makes %i with %j into %i', (price, discount, expected) => {
    expect(discounted(price, discount)).toBe(expected);
  });

  it('lowers every price that is not zero', () => {
    const prices = Array.from({ length: 2_000 }, (_, index) => index + 1);
    expect(prices.filter((price) => discounted(price, { kind: 'percent', percent: 1 }) >= price)).toEqual([]);
  });

  it('is the best one for the buyer when there are several; they do not add up', () => {
    const amount = { kind: 'amount', amount: 300 } as const;
    const share = { kind: 'percent', percent: 20 } as const;
    expect(bestPrice(1_000, [amount, share])).toBe(700);
    expect(bestPrice(3_000, [amount, share])).toBe(2_400);
    expect(bestPrice(3_000, [])).toBe(3_000);
  });
});

describe('a sale', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 11, 24, 0, minute));

  it('runs from its first moment until before its last one', () => {
    const sale = { startsAt: at(10), endsAt: at(20) };
    expect([9, 10, 19, 20].map((minute) => isRunning(sale, at(minute)))).toEqual([false, true, true, false]);
  });

  it('without an end runs on', () => {
    expect(isRunning({ startsAt: at(10), endsAt: null }, new Date('2999-01-01'))).toBe(true);
  });
});

describe('the running sales', () => {
  const forever = { startsAt: new Date(0), endsAt: null, itemId: null, userId: null, productId: null };
  const off = (amount: number) => ({ kind: 'amount', amount }) as const;
  const sales = new RunningSales([
    { ...forever, itemId: 1, discount: off(1) },
    { ...forever, userId: 1, discount: off(2) },
    { ...forever, productId: 1, discount: off(3) },
    { ...forever, itemId: 1, discount: off(4) },
  ]);

  it('are found by item, by owner and by product, which are not mixed up', () => {
    expect(sales.of({ productId: 1, itemId: 2, userId: 2 })).toEqual([off(3)]);
    expect(sales.of({ productId: 2, itemId: 1, userId: 2 })).toEqual([off(1), off(4)]);
    expect(sales.of({ productId: 2, itemId: 2, userId: 1 })).toEqual([off(2)]);
    expect(sales.of({ productId: 1, itemId: 1, userId: 1 })).toHaveLength(4);
    expect(sales.of({ productId: 9, itemId: 9, userId: 9 })).toEqual([]);
  });

  it('name each of their targets once', () => {
    expect(sales.targets).toEqual({ items: [1], users: [1], products: [1] });
  });
});
