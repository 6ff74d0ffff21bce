const tickMs = 10;

interface PaceOptions {
  /** A second. */
  readonly rate: number;
  readonly begin: () => Promise<void>;
  /** Called for each that is due while too many are under way. */
  readonly onHeld: () => void;
}

/**
 * Begins something so many times a second, however long each takes: a service that slows down is not spared. Only
 * ten seconds' worth may be under way at once.
 */
export class Pace {
  private readonly underWay = new Set<Promise<void>>();
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

  /** Resolves when what was begun has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
  }

  private begin(): void {
    if (this.underWay.size >= this.most) {
      this.options.onHeld();
      return;
    }
    const one: Promise<void> = this.options.begin().finally(() => this.underWay.delete(one));
    this.underWay.add(one);
  }
}
