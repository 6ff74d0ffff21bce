import { figuresOf, recoveryAfter, percentile } from './figures.js';

const resultOf = (...all: readonly (readonly [dueAt: number, tookMs: number, outcome: number])[]) => ({
  dueAt: Float64Array.from(all.map(([dueAt]) => dueAt)),
  tookMs: Float64Array.from(all.map(([, tookMs]) => tookMs)),
  outcomes: Int16Array.from(all.map(([, , outcome]) => outcome)),
  cpuMs: 500,
  connections: 1,
});

describe('the figures of a load', () => {
  it('distinguish served, rejected and other requests', () => {
    const all = resultOf(
      ...([
        [0, 2_100, 200],
        [500, 1_600, 503],
      ] as const),
      ...([
        [2_000, 10, 200],
        [2_001, 20, 201],
        [2_002, 1, 503],
        [2_003, 9, 500],
        [2_004, 9, 0],
        [2_005, 0, -1],
      ] as const),
      ...([[3_999, 2, 204]] as const),
      ...([[4_000, 1, 200]] as const),
    );
    // A request that was due before the interval and ends within it counts for `served` or
    // `rejected`, and not for response times
    expect(figuresOf(all, 2_000, 4_000)).toEqual({
      offered: 3.5,
      served: 1.5,
      rejected: 1,
      other: 1.5,
      unsent: 0.5,
      servedP50: 10,
      servedP99: 20,
      rejectedP50: 1,
      rejectedP99: 1,
      generatorCpus: 0.125,
    });
  });

  it('compute percentiles', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100]);
    expect(percentile([], 0.99)).toBe(0);
  });
});

describe('recovery', () => {
  const each100ms = (outcome: (dueAt: number) => [number, number]) =>
    resultOf(...Array.from({ length: 40 }, (_, at) => [at * 100, ...outcome(at * 100)] as const));

  it('is at the first second in which all requests are served in the usual time', () => {
    const all = each100ms((dueAt) => (dueAt < 500 ? [1, 503] : dueAt < 1_200 ? [900, 200] : [10, 200]));
    expect(recoveryAfter(all, 0, 100)).toBe(1_200);
    expect(recoveryAfter(all, 500, 100)).toBe(700);
  });

  it('is Infinity if requests are rejected all the time', () => {
    expect(
      recoveryAfter(
        each100ms((dueAt) => [1, dueAt % 500 === 0 ? 503 : 200]),
        0,
        100,
      ),
    ).toBe(Infinity);
  });
});
