import { RetryBudget } from './retry-budget.js';

describe('RetryBudget', () => {
  it('allows ten retries at the start and then one per ten requests', () => {
    const budget = new RetryBudget();
    const withdrawAll = () => Array.from({ length: 50 }, () => budget.withdraw()).filter(Boolean).length;
    expect(withdrawAll()).toBe(10);
    for (let request = 0; request < 101; request++) budget.deposit();
    expect(withdrawAll()).toBe(10);
  });
});
