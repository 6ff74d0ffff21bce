import { ReplyCache } from './reply-cache.js';

const bytes = (length: number): Buffer => Buffer.alloc(length, 'x');

const reply = (etag: string) => ({ etag, headers: { etag }, validity: undefined });

describe('ReplyCache', () => {
  it('finds a body by the request that it was the last reply to', () => {
    const cache = new ReplyCache(100_000);
    expect(cache.last('list')).toBeUndefined();
    cache.store('list', reply('"one"'), Buffer.from('one'));
    cache.store('list', reply('"two"'), Buffer.from('two'));
    cache.store('other', reply('"one"'), Buffer.from('one'));
    expect(cache.last('list')).toMatchObject({ reply: { etag: '"two"' }, cached: { body: Buffer.from('two') } });
    expect(cache.last('other')).toMatchObject({ reply: { etag: '"one"' } });
  });

  it('stores one body, with its encodings, for all requests that have the same reply', () => {
    const cache = new ReplyCache(100_000);
    const body = cache.store('list', reply('"one"'), Buffer.from('one'));
    expect(cache.store('list of another', reply('"one"'), Buffer.from('one'))).toBe(body);
  });

  it('copies a body, so that the received buffer is not retained', () => {
    const received = Buffer.alloc(1024 * 1024, 'x');
    const { body } = new ReplyCache(100_000).store('list', reply('"one"'), received.subarray(100, 5_100));
    expect(body.buffer.byteLength).toBeLessThan(20_000);
    received.fill('y');
    expect(body.equals(bytes(5_000))).toBe(true);
  });

  it('stays within its limit and evicts the least recently used body', () => {
    const cache = new ReplyCache(1_000_000);
    for (let n = 0; n < 1_000; n++) {
      cache.store(`page ${n}`, reply(`"${n}"`), bytes(10_000));
      expect(cache.last('page 0')).toBeDefined();
      expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(cache.last('page 999')).toBeDefined();
    expect(cache.last('page 1')).toBeUndefined();
    // Larger than the whole cache
    cache.store('huge', reply('"huge"'), bytes(950_000));
    expect(cache.last('huge')).toBeUndefined();
  });

  it('counts the bodies in other codings', async () => {
    const cache = new ReplyCache(1_000_000);
    const bodies = Array.from({ length: 60 }, (_, n) => cache.store(`page ${n}`, reply(`"${n}"`), bytes(10_000)));
    const before = cache.bytes;
    await bodies[0]!.encodedAs('br', () => Promise.resolve(bytes(5_000)));
    expect(cache.bytes).toBe(before + 5_000);
    for (const body of bodies) await body.encodedAs('gzip', () => Promise.resolve(bytes(9_000)));
    expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
    expect(cache.last('page 59')).toBeDefined();
    expect(cache.last('page 0')).toBeUndefined();
  });

  it('has the newest headers and validity of a confirmed reply', () => {
    const cache = new ReplyCache(100_000);
    cache.store('list', reply('"one"'), Buffer.from('one'));
    const confirmed = { etag: '"one"', headers: { etag: '"one"', link: 'next' }, validity: 'now' };
    cache.confirm('list', confirmed);
    expect(cache.last('list')).toMatchObject({ reply: confirmed, cached: { body: Buffer.from('one') } });
  });

  it('does not validate replies that are never used again', () => {
    const cache = new ReplyCache(100_000);
    const next = (validity: string): boolean => {
      cache.store('list', { etag: '"one"', headers: {}, validity }, Buffer.from('one'));
      return cache.isWorthValidating('list');
    };
    expect(['1', '2', '3', '4', '4'].map(next)).toEqual([true, true, true, false, true]);
    cache.countUse('list', cache.last('list')!.reply);
    expect(['5', '6', '7', '8'].map(next)).toEqual([true, true, true, false]);
  });
});
