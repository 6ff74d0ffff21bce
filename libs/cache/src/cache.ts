import { LRUCache } from 'lru-cache';
import { type Registry } from 'prom-client';
import { cacheMetrics } from './metrics.js';
import { type CacheName } from './names.js';

export interface CacheOptions<Value> {
  /** Label `cache` of the metrics. Caches of one process with the same name are summed. */
  readonly name: CacheName;
  /** Limit of all entries together. With 0 nothing is cached; loads are still shared. */
  readonly maxBytes: number;
  /** Returns the estimated memory of a value. The key and a constant per entry are added to it. */
  readonly bytesOf: (value: Value) => number;
  /**
   * Returns the time after which a value expires; a value with 0 or less is not cached. No expiry
   * by default.
   */
  readonly ttlMs?: (value: Value) => number;
  /** Registry of the metrics, in tests. */
  readonly registry?: Registry;
}

/** State of a load, passed to the function that loads the value. */
export interface Loading {
  /**
   * Set if the key was deleted or set, or the cache cleared, since the load started: the value is
   * returned and not cached.
   */
  readonly invalidatedBy: 'delete' | 'clear' | undefined;
}

class Load<Value> implements Loading {
  readonly startedAt = performance.now();
  invalidatedBy: Loading['invalidatedBy'];
  value!: Promise<Value>;
}

interface Entry<Value> {
  readonly value: Value;
  /**
   * Start of the load, or time of `set`, by `performance.now()`. A loaded value contains all data
   * that was committed before.
   */
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** Memory of an entry in V8 and lru-cache, without its key and value. */
const entryBytes = 256;
const anyTime = -Infinity;

/**
 * LRU cache that is bounded in bytes. Values larger than the limit are not cached. Concurrent
 * misses of a key share one load; a failed load is not cached. The metrics reference the cache
 * weakly, so that it needs no `close`.
 */
export class Cache<Value> {
  private readonly entries: LRUCache<string, Entry<Value>>;
  /** Loads in flight by key, newest last, without the invalidated ones. */
  private readonly loads = new Map<string, Load<Value>[]>();
  private readonly counts = { hit: 0, shared: 0, miss: 0 };
  private evictions = 0;

  constructor(private readonly options: CacheOptions<Value>) {
    const { maxBytes, bytesOf } = options;
    this.entries = new LRUCache({
      maxSize: Math.min(Math.max(1, Math.floor(maxBytes)), Number.MAX_SAFE_INTEGER),
      sizeCalculation: ({ value }, key) => Math.ceil(bytesOf(value)) + 2 * key.length + entryBytes,
      dispose: (_entry, _key, reason) => void (this.evictions += reason === 'evict' ? 1 : 0),
    });
    this.registerMetrics();
  }

  /** Estimated bytes of all entries, never above the limit. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  /**
   * Returns the cached value and counts a hit.
   *
   * @param isValid a value for which it returns false is not returned
   */
  get(key: string, isValid?: (value: Value) => boolean): Value | undefined {
    const entry = this.entry(key);
    if (!entry || isValid?.(entry.value) === false) return undefined;
    this.counts.hit += 1;
    return entry.value;
  }

  /**
   * Returns the cached value and counts nothing. For callers that validate it later, then `count`
   * the outcome.
   */
  peek(key: string): Value | undefined {
    return this.entry(key)?.value;
  }

  /** Returns the value even if it has expired, and counts nothing. */
  peekExpired(key: string): Value | undefined {
    return this.entries.get(key)?.value;
  }

  count(outcome: 'hit' | 'shared' | 'miss'): void {
    this.counts[outcome] += 1;
  }

  /** Caches a value, and counts nothing. Loads of the same key in flight will not be cached. */
  set(key: string, value: Value): void {
    this.delete(key);
    this.store(key, value, performance.now());
  }

  /** Returns the cached value, or computes and caches it. */
  memo(key: string, compute: () => Value): Value {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    this.counts.miss += 1;
    const value = compute();
    this.set(key, value);
    return value;
  }

  /** Returns the cached value, or the value of the load in flight, or starts a load. */
  load(key: string, load: (loading: Loading) => Value | Promise<Value>): Promise<Value> {
    const entry = this.entry(key);
    if (entry) {
      this.counts.hit += 1;
      return Promise.resolve(entry.value);
    }
    const shared = this.inFlight(key);
    if (!shared) return this.reload(key, load);
    this.counts.shared += 1;
    return shared;
  }

  /**
   * Returns a value that `isValid` accepts, or the value of a load that started after the call,
   * which is not validated: no value is newer. Callers whose `isValid` rejects the cached value
   * share the next load.
   */
  async loadValid(key: string, load: () => Promise<Value>, isValid: (value: Value) => boolean): Promise<Value> {
    const calledAt = performance.now();
    for (;;) {
      const entry = this.entry(key);
      if (entry && (entry.startedAt >= calledAt || isValid(entry.value))) {
        this.counts.hit += 1;
        return entry.value;
      }
      // Yields, so that the load starts after the calls of all callers of this tick, who then share
      // it
      await Promise.resolve();
      const current = this.loads.get(key)?.at(-1);
      // Awaited here, so that this caller continues before those that share the load
      if (!current) return await this.reload(key, load);
      const value = await current.value;
      if (current.startedAt >= calledAt || isValid(value)) {
        this.counts.shared += 1;
        return value;
      }
    }
  }

  /**
   * Returns the value of the newest load in flight, and counts nothing.
   *
   * @param since earliest start of the load, by `performance.now()`
   */
  inFlight(key: string, since = anyTime): Promise<Value> | undefined {
    const load = this.loads.get(key)?.at(-1);
    return load && load.startedAt >= since ? load.value : undefined;
  }

  /**
   * Starts a load even if a value is cached or a load is in flight, and counts a miss. The value is
   * cached unless the load was invalidated, or the load of the cached value started later.
   */
  reload(key: string, load: (loading: Loading) => Value | Promise<Value>): Promise<Value> {
    this.counts.miss += 1;
    const loading = new Load<Value>();
    const loads = this.loads.get(key);
    if (loads) loads.push(loading);
    else this.loads.set(key, [loading]);
    loading.value = this.loadAndStore(key, loading, load);
    return loading.value;
  }

  /**
   * Deletes the value of a key. The values of loads in flight are returned to their callers and not
   * cached; the next caller starts a new load.
   */
  delete(key: string): void {
    this.entries.delete(key);
    this.invalidate(key, 'delete');
  }

  /** Deletes all values, as `delete` does for each key. */
  clear(): void {
    this.entries.clear();
    for (const key of [...this.loads.keys()]) this.invalidate(key, 'clear');
  }

  private entry(key: string): Entry<Value> | undefined {
    const entry = this.entries.get(key);
    return entry && (entry.expiresAt === Infinity || entry.expiresAt > performance.now()) ? entry : undefined;
  }

  private async loadAndStore(
    key: string,
    loading: Load<Value>,
    load: (loading: Loading) => Value | Promise<Value>,
  ): Promise<Value> {
    try {
      const value = await load(loading);
      const { startedAt, invalidatedBy } = loading;
      const isNewest = startedAt >= (this.entries.peek(key)?.startedAt ?? anyTime);
      if (!invalidatedBy && isNewest) this.store(key, value, startedAt);
      return value;
    } finally {
      const others = this.loads.get(key)?.filter((other) => other !== loading) ?? [];
      if (others.length > 0) this.loads.set(key, others);
      else this.loads.delete(key);
    }
  }

  private store(key: string, value: Value, startedAt: number): void {
    const ttlMs = this.options.ttlMs?.(value) ?? Infinity;
    if (ttlMs > 0) this.entries.set(key, { value, startedAt, expiresAt: performance.now() + ttlMs });
  }

  private invalidate(key: string, by: 'delete' | 'clear'): void {
    for (const load of this.loads.get(key) ?? []) load.invalidatedBy = by;
    this.loads.delete(key);
  }

  private registerMetrics(): void {
    const { name: cache, maxBytes, registry } = this.options;
    const { lookups, evictions, bytes, limit } = cacheMetrics(registry);
    const self = new WeakRef(this);
    for (const outcome of ['hit', 'shared', 'miss'] as const) {
      lookups.watch({ cache, outcome }, () => self.deref()?.counts[outcome]);
    }
    evictions.watch({ cache }, () => self.deref()?.evictions);
    bytes.watch({ cache }, () => self.deref()?.bytes);
    if (Number.isFinite(maxBytes)) limit.watch({ cache }, () => self.deref() && maxBytes);
  }
}
