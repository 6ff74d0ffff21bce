import { type Measurement, mediansOf } from './measure.js';
import { comparisonOf, type Report, tableOf } from './report.js';

const measured = (totalCpu: number, more: Partial<Measurement> = {}): Measurement => ({
  requestsPerSecond: 1_000,
  p50: 5,
  p99: 20,
  failed: 0,
  totalCpu,
  cpu: {
    gateway: totalCpu / 2,
    catalog: totalCpu / 4,
    social: totalCpu / 8,
    redis: totalCpu / 16,
    postgres: totalCpu / 16,
  },
  ...more,
});

const report = (ours: number, floor: number): Report => ({
  products: 10_000,
  rounds: 3,
  seconds: 2,
  isCold: false,
  changes: 0,
  readyMs: 8_000,
  memory: { idle: { gateway: 60, redis: 10 }, afterwards: { gateway: 100 } },
  results: [
    { call: 'list', concurrency: 16, bytes: 59_392, ours: measured(ours), floor: measured(floor, { p99: 10 }) },
  ],
});

describe('the report of a measurement', () => {
  it('states its parameters', () => {
    const text = tableOf({ ...report(1, 1), isCold: true });
    expect(text).toContain('10,000 products, response caches are disabled. Ready after 8.0 s.');
    expect(tableOf({ ...report(1, 1), changes: 100 })).toContain(
      'response caches are enabled, and 100 products change per second',
    );
    expect(text).toContain('idle 70 (gateway 60, redis 10); afterwards 100 (gateway 100).');
  });

  it('shows the cost of a request by component and relative to the floor', () => {
    const [cost, times] = tableOf(report(1_600, 800))
      .split('\n')
      .filter((line) => line.startsWith('| list'));
    expect(cost).toBe('| list | 58.0 | 16 | 800 | 600 | 100 | 100 | 1,600 | 800 | **2.00** |');
    expect(times).toBe('| list | 16 | 1,000 | 1,000 | 5.0 | 20.0 | 5.0 | 10.0 | 2.00 | 0 |');
  });

  it('compares ratios to the floor with those of an earlier report', () => {
    const lines = comparisonOf(report(1_600, 800), report(1_200, 400)).split('\n');
    expect(lines).toContain('| list | 16 | 1,200 | 1,600 | 3.00 | 2.00 | 0.67 |');
    expect(comparisonOf(report(1, 1), { ...report(1, 1), results: [] })).not.toContain('list');
  });
});

it('takes the median of each figure over several rounds, and sums failures', () => {
  const rounds = [300, 100, 200].map((cpu, at) => measured(cpu, { p99: 10 * at, failed: at }));
  expect(mediansOf(rounds)).toMatchObject({ totalCpu: 200, p99: 10, failed: 3, cpu: { gateway: 100 } });
});
