import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { Cache, type CacheOptions, type Loading } from './cache.js';

const cacheOf = (options: Partial<CacheOptions<Buffer>> = {}): Cache<Buffer> =>
  new Cache<Buffer>({ name: 'responses', maxBytes: 1_000, bytesOf: ({ length }) => length, ...options });
const bytes = (length: number): Buffer => Buffer.alloc(length);

afterEach(() => void jest.restoreAllMocks());

/** A load that the test resolves or rejects. */
function pendingLoad() {
  let resolve!: (value: Buffer) => void;
  let reject!: (error: Error) => void;
  const value = new Promise<Buffer>((...settle) => ([resolve, reject] = settle));
  return { load: () => value, resolve, reject };
}

/** Returns a load whose values have 1, 2, 3 ... bytes. */
function countingLoad() {
  let loads = 0;
  return async () => {
    await sleep(1);
    return bytes(++loads);
  };
}

describe('maxBytes', () => {
  it('evicts the least recently used entries', () => {
    const cache = cacheOf();
    for (const key of ['a', 'b', 'c']) {
      cache.set(key, bytes(100));
      cache.get('a');
    }
    expect([cache.peek('a')?.length, cache.peek('b'), cache.peek('c')?.length]).toEqual([100, undefined, 100]);
    expect(cache.bytes).toBeLessThanOrEqual(1_000);
  });

  it('neither caches a value larger than the limit nor evicts others for it', async () => {
    const cache = cacheOf();
    cache.set('small', bytes(500));
    expect(await cache.load('large', () => bytes(1_000))).toHaveLength(1_000);
    expect([cache.peek('small')?.length, cache.peek('large'), cache.bytes]).toEqual([500, undefined, 766]);
  });

  it('caches nothing when it is 0, and caches empty values otherwise', async () => {
    const none = cacheOf({ maxBytes: 0 });
    expect(await none.load('a', () => bytes(0))).toHaveLength(0);
    expect(none.peek('a')).toBeUndefined();
    const cache = cacheOf();
    expect(await cache.load('a', () => bytes(0))).toBe(cache.peek('a'));
  });
});

describe('load', () => {
  it('is shared by all callers, even if other entries fill the cache while it is in flight', async () => {
    const cache = cacheOf();
    const { load, resolve } = pendingLoad();
    const [one, other] = [cache.load('a', load), cache.load('a', () => bytes(1))];
    cache.set('b', bytes(742));
    expect(cache.bytes).toBe(1_000);
    resolve(bytes(7));
    expect(await one).toHaveLength(7);
    expect(await other).toBe(await one);
  });

  it('resolves for its first caller before those that share it', async () => {
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

  it('rejects for all callers that share it when it fails, and is not cached', async () => {
    const cache = cacheOf();
    const { load, reject } = pendingLoad();
    const all = Promise.allSettled([cache.load('a', load), cache.load('a', load)]);
    reject(new Error('once'));
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
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
  it('is counted from the end of the load', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const cache = cacheOf({ ttlMs: () => 40 });
    const { load, resolve } = pendingLoad();
    const loading = cache.load('a', load);
    clock.mockReturnValue(1_025);
    resolve(bytes(1));
    await loading;
    expect(cache.peek('a')).toHaveLength(1);
    clock.mockReturnValue(1_064);
    expect(cache.peek('a')).toHaveLength(1);
    clock.mockReturnValue(1_065);
    expect(cache.peek('a')).toBeUndefined();
    expect(cache.peekExpired('a')).toHaveLength(1);
    expect(await cache.load('a', () => bytes(2))).toHaveLength(2);
  });

  it('prevents caching of a value for which ttlMs returns 0', async () => {
    const cache = cacheOf({ ttlMs: ({ length }) => length });
    await cache.load('a', () => bytes(0));
    expect(cache.peek('a')).toBeUndefined();
  });
});

describe('loadValid', () => {
  it('returns a valid cached value, and reloads an invalid value once for all callers', async () => {
    const cache = cacheOf();
    const load = countingLoad();
    expect(await cache.loadValid('a', load, () => false)).toHaveLength(1);
    expect(await cache.loadValid('a', load, () => true)).toHaveLength(1);
    const all = await Promise.all([1, 2, 3].map(() => cache.loadValid('a', load, () => false)));
    expect(all.map(({ length }) => length)).toEqual([2, 2, 2]);
  });

  it('resolves for the caller that started the load before those that share it', async () => {
    const cache = cacheOf();
    const order: number[] = [];
    const isValid = () => false;
    await Promise.all([1, 2].map((n) => cache.loadValid('a', countingLoad(), isValid).then(() => order.push(n))));
    expect(order).toEqual([1, 2]);
  });

  it('returns the value of a load that started before the call only if it is valid', async () => {
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

it('get and memo return the cached value, and get returns only a valid value', () => {
  const cache = cacheOf();
  expect(cache.memo('a', () => bytes(2))).toHaveLength(2);
  expect(cache.memo('a', () => bytes(3))).toHaveLength(2);
  expect(cache.get('a', ({ length }) => length === 2)).toHaveLength(2);
  expect(cache.get('a', ({ length }) => length !== 2)).toBeUndefined();
});

describe('reload', () => {
  it('is cached when it ends, unless a later load has ended before', async () => {
    const cache = cacheOf();
    const [early, late] = [pendingLoad(), pendingLoad()];
    const first = cache.reload('a', early.load);
    await sleep(2);
    const second = cache.reload('a', late.load);
    early.resolve(bytes(1));
    await first;
    expect(cache.peek('a')).toHaveLength(1);
    late.resolve(bytes(2));
    await second;
    expect(cache.peek('a')).toHaveLength(2);

    const [older, newer] = [pendingLoad(), pendingLoad()];
    const third = cache.reload('a', older.load);
    await sleep(2);
    const fourth = cache.reload('a', newer.load);
    newer.resolve(bytes(4));
    await fourth;
    older.resolve(bytes(3));
    await third;
    expect(cache.peek('a')).toHaveLength(4);
  });

  it.each([
    ['delete', (cache: Cache<Buffer>) => cache.delete('a')],
    ['clear', (cache: Cache<Buffer>) => cache.clear()],
    ['set', (cache: Cache<Buffer>) => cache.set('a', bytes(9))],
  ] as const)('is not cached after a %s, even with several loads in flight', async (_, invalidate) => {
    const cache = cacheOf();
    const pending = [pendingLoad(), pendingLoad()];
    const all = pending.map(({ load }) => cache.reload('a', load));
    invalidate(cache);
    const before = cache.peek('a');
    pending.forEach(({ resolve }, n) => resolve(bytes(n + 1)));
    await Promise.all(all);
    expect(cache.peek('a')).toBe(before);
  });
});

it('delete and clear delete the cached value', () => {
  const cache = cacheOf();
  cache.set('a', bytes(1));
  cache.delete('a');
  expect(cache.peek('a')).toBeUndefined();
  cache.set('a', bytes(1));
  cache.clear();
  expect(cache.peek('a')).toBeUndefined();
});

it('inFlight returns a load that started at or after a given time', async () => {
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

it('load rejects if bytesOf returns no number', async () => {
  const cache = cacheOf({ bytesOf: () => NaN });
  await expect(cache.load('a', () => bytes(1))).rejects.toThrow(TypeError);
});

describe('the metrics', () => {
  const linesOf = async (registry: Registry): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('cache_'));

  it('sum lookups, evictions and memory of all caches with the same name', async () => {
    const registry = new Registry();
    const [cache, other] = [cacheOf({ registry }), cacheOf({ registry })];
    const pending = pendingLoad();
    const shared = [cache.load('a', pending.load), cache.loadValid('a', pending.load, () => true)];
    pending.resolve(bytes(300));
    await Promise.all(shared);
    await cache.load('a', () => bytes(300));
    await cache.loadValid('a', pending.load, () => true);
    cache.get('a');
    cache.memo('b', () => bytes(300));
    other.count('hit');
    other.set('c', bytes(100));
    expect(await linesOf(registry)).toEqual([
      'cache_lookups_total{cache="responses",outcome="hit"} 4',
      'cache_lookups_total{cache="responses",outcome="shared"} 1',
      'cache_lookups_total{cache="responses",outcome="miss"} 2',
      'cache_evictions_total{cache="responses"} 1',
      'cache_bytes{cache="responses"} 916',
      'cache_limit_bytes{cache="responses"} 2000',
    ]);
  });

  it('contain no limit for a cache without limit', async () => {
    const registry = new Registry();
    cacheOf({ registry, maxBytes: Infinity }).set('a', bytes(1_000_000));
    expect((await linesOf(registry)).filter((line) => !line.includes('lookups'))).toEqual([
      'cache_evictions_total{cache="responses"} 0',
      'cache_bytes{cache="responses"} 1000258',
    ]);
  });
});
