import { type Worker } from 'bullmq';
import { backoffMs, withJitter } from '#concurrency';
import { type QueueLog } from '#request-queue';

const pauseBackoff = { firstMs: 1_000, maxMs: 30_000 };
/**
 * Time after a pause in which no outage may occur. Then the breaker closes, even if no job has
 * arrived as a probe.
 */
const closeAfterMs = 60_000;
/**
 * Consecutive outages before the first pause. Two, because a single event whose deliveries always
 * fail with an outage must not block the others.
 */
const failuresToPause = 2;

/**
 * Circuit breaker of a worker. After two consecutive outages the worker takes no jobs for 1 s, then
 * one job as a probe. Each failed probe doubles the pause, up to 30 s. Any success closes the
 * breaker.
 */
export class WorkerCircuitBreaker {
  private failures = 0;
  /** Number of pauses since the breaker was last closed. */
  private pauses = 0;
  private isPaused = false;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param running returns the number of running jobs */
  constructor(
    private readonly worker: Pick<Worker, 'pause' | 'resume' | 'concurrency'>,
    private readonly running: () => number,
    private readonly log: QueueLog,
  ) {
    this.concurrency = worker.concurrency;
  }

  private readonly concurrency: number;

  /** True from the first pause until a success, or until `closeAfterMs` without an outage. */
  get isOpen(): boolean {
    return this.pauses > 0;
  }

  /** Records a delivery that failed because of an outage. */
  failed(reason: string): void {
    this.failures += 1;
    if (this.isClosed || this.isPaused || this.failures < failuresToPause) return;
    if (!this.isOpen) this.log.warn({ reason }, `Event worker paused until a dependency recovers: ${reason}`);
    const pauseMs = withJitter(backoffMs(this.pauses, pauseBackoff), 0.2);
    this.pauses += 1;
    this.isPaused = true;
    this.schedule(pauseMs, () => this.probe());
    // Does not wait for running jobs, because the failed job is still among them
    void this.worker.pause(true);
  }

  /** Records a successful delivery. */
  succeeded(): void {
    this.failures = 0;
    if (!this.isOpen || this.isClosed) return;
    this.log.info({}, 'Event worker resumed: the dependency has recovered');
    this.reset();
  }

  /** Stops the timer when the worker closes, so that no pause ends afterwards. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private probe(): void {
    // One job as a probe, beside jobs that were started before the pause and still run
    this.worker.concurrency = this.running() + 1;
    this.resume();
    this.schedule(closeAfterMs, () => this.reset());
  }

  private reset(): void {
    clearTimeout(this.timer);
    this.pauses = 0;
    this.failures = 0;
    this.worker.concurrency = this.concurrency;
    this.resume();
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    // Never rejects: BullMQ emits failures as `error` events
    void this.worker.resume();
  }

  private schedule(ms: number, action: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, ms).unref();
  }
}
