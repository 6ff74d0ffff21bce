/**
 * A caller with n permits, which are at least half of an equal share, gets another permit only
 * while more than n times this share are free.
 */
const freeShare = 1 / 2;

/**
 * Concurrency limit that reserves permits for callers with few of them. A caller without a permit
 * gets one while fewer callers than the limit have permits. A caller with permits gets another
 * permit while more than half as many are free: a single caller can have two thirds of the permits,
 * each of two callers two fifths, and so on. When the limit was lowered below the number of
 * acquired permits, half of an equal share is still available to each caller. When the maximum
 * number of permits is acquired, every caller is rejected. A caller never waits.
 */
export class FairConcurrencyLimit {
  private readonly permitsOf = new Map<string, number>();
  private taken = 0;
  private current: number;

  /** @param maximum number of permits that `resize` never exceeds */
  constructor(private readonly maximum: number) {
    this.current = maximum;
  }

  /** Number of acquired permits. */
  get acquired(): number {
    return this.taken;
  }

  get limit(): number {
    return this.current;
  }

  /** Sets the limit, at most the maximum. Acquired permits stay acquired. */
  resize(limit: number): void {
    this.current = Math.min(this.maximum, limit);
  }

  canAcquire(caller: string): boolean {
    const own = this.permitsOf.get(caller) ?? 0;
    // Counts callers, not permits, so that the permits of one caller do not block others when the
    // limit is lowered
    if (own === 0) return this.permitsOf.size < this.current && this.taken < this.maximum;
    // Half of an equal share is available even above the limit, until the maximum is reached
    if (2 * own * this.permitsOf.size < this.current) return this.taken < this.maximum;
    return own * freeShare < this.current - this.taken;
  }

  /** Acquires a permit until `release`. Returns false if there is none for the caller. */
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
