import { LRUCache } from 'lru-cache';
import { type Registry } from 'prom-client';
import { cacheMetrics } from './metrics.js';
import { type CacheName } from './names.js';

export interface CacheOptions<Value> {
  /** The label `cache` of its metrics. Caches of one process that have the same name are added up. */
  readonly name: CacheName;
  /** Limit of all entries together. 0 caches nothing, and loads are still shared. */
  readonly maxBytes: number;
  /** Estimated memory of a value. Its key and a constant for the entry are added. */
  readonly bytesOf: (value: Value) => number;
  /** How long a value may be used; 0 or less if it is not cached. Without limit by default. */
  readonly ttlMs?: (value: Value) => number;
  /** Where the metrics are shown, in tests. */
  readonly registry?: Registry;
}

/** A value that is being loaded, for the function that loads it. */
export interface Loading {
  /** Set if the key was deleted, or the cache cleared, since the start: the value is returned and not cached. */
  readonly invalidatedBy: 'delete' | 'clear' | undefined;
}

class Load<Value> implements Loading {
  readonly startedAt = performance.now();
  invalidatedBy: Loading['invalidatedBy'];
  value!: Promise<Value>;
}

interface Entry<Value> {
  readonly value: Value;
  /** When its loading started, by `performance.now()`. It contains all that was committed before. */
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** Memory that V8 and lru-cache need for an entry beside its key and value. */
const entryBytes = 256;
const anyTime = -Infinity;

/**
 * LRU cache that is bounded in bytes. A value larger than the limit is not cached. Callers that miss the same key at the
 * same time share one load; a failed load is not cached. The metrics hold the cache weakly, so that it needs no `close`.
 */
export class Cache<Value> {
  private readonly entries: LRUCache<string, Entry<Value>>;
  /** Loads in flight, the last one of a key last. `reload` starts another one beside them. */
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
    this.showMetrics();
  }

  /** Bytes of all entries, never above the limit. */
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

  /** Returns the cached value and counts nothing: for callers that validate it later, and then `count` the outcome. */
  peek(key: string): Value | undefined {
    return this.entry(key)?.value;
  }

  /** Returns the value, also if it has expired, and counts nothing. */
  peekExpired(key: string): Value | undefined {
    return this.entries.get(key)?.value;
  }

  count(outcome: 'hit' | 'shared' | 'miss'): void {
    this.counts[outcome] += 1;
  }

  /** Caches a value that the caller made, and counts nothing. Loads of the same key in flight are not cached any more. */
  set(key: string, value: Value): void {
    this.delete(key);
    this.store(key, value, performance.now());
  }

  /** Returns the cached value, or the one that `make` returns. */
  memo(key: string, make: () => Value): Value {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    this.counts.miss += 1;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Returns the cached value, the one that another caller is loading, or the one that `load` returns. */
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
   * Returns a value that is valid, or whose loading started after the call. Callers for which the same value is not valid
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
      // Callers of the same tick share the load
      await Promise.resolve();
      const current = this.loads.get(key)?.at(-1);
      // Awaited here, so that this caller goes on before those who share the load
      if (!current) return await this.reload(key, load);
      const value = await current.value;
      if (current.startedAt >= calledAt || isValid(value)) {
        this.counts.shared += 1;
        return value;
      }
    }
  }

  /**
   * Returns the value of the last load in flight, and counts nothing.
   *
   * @param since a load that started earlier, by `performance.now()`, is not returned
   */
  inFlight(key: string, since = anyTime): Promise<Value> | undefined {
    const load = this.loads.get(key)?.at(-1);
    return load && load.startedAt >= since ? load.value : undefined;
  }

  /**
   * Loads a value, whatever is cached and in flight, and counts a miss. Each of several loads of a key is cached when it
   * ends, unless the cached value was loaded later.
   */
  reload(key: string, load: (loading: Loading) => Value | Promise<Value>): Promise<Value> {
    this.counts.miss += 1;
    const loading = new Load<Value>();
    const loads = this.loads.get(key);
    if (loads) loads.push(loading);
    else this.loads.set(key, [loading]);
    loading.value = this.cached(key, loading, load);
    return loading.value;
  }

  /** Deletes the value of a key. Loads in flight end for their callers and are not cached; the next caller starts another one. */
  delete(key: string): void {
    this.entries.delete(key);
    this.invalidate(key, 'delete');
  }

  /** Deletes all values; loads in flight as in `delete`. */
  clear(): void {
    this.entries.clear();
    for (const key of [...this.loads.keys()]) this.invalidate(key, 'clear');
  }

  private entry(key: string): Entry<Value> | undefined {
    const entry = this.entries.get(key);
    return entry && (entry.expiresAt === Infinity || entry.expiresAt > performance.now()) ? entry : undefined;
  }

  private async cached(
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

  private showMetrics(): void {
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
