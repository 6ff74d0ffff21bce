import { Coalescer, withTimeout } from '#concurrency';
import { maxValidatedReplies } from '#contracts';

/** A cached reply, and the viewer to whom it would be sent. Null = the same for every viewer. */
export interface Revalidation {
  readonly validity: string;
  readonly viewerId: number | null;
}

/** A message that takes longer is considered lost; the next one is sent beside it. */
const coalescerOptions = { timeoutMs: 250, maxConcurrent: 4 } as const;
/** A request waits no longer: sending it with its entity tag is always correct. */
const maxWaitMs = 300;
/** Time without messages after a failure, because each would delay its requests. */
const pauseMs = 1_000;

const keyOf = ({ validity, viewerId }: Revalidation): string => `${viewerId} ${validity}`;

/**
 * Sends cached replies to their service for validation. Requests that arrive in the same tick, or
 * while a message is in flight, share the next message: it is sent after all of them, so the reply
 * considers every commit before each of them.
 */
export class ReplyValidator {
  private readonly messages: Coalescer<Revalidation, ReadonlySet<string>>;
  private pausedUntil = 0;

  /** @param validate sends a message: returns for each reply whether it is valid */
  constructor(private readonly validate: (replies: readonly Revalidation[]) => Promise<readonly boolean[]>) {
    this.messages = new Coalescer((replies) => this.validateAll(replies), coalescerOptions);
  }

  /** Returns whether a cached reply is valid; false also without a reply in time. */
  async isValid(reply: Revalidation): Promise<boolean> {
    if (performance.now() < this.pausedUntil) return false;
    const valid = this.messages.request(reply).then(
      (keys) => keys.has(keyOf(reply)),
      () => false,
    );
    return withTimeout(valid, maxWaitMs, () => false);
  }

  /** Returns the keys of the valid replies. */
  private async validateAll(replies: readonly Revalidation[]): Promise<ReadonlySet<string>> {
    const distinct = [...new Map(replies.map((reply) => [keyOf(reply), reply])).values()].slice(0, maxValidatedReplies);
    try {
      const valid = await this.validate(distinct);
      return new Set(distinct.filter((_, at) => valid[at]).map(keyOf));
    } catch (error) {
      this.pausedUntil = performance.now() + pauseMs;
      throw error;
    }
  }
}
