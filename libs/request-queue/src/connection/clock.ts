import { type QueueConnection } from './connection.js';

const sampleCount = 3;
const measureIntervalMs = 15_000;
/** Minimum interval of the measurements that inconsistent deadlines cause. */
export const minRemeasureIntervalMs = 500;

/**
 * Monotonic time, which does not step like the wall clock: only its offset to Redis' clock matters.
 */
const monotonicMs = (): number => performance.timeOrigin + performance.now();

/**
 * Local estimate of Redis' clock, so that a deadline is the same moment in every process,
 * independent of the local clocks.
 */
export class RedisClock {
  private offsetMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private remeasuring: Promise<boolean> | undefined;
  private lastStartedAt = -Infinity;

  constructor(
    private readonly connection: Pick<QueueConnection, 'run' | 'onReady'>,
    private readonly onMeasured: (offsetMs: number) => void = () => undefined,
    private readonly localMs: () => number = monotonicMs,
  ) {}

  get isMeasured(): boolean {
    return this.offsetMs !== undefined;
  }

  /** Milliseconds since 1970 by Redis' clock. */
  now(): number {
    return this.localMs() + (this.offsetMs ?? 0);
  }

  /**
   * Measures at each connection and every 15 s. `onFirst` is called after the first measurement.
   */
  start(onFirst: () => void = () => undefined): void {
    const measure = (): void => {
      const isFirst = !this.isMeasured;
      // After a failure the last measurement stays until the next interval or connection
      this.measure().then(
        () => isFirst && onFirst(),
        () => undefined,
      );
    };
    this.connection.onReady(measure);
    this.timer = setInterval(measure, measureIntervalMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Start of the last successful measurement, as `performance.now()`. */
  get measuredAt(): number {
    return this.lastStartedAt;
  }

  /**
   * Measures after an inconsistent deadline, because Redis' clock may have stepped. Concurrent
   * calls share a measurement.
   *
   * @returns true after a measurement; false less than 500 ms after the last one, and when Redis is
   *   not reachable
   */
  remeasure(): Promise<boolean> {
    if (this.remeasuring) return this.remeasuring;
    if (performance.now() - this.lastStartedAt < minRemeasureIntervalMs) return Promise.resolve(false);
    this.remeasuring = this.measure()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.remeasuring = undefined));
    return this.remeasuring;
  }

  /** Takes three samples and uses the one with the shortest round trip, which is the most exact. */
  async measure(): Promise<void> {
    const startedAt = performance.now();
    let shortest = Infinity;
    let offset = 0;
    for (let sample = 0; sample < sampleCount; sample++) {
      const before = this.localMs();
      const [seconds, micros] = await this.connection.run((redis) => redis.time());
      const roundTripMs = this.localMs() - before;
      if (roundTripMs >= shortest) continue;
      shortest = roundTripMs;
      offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (before + roundTripMs / 2);
    }
    this.offsetMs = offset;
    this.lastStartedAt = startedAt;
    this.onMeasured(offset);
  }
}
