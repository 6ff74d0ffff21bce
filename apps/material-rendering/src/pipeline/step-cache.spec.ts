import { StepCache } from './step-cache.js';

const cacheOf = (limit: number): StepCache<Buffer> => new StepCache<Buffer>(limit, (value) => value.length);
const bytes = (length: number): Buffer => Buffer.alloc(length);

describe('a cache of steps', () => {
  it('returns a value larger than the limit and does not store it, nor evict the others for it', async () => {
    const cache = cacheOf(1_000);
    await cache.get('small', () => bytes(500));
    expect(await cache.get('large', () => bytes(1_000))).toHaveLength(1_000);
    expect([cache.peek('small')?.length, cache.peek('large'), cache.bytes]).toEqual([500, undefined, 756]);
  });

  it('takes an empty value', async () => {
    const cache = cacheOf(1_000);
    await cache.get('empty', () => bytes(0));
    expect(cache.peek('empty')).toHaveLength(0);
  });

  it('gives all callers the one value that was made, also when its entry is evicted meanwhile', async () => {
    const cache = cacheOf(1_000);
    let finish: (value: Buffer) => void = () => undefined;
    const made = new Promise<Buffer>((resolve) => (finish = resolve));
    const [one, other] = [cache.get('a', () => made), cache.get('a', () => bytes(1))];
    // Fills the cache, so that the entry of the making is evicted
    await cache.get('b', () => bytes(744));
    expect(cache.bytes).toBe(1_000);
    finish(bytes(7));
    expect(await one).toHaveLength(7);
    expect(await other).toBe(await one);
  });

  it('does not cache a failure', async () => {
    const cache = cacheOf(1_000);
    await expect(cache.get('a', () => Promise.reject(new Error('once')))).rejects.toThrow('once');
    expect(await cache.get('a', () => bytes(3))).toHaveLength(3);
  });

  it('counts hits and misses, a shared making as a miss', async () => {
    const cache = cacheOf(1_000);
    await Promise.all([cache.get('a', () => bytes(1)), cache.get('a', () => bytes(1))]);
    await cache.get('a', () => bytes(1));
    expect([cache.hits, cache.misses]).toEqual([1, 2]);
  });
});
