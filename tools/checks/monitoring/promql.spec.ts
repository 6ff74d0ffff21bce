import { readQuery } from './promql.js';

describe('a query', () => {
  it('is parsed into metrics, labels and values', () => {
    const { selectors, groupings, rates } = readQuery(
      'sum by (app, le) (rate(a_bucket{b="c", d!~"e|f"}[5m]) * on (job) group_left (app) g) / min(h) > 3',
    );
    expect(selectors).toEqual([
      {
        metric: 'a_bucket',
        matchers: [
          { label: 'b', operator: '=', value: 'c' },
          { label: 'd', operator: '!~', value: 'e|f' },
        ],
      },
      { metric: 'g', matchers: [] },
      { metric: 'h', matchers: [] },
    ]);
    expect(groupings).toEqual([
      { labels: ['app', 'le'], metrics: ['a_bucket', 'g'] },
      { labels: ['job'], metrics: ['a_bucket', 'g'] },
      { labels: ['app'], metrics: ['a_bucket', 'g'] },
    ]);
    expect(rates).toEqual(['a_bucket']);
  });

  it.each(['sum(rate(a[5m])', 'rate(a[five])', 'a{b=c}', 'a +', ''])('%j is rejected', (text) => {
    expect(() => readQuery(text)).toThrow('Invalid query from');
  });
});
