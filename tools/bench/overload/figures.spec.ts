import { figuresOf, normalAfter, percentile } from './figures.js';

const asked = (...all: readonly (readonly [dueAt: number, tookMs: number, ending: number])[]) => ({
  dueAt: Float64Array.from(all.map(([dueAt]) => dueAt)),
  tookMs: Float64Array.from(all.map(([, tookMs]) => tookMs)),
  endings: Int16Array.from(all.map(([, , ending]) => ending)),
  cpuMs: 500,
  connections: 1,
});

describe('the figures of an offer', () => {
  it('tell apart what was served, refused, and anything else', () => {
    const all = asked(
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
    // What was due before and answered now is throughput of now, and counts for no time of an answer
    expect(figuresOf(all, 2_000, 4_000)).toEqual({
      offered: 3.5,
      served: 1.5,
      refused: 1,
      other: 1.5,
      unsent: 0.5,
      servedP50: 10,
      servedP99: 20,
      refusedP50: 1,
      refusedP99: 1,
      generatorCpus: 0.125,
    });
  });

  it('have a percentile that so many values do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100]);
    expect(percentile([], 0.99)).toBe(0);
  });
});

describe('it is as usual again', () => {
  const each100ms = (ending: (dueAt: number) => [number, number]) =>
    asked(...Array.from({ length: 40 }, (_, at) => [at * 100, ...ending(at * 100)] as const));

  it('from the first second in which all is served in the usual time', () => {
    const all = each100ms((dueAt) => (dueAt < 500 ? [1, 503] : dueAt < 1_200 ? [900, 200] : [10, 200]));
    expect(normalAfter(all, 0, 100)).toBe(1_200);
    expect(normalAfter(all, 500, 100)).toBe(700);
  });

  it('never, when something is refused all the time', () => {
    expect(
      normalAfter(
        each100ms((dueAt) => [1, dueAt % 500 === 0 ? 503 : 200]),
        0,
        100,
      ),
    ).toBe(Infinity);
  });
});
