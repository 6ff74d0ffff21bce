import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answered, Asked, Client } from './client.js';
import type { Tallies } from './tallies.js';

/** How a write ended, after all its attempts. */
interface Settled {
  /** Undefined: given up. */
  readonly answer: Answered | undefined;
  /** An attempt without a final answer may have been carried out, or may yet be. */
  readonly isDoubtful: boolean;
}

/** Longer than anything is held for a request that died: a claimed idempotency key is free again after a minute. */
const patienceMs = 180_000;
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Says that nothing was done, so that sending again is no repetition; 504 is what says that nobody knows. */
const surelyNothing = new Set<unknown>(['not connected', 429, 503]);

/** Whether the same write is still under way, under the same key. */
const isInProgress = ({ ending, body }: Answered): boolean =>
  ending === 409 && (body as { code?: string }).code === 'idempotency-key.in-progress';

const isFinal = (answer: Answered): boolean =>
  typeof answer.ending === 'number' && answer.ending < 500 && answer.ending !== 429 && !isInProgress(answer);

/** Sends like a good client, each attempt counted. */
export class Sender {
  private turn = 0;
  private readonly stopping = new AbortController();

  constructor(
    private readonly client: Client,
    private readonly tallies: Tallies,
  ) {
    // Every write that waits for its next attempt listens
    setMaxListeners(0, this.stopping.signal);
  }

  /** Once, without a retry. */
  async read(asked: Asked): Promise<Answered> {
    const begun = performance.now();
    const answer = await this.client.ask(this.turn++, asked);
    this.tallies.ended(asked, answer.ending, begun);
    return answer;
  }

  /** Until it is answered: the same request with the same key, each time to another gateway, with longer pauses. */
  async write(asked: Asked): Promise<Settled> {
    const until = performance.now() + patienceMs;
    let turn = this.turn++;
    let isDoubtful = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const begun = performance.now();
      const answer = await this.client.ask(turn++, asked);
      this.tallies.ended(asked, answer.ending, begun);
      if (isFinal(answer)) return { answer, isDoubtful };
      isDoubtful ||= !surelyNothing.has(answer.ending);
      if (performance.now() > until || this.stopping.signal.aborted) return { answer: undefined, isDoubtful };
      await sleep(Math.max(pauseMs, answer.retryAfterMs), undefined, { signal: this.stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  /** Writes without an answer are given up after the attempt that is under way. */
  stop(): void {
    this.stopping.abort();
  }
}
