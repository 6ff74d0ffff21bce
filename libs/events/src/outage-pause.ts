import { type Worker } from 'bullmq';
import { backoffMs, withJitter } from '#concurrency';
import { type QueueLog } from '#request-queue';

const pauseBackoff = { firstMs: 1_000, maxMs: 30_000 };
/** Without an outage for so long after a pause the dependency counts as back, also when no job came to prove it. */
const calmMs = 60_000;
/** A single event that always meets an outage of its own must not block the others. */
const failuresToPause = 2;

/**
 * Circuit breaker of a worker. After two outages in a row the worker takes no jobs for 1 s, then one job as a probe; each
 * probe that fails doubles the pause, up to 30 s. Any success ends it.
 */
export class OutagePause {
  private failures = 0;
  /** Since the last success. */
  private pauses = 0;
  private isPaused = false;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param running how many jobs the worker works on now */
  constructor(
    private readonly worker: Pick<Worker, 'pause' | 'resume' | 'concurrency'>,
    private readonly running: () => number,
    private readonly log: QueueLog,
  ) {
    this.concurrency = worker.concurrency;
  }

  private readonly concurrency: number;

  /** Between the first pause and the first success after it. */
  get isWaiting(): boolean {
    return this.pauses > 0;
  }

  /** A delivery met an outage. */
  failed(reason: string): void {
    this.failures += 1;
    if (this.isClosed || this.isPaused || this.failures < failuresToPause) return;
    if (!this.isWaiting) this.log.warn({ reason }, `Events wait until a dependency is back: ${reason}`);
    const pauseMs = withJitter(backoffMs(this.pauses, pauseBackoff), 0.2);
    this.pauses += 1;
    this.isPaused = true;
    this.schedule(pauseMs, () => this.probe());
    // Without waiting for running jobs, of which this one is one
    void this.worker.pause(true);
  }

  /** A delivery met its dependencies. */
  succeeded(): void {
    this.failures = 0;
    if (!this.isWaiting || this.isClosed) return;
    this.log.info({}, 'Events are consumed again: the dependency is back');
    this.end();
  }

  /** The worker is being closed: no pause ends any more. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private probe(): void {
    // Beside what still runs from before the outage
    this.worker.concurrency = this.running() + 1;
    this.resume();
    this.schedule(calmMs, () => this.end());
  }

  private end(): void {
    clearTimeout(this.timer);
    this.pauses = 0;
    this.failures = 0;
    this.worker.concurrency = this.concurrency;
    this.resume();
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    // It rejects never: BullMQ emits what fails as an error event
    void this.worker.resume();
  }

  private schedule(ms: number, action: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, ms).unref();
  }
}
