import { problems } from '#contracts';
import { rangeOf } from './byte-range.rules.js';

const etag = '"image"';
const size = 5_000;
const rangeFor = (headers: Record<string, string>, method = 'GET') => rangeOf({ method, headers }, { etag, size });

describe('a byte range', () => {
  it.each([
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, 4_999],
    ['bytes=4999-', 4_999, 4_999],
    ['bytes=-1', 4_999, 4_999],
    ['bytes=-5000', 0, 4_999],
    ['bytes=-9000', 0, 4_999],
    ['bytes=-99999999999999999999999', 0, 4_999],
    ['bytes=4000-9000', 4_000, 4_999],
    ['bytes=0-99999999999999999999999', 0, 4_999],
    ['BYTES=1-2', 1, 2],
    ['bytes= 1-2', 1, 2],
    ['bytes=0-0,6000-7000', 0, 0],
  ])('%s is parsed', (range, start, end) => {
    expect(rangeFor({ range })).toEqual({ start, end });
  });

  it.each(['bytes=5000-', 'bytes=5000-6000', 'bytes=-0', 'bytes=9-8', 'bytes=6000-7000,8000-'])(
    'that is not satisfiable is rejected with the size: %s',
    (range) => {
      const rejection = {
        kind: problems['request.range-not-satisfiable'],
        headers: { 'content-range': 'bytes */5000' },
      };
      expect(() => rangeFor({ range })).toThrow(expect.objectContaining(rejection));
    },
  );

  it.each([
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1.5-3',
    'bytes=--5',
    'lines=0-9',
    'lines=6000-',
    'bytes=0-1,3-4',
    '',
  ])('that is missing, invalid or one of several selects the complete image: %s', (range) => {
    expect(rangeFor({ range })).toBeNull();
  });

  it('is ignored for HEAD, and absent without a Range header', () => {
    expect(rangeFor({ range: 'bytes=0-9' }, 'HEAD')).toBeNull();
    expect(rangeFor({})).toBeNull();
  });

  it.each([
    [etag, true],
    ['"other"', false],
    [`W/${etag}`, false],
    ['Fri, 20 Nov 2026 09:00:00 GMT', false],
    ['', false],
  ])('applies only if If-Range is the strong entity tag of the image: %s', (condition, applies) => {
    expect(rangeFor({ range: 'bytes=0-9', 'if-range': condition })).toEqual(applies ? { start: 0, end: 9 } : null);
  });

  it.each([
    [etag, false],
    [`"other", W/${etag}`, false],
    ['*', false],
    ['"other"', true],
  ])('applies only if If-None-Match does not match: %s', (known, applies) => {
    expect(rangeFor({ range: 'bytes=0-9', 'if-none-match': known })).toEqual(applies ? { start: 0, end: 9 } : null);
  });
});
