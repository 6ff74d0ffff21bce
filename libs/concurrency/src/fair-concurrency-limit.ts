/** Part of the permits of a caller that must still be free before the caller gets a further one. */
const freeShare = 1 / 2;

/**
 * Concurrency limit that leaves permits to callers with few of them. A caller without a permit gets one as long as fewer
 * callers have any than there are permits. A caller with permits gets a further one as long as half as many are free: a single
 * caller can have two thirds of the permits, each of two callers two fifths, and so on. When the limit was lowered below what
 * others have, half of an equal share is available all the same. Nothing waits: a caller is rejected at once.
 */
export class FairConcurrencyLimit {
  private readonly permitsOf = new Map<string, number>();
  private taken = 0;
  private current: number;

  /** @param maximum permits, which `resize` never exceeds */
  constructor(private readonly maximum: number) {
    this.current = maximum;
  }

  /** Number of permits that are acquired. */
  get acquired(): number {
    return this.taken;
  }

  get limit(): number {
    return this.current;
  }

  /** Sets the limit, at most the maximum. Permits that are acquired stay so. */
  resize(limit: number): void {
    this.current = Math.min(this.maximum, limit);
  }

  canAcquire(caller: string): boolean {
    const own = this.permitsOf.get(caller) ?? 0;
    // Counts callers and not permits: the many permits of one caller do not keep others out when the limit is lowered
    if (own === 0) return this.permitsOf.size < this.current && this.taken < this.maximum;
    // Half of an equal share, however many permits the others have
    if (2 * own * this.permitsOf.size < this.current) return this.taken < this.maximum;
    return own * freeShare < this.current - this.taken;
  }

  /** Returns whether the caller got a permit, which it has until `release`. */
  tryAcquire(caller: string): boolean {
    if (!this.canAcquire(caller)) return false;
    this.permitsOf.set(caller, (this.permitsOf.get(caller) ?? 0) + 1);
    this.taken += 1;
    return true;
  }

  /** Releases one permit of the caller. */
  release(caller: string): void {
    const own = this.permitsOf.get(caller)!;
    if (own === 1) this.permitsOf.delete(caller);
    else this.permitsOf.set(caller, own - 1);
    this.taken -= 1;
  }
}
