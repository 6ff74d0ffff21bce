import { LRUCache } from 'lru-cache';

type Make<Value> = () => Value | Promise<Value>;

/** For the key and the object itself; lru-cache takes no entry of size 0, which an ink outside the image would be. */
const entryBytes = 256;

/**
 * LRU cache of one step's results, limited in bytes: a count of entries bounds nothing when one entry is 60 times as large as
 * another. Concurrent misses of one key share one computation; a failure is not cached, and neither is a value larger than the
 * limit.
 */
export class StepCache<Value extends object> {
  private readonly values: LRUCache<string, Value, Make<Value>>;
  /** Hits and misses; a caller that shares a computation has a miss. */
  hits = 0;
  misses = 0;

  constructor(limitBytes: number, bytesOf: (value: Value) => number) {
    this.values = new LRUCache<string, Value, Make<Value>>({
      maxSize: Math.max(1, Math.floor(limitBytes)),
      sizeCalculation: (value) => bytesOf(value) + entryBytes,
      fetchMethod: async (_key, _stale, { context: make }) => make(),
      // A making whose entry is evicted meanwhile goes on: its callers wait for the value
      ignoreFetchAbort: true,
    });
  }

  /** Bytes of all cached values; never above the limit. */
  get bytes(): number {
    return this.values.calculatedSize;
  }

  /** Returns the cached value, which counts as use; undefined when there is none. */
  peek(key: string): Value | undefined {
    return this.values.get(key);
  }

  /** Returns the cached value, or the one that `make` makes. */
  get(key: string, make: Make<Value>): Promise<Value> {
    if (this.values.has(key)) this.hits += 1;
    else this.misses += 1;
    return this.values.forceFetch(key, { context: make });
  }
}
