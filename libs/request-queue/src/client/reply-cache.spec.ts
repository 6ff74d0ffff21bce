import { ReplyCache } from './reply-cache.js';

const bytes = (length: number): Buffer => Buffer.alloc(length, 'x');

describe('ReplyCache', () => {
  it('finds a body by the request that it was the last reply to', () => {
    const cache = new ReplyCache(100_000);
    expect(cache.last('list')).toBeUndefined();
    cache.store('list', '"one"', Buffer.from('one'));
    cache.store('list', '"two"', Buffer.from('two'));
    cache.store('other', '"one"', Buffer.from('one'));
    expect(cache.last('list')).toMatchObject({ etag: '"two"', body: Buffer.from('two') });
    expect(cache.last('other')).toMatchObject({ etag: '"one"' });
  });

  it('stores one body, with its encodings, for all requests that have the same reply', () => {
    const cache = new ReplyCache(100_000);
    const body = cache.store('list', '"one"', Buffer.from('one'));
    body.encoded.set('br', Promise.resolve(Buffer.from('o')));
    expect(cache.store('list of another', '"one"', Buffer.from('one'))).toBe(body);
  });

  it('copies a body, so that the received buffer is not retained', () => {
    const received = Buffer.alloc(1024 * 1024, 'x');
    const { body } = new ReplyCache(100_000).store('list', '"one"', received.subarray(100, 5_100));
    expect(body.buffer.byteLength).toBeLessThan(20_000);
    received.fill('y');
    expect(body.equals(bytes(5_000))).toBe(true);
  });

  it('stays within its limit and evicts the least recently used body', () => {
    const cache = new ReplyCache(1_000_000);
    for (let n = 0; n < 1_000; n++) {
      cache.store(`page ${n}`, `"${n}"`, bytes(10_000));
      expect(cache.last('page 0')).toBeDefined();
      expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(cache.last('page 999')).toBeDefined();
    expect(cache.last('page 1')).toBeUndefined();
    // With its encodings larger than the whole cache
    cache.store('huge', '"huge"', bytes(600_000));
    expect(cache.last('huge')).toBeUndefined();
  });
});
