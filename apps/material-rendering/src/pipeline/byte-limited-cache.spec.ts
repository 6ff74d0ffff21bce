import { ByteLimitedCache } from './byte-limited-cache.js';

const cacheOf = (limit: number): ByteLimitedCache<string> =>
  new ByteLimitedCache<string>(limit, (value) => value.length);

describe('a cache limited in bytes', () => {
  it('makes a value once and keeps it', async () => {
    const cache = cacheOf(10);
    await cache.get('a', () => 'first');
    expect(await cache.get('a', () => 'second')).toBe('first');
  });

  it('gives up what was used longest ago, and never holds more than its limit', async () => {
    const cache = cacheOf(10);
    await cache.get('a', () => 'aaaa');
    await cache.get('b', () => 'bbbb');
    cache.peek('a');
    await cache.get('c', () => 'cccc');
    expect([cache.peek('a'), cache.peek('b'), cache.peek('c')]).toEqual(['aaaa', undefined, 'cccc']);
    expect(cache.bytes).toBe(8);
  });

  it('hands out a value that is larger than the limit, without giving up the others for it', async () => {
    const cache = cacheOf(5);
    await cache.get('small', () => 'ok');
    expect(await cache.get('large', () => 'too large')).toBe('too large');
    expect([cache.peek('small'), cache.peek('large'), cache.bytes]).toEqual(['ok', undefined, 2]);
  });

  it('makes a value once for all who ask meanwhile', async () => {
    const cache = cacheOf(10);
    let made = 0;
    const make = async (): Promise<string> => {
      await Promise.resolve();
      return `made ${++made}`;
    };
    expect(await Promise.all([cache.get('a', make), cache.get('a', make)])).toEqual(['made 1', 'made 1']);
  });

  it('forgets a failure', async () => {
    const cache = cacheOf(10);
    await expect(cache.get('a', () => Promise.reject(new Error('once')))).rejects.toThrow('once');
    expect(await cache.get('a', () => 'later')).toBe('later');
  });
});
