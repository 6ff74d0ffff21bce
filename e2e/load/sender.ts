import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResponse, LoadRequest, Client } from './client.js';
import type { Tallies } from './tallies.js';

/** Result of a write after all attempts. */
interface WriteResult {
  /** Final response; undefined if the write was aborted or the retry period has ended. */
  readonly response: LoadResponse | undefined;
  /** True if an attempt without a final response may have been or may yet be executed. */
  readonly isUncertain: boolean;
}

/**
 * Retry period, longer than the claim of a lost request on its idempotency key, which expires after
 * at most a minute.
 */
const retryPeriodMs = 180_000;
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Outcomes without an effect. 504 is not among them: its effect is unknown. */
const withoutEffect = new Set<unknown>(['not connected', 429, 503]);

/** Returns whether the same write is still in progress with the same key. */
const isInProgress = ({ outcome, body }: LoadResponse): boolean =>
  outcome === 409 && (body as { code?: string }).code === 'idempotency-key.in-progress';

const isFinal = (response: LoadResponse): boolean =>
  typeof response.outcome === 'number' && response.outcome < 500 && response.outcome !== 429 && !isInProgress(response);

/** Sends reads once and writes with retries, and counts each attempt. */
export class Sender {
  private turn = 0;
  private readonly stopping = new AbortController();

  constructor(
    private readonly client: Client,
    private readonly tallies: Tallies,
  ) {
    // Every waiting write adds a listener
    setMaxListeners(0, this.stopping.signal);
  }

  /** Sends a read once. */
  async read(request: LoadRequest): Promise<LoadResponse> {
    const begun = performance.now();
    const response = await this.client.send(this.turn++, request);
    this.tallies.ended(request, response.outcome, begun);
    return response;
  }

  /**
   * Sends a write until it gets a response: with the same key, rotating gateways and increasing
   * pauses.
   */
  async write(request: LoadRequest): Promise<WriteResult> {
    const until = performance.now() + retryPeriodMs;
    let turn = this.turn++;
    let isUncertain = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const begun = performance.now();
      const response = await this.client.send(turn++, request);
      this.tallies.ended(request, response.outcome, begun);
      if (isFinal(response)) return { response, isUncertain };
      isUncertain ||= !withoutEffect.has(response.outcome);
      if (performance.now() > until || this.stopping.signal.aborted) return { response: undefined, isUncertain };
      await sleep(Math.max(pauseMs, response.retryAfterMs), undefined, { signal: this.stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  /** Aborts writes without a response after their current attempt. */
  stop(): void {
    this.stopping.abort();
  }
}
