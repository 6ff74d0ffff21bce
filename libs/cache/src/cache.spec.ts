import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { Cache, type CacheOptions, type Loading } from './cache.js';

const cacheOf = (options: Partial<CacheOptions<Buffer>> = {}): Cache<Buffer> =>
  new Cache<Buffer>({ name: 'test', maxBytes: 1_000, bytesOf: ({ length }) => length, ...options });
const bytes = (length: number): Buffer => Buffer.alloc(length);

/** A load that the test ends. */
function pendingLoad() {
  let resolve!: (value: Buffer) => void;
  let reject!: (error: Error) => void;
  const value = new Promise<Buffer>((...settle) => ([resolve, reject] = settle));
  return { load: () => value, resolve, reject };
}

/** Loads values of 1, 2, 3 ... bytes. */
function countingLoad() {
  let loads = 0;
  return async () => {
    await sleep(1);
    return bytes(++loads);
  };
}

describe('the limit in bytes', () => {
  it('evicts the least recently used entries', () => {
    const cache = cacheOf();
    for (const key of ['a', 'b', 'c']) {
      cache.set(key, bytes(100));
      cache.get('a');
    }
    expect([cache.peek('a')?.length, cache.peek('b'), cache.peek('c')?.length]).toEqual([100, undefined, 100]);
    expect(cache.bytes).toBeLessThanOrEqual(1_000);
  });

  it('does not cache a value larger than the limit, nor evict others for it', async () => {
    const cache = cacheOf();
    cache.set('small', bytes(500));
    expect(await cache.load('large', () => bytes(1_000))).toHaveLength(1_000);
    expect([cache.peek('small')?.length, cache.peek('large'), cache.bytes]).toEqual([500, undefined, 766]);
  });

  it('caches nothing when it is 0, and empty values otherwise', async () => {
    const none = cacheOf({ maxBytes: 0 });
    expect(await none.load('a', () => bytes(0))).toHaveLength(0);
    expect(none.peek('a')).toBeUndefined();
    const cache = cacheOf();
    expect(await cache.load('a', () => bytes(0))).toBe(cache.peek('a'));
  });
});

describe('load', () => {
  it('is shared by all callers, also if other entries fill the cache until it ends', async () => {
    const cache = cacheOf();
    const { load, resolve } = pendingLoad();
    const [one, other] = [cache.load('a', load), cache.load('a', () => bytes(1))];
    cache.set('b', bytes(742));
    expect(cache.bytes).toBe(1_000);
    resolve(bytes(7));
    expect(await one).toHaveLength(7);
    expect(await other).toBe(await one);
  });

  it('ends for its first caller before those who share it', async () => {
    const cache = cacheOf();
    const { load, resolve } = pendingLoad();
    const order: string[] = [];
    const all = [
      cache.load('a', load).then(() => order.push('first')),
      cache.load('a', load).then(() => order.push('second')),
    ];
    resolve(bytes(1));
    await Promise.all(all);
    expect(order).toEqual(['first', 'second']);
  });

  it('does not cache a failure', async () => {
    const cache = cacheOf();
    await expect(cache.load('a', () => Promise.reject(new Error('once')))).rejects.toThrow('once');
    expect(await cache.load('a', () => bytes(3))).toHaveLength(3);
  });

  it.each([
    ['delete', (cache: Cache<Buffer>) => cache.delete('a')],
    ['clear', (cache: Cache<Buffer>) => cache.clear()],
  ] as const)('is not cached after a %s, and the next caller loads again', async (by, invalidate) => {
    const cache = cacheOf();
    const { load, resolve } = pendingLoad();
    let seen: Loading | undefined;
    const first = cache.load('a', (loading) => {
      seen = loading;
      return load();
    });
    invalidate(cache);
    const second = cache.load('a', () => bytes(2));
    resolve(bytes(1));
    expect(await first).toHaveLength(1);
    expect(await second).toHaveLength(2);
    expect(cache.peek('a')).toHaveLength(2);
    expect(seen!.invalidatedBy).toBe(by);
  });
});

describe('ttlMs', () => {
  it('limits the life of a value, from the start of its loading', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const cache = cacheOf({ ttlMs: () => 40 });
    const { load, resolve } = pendingLoad();
    const loading = cache.load('a', load);
    clock.mockReturnValue(1_025);
    resolve(bytes(1));
    await loading;
    expect(cache.peek('a')).toHaveLength(1);
    clock.mockReturnValue(1_040);
    expect(cache.peek('a')).toBeUndefined();
    clock.mockRestore();
  });

  it('caches no value for which it is 0', async () => {
    const cache = cacheOf({ ttlMs: ({ length }) => length });
    await cache.load('a', () => bytes(0));
    expect(cache.peek('a')).toBeUndefined();
  });
});

describe('loadValid', () => {
  it('returns a cached value that is valid, and loads an invalid one again, once for all callers', async () => {
    const cache = cacheOf();
    const load = countingLoad();
    expect(await cache.loadValid('a', load, () => false)).toHaveLength(1);
    expect(await cache.loadValid('a', load, () => true)).toHaveLength(1);
    const all = await Promise.all([1, 2, 3].map(() => cache.loadValid('a', load, () => false)));
    expect(all.map(({ length }) => length)).toEqual([2, 2, 2]);
  });

  it('ends for the caller that started the load before those who share it', async () => {
    const cache = cacheOf();
    const order: number[] = [];
    const isValid = () => false;
    await Promise.all([1, 2].map((n) => cache.loadValid('a', countingLoad(), isValid).then(() => order.push(n))));
    expect(order).toEqual([1, 2]);
  });

  it('does not return the value of a load that started before the call unless it is valid', async () => {
    const cache = cacheOf();
    const { load, resolve } = pendingLoad();
    const early = cache.load('a', load);
    await sleep(2);
    const late = [1, 2].map(() =>
      cache.loadValid(
        'a',
        () => Promise.resolve(bytes(2)),
        ({ length }) => length > 9,
      ),
    );
    resolve(bytes(1));
    expect(await early).toHaveLength(1);
    expect((await Promise.all(late)).map(({ length }) => length)).toEqual([2, 2]);
  });
});

it('memo validates the cached value', () => {
  const cache = cacheOf();
  const odd = ({ length }: Buffer) => length % 2 === 1;
  expect(cache.memo('a', () => bytes(2))).toHaveLength(2);
  expect(cache.memo('a', () => bytes(3), odd)).toHaveLength(3);
  expect(cache.memo('a', () => bytes(5), odd)).toHaveLength(3);
});

it('inFlight returns a load that started since a moment', async () => {
  const cache = cacheOf();
  const { load, resolve } = pendingLoad();
  const loading = cache.load('a', load);
  expect(cache.inFlight('a')).toBe(loading);
  await sleep(1);
  expect(cache.inFlight('a', performance.now())).toBeUndefined();
  resolve(bytes(1));
  await loading;
  expect(cache.inFlight('a')).toBeUndefined();
});

it('counts lookups and evictions, and shows its memory', async () => {
  const registry = new Registry();
  const cache = cacheOf({ registry });
  await Promise.all([cache.load('a', () => bytes(300)), cache.load('a', () => bytes(300))]);
  await cache.load('a', () => bytes(300));
  cache.set('b', bytes(300));
  const text = await registry.metrics();
  expect(text.split('\n').filter((line) => line.startsWith('cache_'))).toEqual([
    'cache_lookups_total{cache="test",outcome="hit"} 1',
    'cache_lookups_total{cache="test",outcome="shared"} 1',
    'cache_lookups_total{cache="test",outcome="miss"} 2',
    'cache_evictions_total{cache="test"} 1',
    'cache_bytes{cache="test"} 558',
    'cache_limit_bytes{cache="test"} 1000',
  ]);
});
