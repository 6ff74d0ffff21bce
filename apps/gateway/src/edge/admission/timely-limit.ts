/** The waiting that a client notices. Answers take less than a tenth of it when nothing waits. */
const targetMs = 250;
/** So long it must have been so: a few hundred requests at one moment are no overload, and take up to two seconds. */
const lookEveryMs = 3_000;
const fewAnswers = 16;
/** Slower answers than these many can make have another reason. */
const leastShare = 1 / 8;
const least = 16;

/**
 * How many requests may be open so that they are answered in time. What is open waits for the same parts, so answers take
 * the longer the more is open. Follows what the services can do, of which a slow database or a busy machine may leave a
 * small part: with a fixed limit, clients would wait for seconds then.
 */
export class TimelyLimit {
  private answers = 0;
  private sumMs = 0;
  private lookAt = -Infinity;
  private limit: number;

  constructor(private readonly most: number) {
    this.limit = most;
  }

  /**
   * Notes an answer.
   *
   * @param tookMs milliseconds that the services took for it
   * @param open how many were open with it
   * @param now milliseconds on a clock that never goes back
   * @returns how many may be open from now on
   */
  note(tookMs: number, open: number, now = performance.now()): number {
    if (now - this.lookAt > 2 * lookEveryMs) this.begin(now);
    this.answers += 1;
    this.sumMs += tookMs;
    if (this.answers >= fewAnswers && now - this.lookAt >= lookEveryMs) {
      this.limit = this.after(this.sumMs / this.answers, open);
      this.begin(now);
    }
    return this.limit;
  }

  /** What was noted long ago says nothing of now. */
  private begin(now: number): void {
    this.answers = this.sumMs = 0;
    this.lookAt = now;
  }

  private after(meanMs: number, open: number): number {
    const floor = Math.max(least, this.most * leastShare);
    if (open <= floor) return this.most;
    // At most a half at once: what was answered now came under an older limit
    if (meanMs > targetMs)
      return Math.max(floor, Math.round(Math.min(this.limit, open) * Math.max(0.5, targetMs / meanMs)));
    return Math.min(this.most, Math.ceil(this.limit * 1.5));
  }
}
