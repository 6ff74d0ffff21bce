import { Cache, type CacheOptions } from './cache.js';

interface CachedValueOptions<Value> extends Omit<CacheOptions<Value>, 'maxBytes'> {
  readonly load: () => Promise<Value>;
}

/** One value that is loaded once, and again after it was invalidated. Without limit: for data that a process always needs. */
export class CachedValue<Value> {
  private readonly cache: Cache<Value>;
  private readonly load: () => Promise<Value>;

  constructor({ load, ...options }: CachedValueOptions<Value>) {
    this.load = load;
    this.cache = new Cache({ ...options, maxBytes: Infinity });
  }

  /** Returns the value. Callers during a load share it; after a failure the next caller loads again. */
  current(): Promise<Value> {
    return this.cache.load('', this.load);
  }

  /** A load in flight may be from before the change, so the next caller loads again. */
  invalidate(): void {
    this.cache.clear();
  }
}
