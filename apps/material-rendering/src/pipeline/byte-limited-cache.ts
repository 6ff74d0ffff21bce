/**
 * Keeps what was used last, up to a number of bytes: a count of entries says nothing when one entry is 60 times as large
 * as another. Concurrent misses of one key share one making; a failed making is forgotten, so that the next call tries
 * again. A value larger than the whole limit is handed out and not kept.
 */
export class ByteLimitedCache<Value> {
  /** In the order of use, the least recent first: a Map iterates in the order of insertion. */
  private readonly kept = new Map<string, { readonly value: Value; readonly bytes: number }>();
  private readonly underWay = new Map<string, Promise<Value>>();
  private total = 0;
  /** How often `get` had it, and how often not; who shares a making has it not. */
  hits = 0;
  misses = 0;

  constructor(
    private readonly limit: number,
    private readonly bytesOf: (value: Value) => number,
  ) {}

  /** Bytes of all values that are kept; never above the limit. */
  get bytes(): number {
    return this.total;
  }

  /** The kept value, which counts as use; undefined when there is none. */
  peek(key: string): Value | undefined {
    const entry = this.kept.get(key);
    if (!entry) return undefined;
    this.kept.delete(key);
    this.kept.set(key, entry);
    return entry.value;
  }

  /** The kept value, or the one that `make` makes, once for all who ask meanwhile. */
  async get(key: string, make: () => Value | Promise<Value>): Promise<Value> {
    const hit = this.peek(key);
    if (hit !== undefined) {
      this.hits += 1;
      return hit;
    }
    this.misses += 1;
    const running = this.underWay.get(key);
    if (running) return running;
    const making = this.makeAndKeep(key, make);
    this.underWay.set(key, making);
    try {
      return await making;
    } finally {
      this.underWay.delete(key);
    }
  }

  private async makeAndKeep(key: string, make: () => Value | Promise<Value>): Promise<Value> {
    const value = await make();
    const bytes = this.bytesOf(value);
    if (bytes > this.limit) return value;
    this.kept.set(key, { value, bytes });
    this.total += bytes;
    for (const [oldest, entry] of this.kept) {
      if (this.total <= this.limit) break;
      this.kept.delete(oldest);
      this.total -= entry.bytes;
    }
    return value;
  }
}
