import { type Samples } from './rounds.js';
import { cost, judge, lowerQuartile, ratio, slope } from './verdict.js';

const samplesOf = (...cpuMs: number[]) => cpuMs.map((each) => ({ cpuMs: each, wallMs: 2 * each }));

describe('the lower quartile', () => {
  it('has a quarter of the values below it, in any order', () => {
    expect(lowerQuartile([9, 1, 100])).toBe(1);
    expect(lowerQuartile([8, 4, 1, 3, 100, 7, 6, 5])).toBe(4);
  });

  it('throws for an empty list', () => {
    expect(() => lowerQuartile([])).toThrow(RangeError);
  });
});

describe('a cost', () => {
  it('is the lower quartile of each clock', () => {
    expect(cost({ ours: samplesOf(5, 7, 50, 60) }, 'ours')).toEqual({ cpuMs: 7, wallMs: 14 });
  });

  it('is undefined for a contender that did not run', () => {
    expect(cost({ ours: samplesOf(5) }, 'ImageMagick')).toBeUndefined();
  });
});

describe('a ratio', () => {
  it('compares the samples without disturbances', () => {
    const samples = { ours: samplesOf(11, 11, 40, 41, 39), floor: samplesOf(10, 10, 10, 20, 10) };
    expect(ratio(samples, 'ours', 'floor')).toBeCloseTo(1.1);
  });

  it('is undefined without one of the two', () => {
    expect(ratio({ ours: samplesOf(1) }, 'ours', 'floor')).toBeUndefined();
  });
});

describe('a verdict', () => {
  const samples: Samples = { ours: samplesOf(12, 12), floor: samplesOf(10, 10), ImageMagick: samplesOf(60, 60) };

  it('has target, value and result', () => {
    expect(judge(samples, { timesFloor: 1.2 })).toEqual({ aim: '<= 1.2 x floor', value: 1.2, reached: true });
    expect(judge(samples, { timesFloor: 1.1 })).toMatchObject({ reached: false });
    expect(judge(samples, { cpuMs: 10 })).toEqual({ aim: '<= 10 CPU ms', value: 12, reached: false });
  });

  it('requires ImageMagick to be slower', () => {
    expect(judge(samples, { imageMagick: 5 })).toEqual({ aim: 'ImageMagick >= 5 x', value: 5, reached: true });
    expect(judge(samples, { imageMagick: 6 })).toMatchObject({ reached: false });
  });

  it('is undefined without ImageMagick', () => {
    expect(judge({ ours: samplesOf(1) }, { imageMagick: 5 })).toBeUndefined();
  });
});

describe('the slope', () => {
  it('is the mean growth per step', () => {
    expect(slope([10, 12, 14, 16])).toBeCloseTo(2);
    expect(slope([5, 7, 5, 7, 5])).toBeCloseTo(0);
    expect(slope([9, 6, 3])).toBeCloseTo(-3);
  });

  it('is 0 for one value', () => {
    expect(slope([3])).toBe(0);
  });
});
