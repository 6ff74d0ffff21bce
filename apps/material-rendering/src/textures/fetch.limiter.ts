import { Transfer, TransferLimiter } from '#concurrency';
import { overloaded } from '../overload.errors.js';

export const fetchLimits = {
  permits: 24,
  ofUser: 8,
  /**
   * Fair share of one server. While fetches from other hosts wait, its slowest fetches above this
   * number are aborted after `contestedGraceMs`.
   */
  ofServer: 12,
  maxWaiting: 24,
  timeoutMs: 5_000,
  graceMs: 5_000,
  bytesPerSecond: 16 * 1024,
  contestedGraceMs: 2_000,
  contestedBytesPerSecond: 256 * 1024,
} as const;

const limits = fetchLimits;

/** User and server of a fetch. */
interface Fetch {
  readonly userId: number;
  /** Host of the URL that the client sent. */
  readonly hostname: string;
}

/** Abort reason of a fetch below the minimum rate. */
export class FetchTooSlow extends Error {
  override readonly name = 'FetchTooSlow';

  constructor() {
    super(`the server sent less than ${limits.bytesPerSecond} bytes a second`);
  }
}

/**
 * Permit of one fetch. To revoke the permit, the limiter aborts its signal with `FetchTooSlow` or
 * with a DomainError 503.
 */
export class FetchPermit extends Transfer {
  /**
   * Network of the address that the fetch is connected to; before the connection, the host of the
   * URL.
   */
  server: string;

  constructor(readonly fetch: Fetch) {
    super();
    this.server = fetch.hostname;
  }
}

const userOf = ({ fetch }: FetchPermit) => fetch.userId;
const serverOf = ({ server }: FetchPermit) => server;

/**
 * Concurrency limit of texture fetches. A fetch below the minimum rate is aborted after a grace
 * period. For each waiting fetch whose user has fewer than `ofUser` permits, the limiter aborts one
 * that is older than `contestedGraceMs`: the slowest fetch of a user or a server with more than a
 * fair share, or else the slowest fetch below the contested rate.
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
   * Runs a fetch with a permit. The fetch has to end when the permit's signal is aborted, which
   * releases the permit.
   *
   * @throws DomainError `service.overloaded` when too many fetches wait or no permit is free before
   *   the timeout; every error of `work`
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

  /**
   * Returns true if the user of a permit has more permits than the user of the next fetch will
   * have, or if the server of the permit has too many and the next fetch is from another host.
   */
  private isAboveShare(permit: FetchPermit, next: FetchPermit): boolean {
    const { limiter } = this;
    if (limiter.permitsOf(permit, userOf) > limiter.permitsOf(next, userOf) + 1) return true;
    return limiter.permitsOf(permit, serverOf) > limits.ofServer && permit.fetch.hostname !== next.fetch.hostname;
  }
}
