import { type QueueConnection } from './connection.js';

const samples = 3;
const measureEveryMs = 15_000;
/** Requests whose deadlines do not fit lead to so many measurements at most, however many they are. */
export const remeasureEveryMs = 500;

/** Never jumps, unlike the wall clock: only its distance to Redis' clock matters. */
const monotonicMs = (): number => performance.timeOrigin + performance.now();

/** Redis' clock, read locally, so that a deadline means the same moment in every process whatever its own clock says. */
export class RedisClock {
  private offsetMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private remeasuring: Promise<boolean> | undefined;
  private startedAt = -Infinity;

  constructor(
    private readonly connection: Pick<QueueConnection, 'run' | 'onReady'>,
    private readonly onMeasured: (offsetMs: number) => void = () => undefined,
    private readonly localMs: () => number = monotonicMs,
  ) {}

  get measured(): boolean {
    return this.offsetMs !== undefined;
  }

  /** Milliseconds since 1970 by Redis' clock. */
  now(): number {
    return this.localMs() + (this.offsetMs ?? 0);
  }

  /** Measures at each (re)connection and every 15 s. `onFirst` is called after the first measurement. */
  start(onFirst: () => void = () => undefined): void {
    const measure = (): void => {
      const first = !this.measured;
      // A failed measurement keeps the last one; the next connection measures again
      this.measure().then(
        () => first && onFirst(),
        () => undefined,
      );
    };
    this.connection.onReady(measure);
    this.timer = setInterval(measure, measureEveryMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** When the last measurement that succeeded began, by `performance.now()`. */
  get measuredAt(): number {
    return this.startedAt;
  }

  /**
   * Measures because a deadline does not fit: Redis' clock may have stepped. Callers share a measurement that is running.
   *
   * @returns whether it was measured; false less than 500 ms after the last measurement, and when Redis is not reached
   */
  remeasure(): Promise<boolean> {
    if (this.remeasuring) return this.remeasuring;
    if (performance.now() - this.startedAt < remeasureEveryMs) return Promise.resolve(false);
    this.remeasuring = this.measure()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.remeasuring = undefined));
    return this.remeasuring;
  }

  /** Of three samples the one with the shortest way is the most exact. */
  async measure(): Promise<void> {
    const startedAt = performance.now();
    let shortest = Infinity;
    let offset = 0;
    for (let sample = 0; sample < samples; sample++) {
      const before = this.localMs();
      const [seconds, micros] = await this.connection.run((redis) => redis.time());
      const way = this.localMs() - before;
      if (way >= shortest) continue;
      shortest = way;
      offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (before + way / 2);
    }
    this.offsetMs = offset;
    this.startedAt = startedAt;
    this.onMeasured(offset);
  }
}
