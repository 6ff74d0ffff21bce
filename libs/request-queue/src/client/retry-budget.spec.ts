import { RetryBudget } from './retry-budget.js';

describe('the retry budget', () => {
  it('allows ten retries at the start and then one for ten requests', () => {
    const budget = new RetryBudget();
    const spent = () => Array.from({ length: 50 }, () => budget.withdraw()).filter(Boolean).length;
    expect(spent()).toBe(10);
    for (let request = 0; request < 101; request++) budget.deposit();
    expect(spent()).toBe(10);
  });
});
