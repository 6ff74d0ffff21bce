import { Transfer, TransferLimiter } from '#concurrency';
import { overloaded } from '../overload.errors.js';

export const fetchLimits = {
  permits: 24,
  ofUser: 8,
  /** More of one server give way to fetches from others. */
  ofServer: 12,
  maxWaiting: 24,
  timeoutMs: 5_000,
  graceMs: 5_000,
  bytesPerSecond: 16 * 1024,
  contestedGraceMs: 2_000,
  contestedBytesPerSecond: 256 * 1024,
} as const;

const limits = fetchLimits;

/** For whom, and from where. */
interface Fetch {
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

/** The permit of one fetch. Its signal is aborted with `FetchTooSlow`, or with a DomainError 503, when it is given up. */
export class FetchPermit extends Transfer {
  /** The network address that the fetch is connected to; its host until then. */
  server: string;

  constructor(readonly fetch: Fetch) {
    super();
    this.server = fetch.hostname;
  }
}

const userOf = ({ fetch }: FetchPermit) => fetch.userId;
const serverOf = ({ server }: FetchPermit) => server;

/**
 * Concurrency limit of fetches by address. While others wait, the slowest fetch of a user or from a server with more than
 * a fair share is given up for each of them; without one, the slowest of the slower ones.
 */
export class FetchLimiter {
  private readonly limiter = new TransferLimiter<FetchPermit>({
    ...limits,
    shares: [{ by: userOf, permits: limits.ofUser, maxWaiting: limits.maxWaiting }],
    fairBy: userOf,
    isAboveShare: (permit, next) => this.isAboveShare(permit, next),
    tooSlow: () => new FetchTooSlow(),
    overloaded: () => overloaded('download'),
  });

  /**
   * Runs a fetch with a permit. The fetch has to end when the permit's signal is aborted; the permit is released then.
   *
   * @throws DomainError `service.overloaded` when too many wait or no permit was free in time
   */
  async run<R>(fetch: Fetch, work: (permit: FetchPermit) => Promise<R>): Promise<R> {
    const permit = new FetchPermit(fetch);
    await this.limiter.acquire(permit);
    try {
      return await work(permit);
    } finally {
      this.limiter.release(permit);
    }
  }

  /** Whether the user of a permit has more than that of the next fetch will have, or the server of a permit too many. */
  private isAboveShare(permit: FetchPermit, next: FetchPermit): boolean {
    const { limiter } = this;
    if (limiter.permitsOf(permit, userOf) > limiter.permitsOf(next, userOf) + 1) return true;
    return limiter.permitsOf(permit, serverOf) > limits.ofServer && permit.fetch.hostname !== next.fetch.hostname;
  }
}
