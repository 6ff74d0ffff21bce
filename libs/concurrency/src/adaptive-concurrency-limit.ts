/**
 * Mean latency above which the limit is lowered: a delay that users notice. The mean latency is
 * less than 25 ms as long as no request waits in a service.
 */
const targetMs = 250;
/**
 * Minimum length of a window. A burst of a few hundred requests is no overload, and takes up to
 * two seconds.
 */
const windowMs = 3_000;
const minSamples = 16;
/**
 * Share of the maximum below which the limit is not lowered: high latency with fewer requests in
 * flight has another cause than their number.
 */
const minShare = 1 / 8;
const minLimit = 16;

/**
 * Concurrency limit that adapts to latency. Requests in flight wait for the same services, so
 * latency grows with their number. A slow database or a busy machine may reduce the capacity to a
 * fraction: with a fixed limit, clients would then wait for seconds.
 */
export class AdaptiveConcurrencyLimit {
  private samples = 0;
  private sumMs = 0;
  private windowStart = -Infinity;
  private limit: number;

  constructor(private readonly maximum: number) {
    this.limit = maximum;
  }

  /**
   * Records the latency of a completed request.
   *
   * @param latencyMs time that the services took
   * @param inFlight requests in flight, this one included
   * @param now milliseconds of a monotonic clock
   * @returns the limit from now on
   */
  record(latencyMs: number, inFlight: number, now = performance.now()): number {
    // Discards samples that are too old to describe the current load
    if (now - this.windowStart > 2 * windowMs) this.startWindow(now);
    this.samples += 1;
    this.sumMs += latencyMs;
    if (this.samples >= minSamples && now - this.windowStart >= windowMs) {
      this.limit = this.nextLimit(this.sumMs / this.samples, inFlight);
      this.startWindow(now);
    }
    return this.limit;
  }

  private startWindow(now: number): void {
    this.samples = this.sumMs = 0;
    this.windowStart = now;
  }

  private nextLimit(meanMs: number, inFlight: number): number {
    const floor = Math.max(minLimit, this.maximum * minShare);
    if (inFlight <= floor) return this.maximum;
    // At least half of the limit, or of the requests in flight if they are fewer: the requests of
    // this window were admitted under an older limit
    if (meanMs > targetMs)
      return Math.max(floor, Math.round(Math.min(this.limit, inFlight) * Math.max(0.5, targetMs / meanMs)));
    return Math.min(this.maximum, Math.ceil(this.limit * 1.5));
  }
}
