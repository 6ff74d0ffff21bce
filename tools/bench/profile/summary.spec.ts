import type { Profiler } from 'node:inspector';
import { summaryOf } from './summary.js';

const node = (id: number, functionName: string, url: string, children: number[] = []): Profiler.ProfileNode => ({
  id,
  children,
  hitCount: 0,
  callFrame: { functionName, url, lineNumber: 6, columnNumber: 0, scriptId: '1' },
});

const profile: Profiler.Profile = {
  startTime: 0,
  endTime: 100_000,
  nodes: [
    node(1, '(root)', '', [2, 3, 6]),
    node(2, '(idle)', ''),
    node(3, 'list', 'file:///shop/dist/apps/catalog/src/products/product.queries.js', [4]),
    node(4, 'query', 'file:///shop/node_modules/pg/lib/client.js', [5]),
    // Recursive
    node(5, 'query', 'file:///shop/node_modules/pg/lib/client.js'),
    node(6, 'post', 'node:inspector', [7]),
    node(7, 'dispatch', ''),
  ],
  samples: [2, 3, 4, 5, 7],
  timeDeltas: [50_000, 10_000, 20_000, 5_000, 15_000],
};

describe('the summary of a profile', () => {
  const summary = summaryOf(profile);

  it('separates work, idle time and profiler overhead', () => {
    expect(summary.idleMs).toBe(50);
    expect(summary.busyMs).toBe(35);
  });

  it('lists self and total time of functions, most expensive first', () => {
    expect(summary.functions.filter(({ totalMs }) => totalMs > 0)).toEqual([
      { where: 'query pg/lib/client.js:7', selfMs: 25, totalMs: 25 },
      { where: 'list apps/catalog/src/products/product.queries.js:7', selfMs: 10, totalMs: 35 },
      { where: '(root)', selfMs: 0, totalMs: 35 },
    ]);
  });

  it('lists the same by package and project folder', () => {
    expect(summary.packages.slice(0, 2)).toEqual([
      { where: 'pg', selfMs: 25, totalMs: 25 },
      { where: 'apps/catalog', selfMs: 10, totalMs: 35 },
    ]);
  });
});
