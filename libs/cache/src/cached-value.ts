import { Cache, type CacheOptions } from './cache.js';

interface CachedValueOptions<Value> extends Omit<CacheOptions<Value>, 'maxBytes'> {
  readonly load: () => Promise<Value>;
}

/**
 * Cache of one value, which is loaded on the first use, and on the first use after each
 * invalidation. Unbounded, for data that a process always needs.
 */
export class CachedValue<Value> {
  private readonly cache: Cache<Value>;
  private readonly load: () => Promise<Value>;

  constructor({ load, ...options }: CachedValueOptions<Value>) {
    this.load = load;
    this.cache = new Cache({ ...options, maxBytes: Infinity });
  }

  /**
   * Returns the value. Concurrent callers share a load; after a failed load the next caller starts
   * another load.
   */
  current(): Promise<Value> {
    return this.cache.load('', this.load);
  }

  /**
   * Deletes the value. A load in flight may have read old data, so the next caller starts a new
   * load.
   */
  invalidate(): void {
    this.cache.clear();
  }
}
