import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { offsetOf, pagerOf } from './pager.view.js';

const at = (url: string): number => offsetOf({ url } as FastifyRequest);

describe('pager', () => {
  it('reads the offset of the query, 0 without one', () => {
    expect([at('/'), at('/search?q=a&offset=48')]).toEqual([0, 48]);
  });

  it.each(['-1', 'x', '', '1e3', '9999999999', '%00'])('rejects the offset "%s"', (offset) => {
    expect(() => at(`/?offset=${offset}`)).toThrow(expect.objectContaining({ kind: problems['request.invalid'] }));
  });

  it('links to the previous and next page if there is one', () => {
    expect(pagerOf('/hanako', 0, false)).toEqual({ previous: null, next: null });
    expect(pagerOf('/hanako', 24, true)).toEqual({ previous: '/hanako', next: '/hanako?offset=48' });
    expect(pagerOf('/search?q=a', 30, true)).toEqual({
      previous: '/search?q=a&offset=6',
      next: '/search?q=a&offset=54',
    });
  });
});
