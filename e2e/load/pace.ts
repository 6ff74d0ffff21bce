const tickMs = 10;

interface PaceOptions {
  /** Starts per second. */
  readonly rate: number;
  readonly begin: () => Promise<void>;
  /** Called for each skipped start while too many are running. */
  readonly onSkipped: () => void;
}

/**
 * Starts an operation at a constant rate, independent of its duration (open-loop load). At most as
 * many operations run concurrently as are started in ten seconds.
 */
export class Pace {
  private readonly running = new Set<Promise<void>>();
  private readonly most: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: PaceOptions) {
    this.most = Math.ceil(10 * options.rate);
  }

  start(): void {
    const since = performance.now();
    let due = 0;
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      const until = Math.floor(((performance.now() - since) * this.options.rate) / 1000);
      for (; due < until; due++) this.begin();
    }, tickMs);
  }

  /** Stops; resolves when all running operations have ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.running);
  }

  private begin(): void {
    if (this.running.size >= this.most) {
      this.options.onSkipped();
      return;
    }
    const one: Promise<void> = this.options.begin().finally(() => this.running.delete(one));
    this.running.add(one);
  }
}
