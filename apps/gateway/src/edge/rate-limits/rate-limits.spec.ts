import { readRateLimits } from './rate-limits.js';

describe('RATE_LIMITS', () => {
  it('defaults to the published limits', () => {
    const { limits } = readRateLimits('');
    expect(limits.of('materials.create')).toEqual({ limit: 200, periodSeconds: 900 });
    expect(limits.of('favorites.create')).toEqual({ limit: 300, periodSeconds: 900 });
    expect(limits.of('materials.list')).toBeUndefined();
  });

  it('overrides the named limits', () => {
    const { limits, problems } = readRateLimits('materials.create=500/900, favorites.create=1000/60,');
    expect(problems).toEqual([]);
    expect(limits.of('materials.create')).toEqual({ limit: 500, periodSeconds: 900 });
    expect(limits.of('favorites.create')).toEqual({ limit: 1_000, periodSeconds: 60 });
    expect(limits.of('materials.text')).toEqual({ limit: 200, periodSeconds: 900 });
  });

  it.each([
    ['materials.create', 'must look like'],
    ['materials.create=0/900', 'must look like'],
    ['materials.create=5/0', 'must look like'],
    ['materials.create=-5/9', 'must look like'],
    ['materials.list=5/9', 'must name operations of'],
    ['__proto__=5/9', 'must name operations of'],
    ['toString=5/9', 'must name operations of'],
    ['materials.create=5/9,materials.create=6/9', 'names materials.create twice'],
    ['materials.create=5/9999999999', 'must have numbers up to'],
  ])('is rejected: %s', (text, problem) => {
    expect(readRateLimits(text).problems).toEqual([expect.stringContaining(problem)]);
  });

  it('reports all errors', () => {
    expect(readRateLimits('x,y=1/1').problems).toHaveLength(2);
  });
});
