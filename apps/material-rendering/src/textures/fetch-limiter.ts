import { Transfer, transferTickMs } from '#kernel';
import { overloaded } from '../gate.js';

export const fetchLimits = {
  atOnce: 24,
  ofUser: 8,
  /** More of one server give way to fetches from others. */
  ofServer: 12,
  waiting: 24,
  waitMs: 5_000,
  /** How long a fetch may be slower than `bytesPerSecond`. */
  graceMs: 5_000,
  /** A slower fetch is given up, whether or not others wait. */
  bytesPerSecond: 16 * 1024,
  /** Minimum time of a permit while others wait. */
  contestedGraceMs: 2_000,
  contestedBytesPerSecond: 256 * 1024,
} as const;

const limits = fetchLimits;

/** For whom, and from where. */
export interface Fetch {
  readonly userId: number;
  /** The host of the address that the client named. */
  readonly hostname: string;
}

/** Reason of the abortion of a fetch below the minimum rate. */
export class FetchTooSlow extends Error {
  override readonly name = 'FetchTooSlow';

  constructor() {
    super(`the server sent less than ${limits.bytesPerSecond} bytes a second`);
  }
}

/** The permit of one fetch. */
export class FetchPermit extends Transfer {
  /** The network address that the fetch is connected to; its host until then. */
  server: string;
  private readonly controller = new AbortController();

  constructor(readonly fetch: Fetch) {
    super();
    this.server = fetch.hostname;
  }

  /** Aborted with `FetchTooSlow`, or with a DomainError 503, when the fetch is given up. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  giveUp(reason: Error): void {
    this.controller.abort(reason);
  }
}

interface Waiting {
  readonly fetch: Fetch;
  readonly enter: () => void;
  readonly reject: () => void;
  /** As of a permit: a fetch must not have waited too long before a slow one is given up for it. */
  ticks: number;
}

const countOf = (userId: number, all: Iterable<{ readonly fetch: Fetch }>): number =>
  [...all].filter(({ fetch }) => fetch.userId === userId).length;

/**
 * Concurrency limit of fetches by address. A user has a part of the permits. Fetches have a minimum average rate, so that
 * slow servers do not occupy the permits. While others wait, the slowest fetch of a user or from a server with more than a
 * fair share is given up for each of them; without one, the slowest of the slower ones.
 */
export class FetchLimiter {
  private readonly open = new Set<FetchPermit>();
  /** In the order in which they came. */
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * Runs a fetch with a permit. The fetch has to end when the permit's signal is aborted; the permit is released then.
   *
   * @throws DomainError `service.overloaded` when too many wait or no permit was free in time
   */
  async run<R>(fetch: Fetch, work: (permit: FetchPermit) => Promise<R>): Promise<R> {
    const permit = new FetchPermit(fetch);
    if (this.open.size < limits.atOnce && this.hasShare(fetch)) this.acquire(permit);
    else await this.wait(permit);
    try {
      return await work(permit);
    } finally {
      this.release(permit);
    }
  }

  private acquire(permit: FetchPermit): void {
    this.open.add(permit);
    permit.signal.addEventListener('abort', () => this.release(permit), { once: true });
    this.timer ??= setInterval(() => this.tick(), transferTickMs).unref();
  }

  private release(permit: FetchPermit): void {
    if (!this.open.delete(permit)) return;
    this.next()?.enter();
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private hasShare({ userId }: Fetch): boolean {
    return countOf(userId, this.open) < limits.ofUser;
  }

  /** The one whose user has the fewest permits; of several the one that has waited longest. */
  private next(): Waiting | undefined {
    const permitsOf = ({ fetch }: Waiting): number => countOf(fetch.userId, this.open);
    return [...this.waiting]
      .filter(({ fetch }) => this.hasShare(fetch))
      .sort((one, other) => permitsOf(one) - permitsOf(other))[0];
  }

  private tick(): void {
    this.giveUpSlow();
    for (const it of this.waiting) {
      it.ticks += 1;
      if (it.ticks * transferTickMs >= limits.waitMs) it.reject();
    }
  }

  private giveUpSlow(): void {
    for (const permit of this.open) permit.tick();
    for (const permit of this.open)
      if (permit.isOlderThan(limits.graceMs) && permit.rate < limits.bytesPerSecond) permit.giveUp(new FetchTooSlow());
    for (let next = this.next(); next; next = this.next()) {
      const slowest = this.slowestFor(next);
      if (!slowest) return;
      slowest.giveUp(overloaded('download'));
    }
  }

  /** The fetch that is given up for one that waits, undefined when all have what they may have. */
  private slowestFor({ fetch }: Waiting): FetchPermit | undefined {
    const bySpeed = [...this.open]
      .filter((permit) => permit.isOlderThan(limits.contestedGraceMs))
      .sort((one, other) => one.rate - other.rate);
    return (
      bySpeed.find((permit) => this.isAboveShare(permit, fetch)) ??
      bySpeed.find((permit) => permit.rate < limits.contestedBytesPerSecond)
    );
  }

  /** Whether the user of a permit has more than that of `fetch` will have, or the server of a permit too many. */
  private isAboveShare({ fetch: { userId, hostname }, server }: FetchPermit, fetch: Fetch): boolean {
    if (countOf(userId, this.open) > countOf(fetch.userId, this.open) + 1) return true;
    const ofServer = [...this.open].filter((permit) => permit.server === server).length;
    return ofServer > limits.ofServer && hostname !== fetch.hostname;
  }

  private wait(permit: FetchPermit): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.waiting.delete(waiting);
        settle();
      };
      const enter = end(() => {
        this.acquire(permit);
        resolve();
      });
      const rejectIt = end(() => reject(overloaded('download')));
      const waiting: Waiting = { fetch: permit.fetch, enter, reject: rejectIt, ticks: 0 };
      this.waiting.add(waiting);
      if (this.waiting.size > limits.waiting) this.lastOfMost().reject();
    });
  }

  /** The last one of the user with the most waiting. */
  private lastOfMost(): Waiting {
    const most = ({ fetch }: Waiting): number => countOf(fetch.userId, this.waiting);
    return [...this.waiting].reduce((last, it) => (most(it) >= most(last) ? it : last));
  }
}
