import { Coalescer, withTimeout } from '#concurrency';
import { maxValidatedReplies } from '#contracts';

/** A cached reply, and the viewer to whom it would be sent. Null = the same for every viewer. */
export interface Revalidation {
  readonly validity: string;
  readonly viewerId: number | null;
}

/** A reply with the key that equal ones share. */
type KeyedReply = Revalidation & { readonly key: string };

/**
 * A message that takes longer fails. A request may wait as long again for the message before its
 * own. Sending it with its entity tag is always correct.
 */
const timeoutMs = 250;
const coalescerOptions = { timeoutMs, maxConcurrent: 1, gatherMs: 1 } as const;
/**
 * Time without messages after an error, because each would delay its requests. After a late reply
 * it is `timeoutMs`.
 */
const pauseMs = 1_000;
/** Time in which an invalid reply is not validated again, because its request is sent anyway. */
const invalidMs = 50;

const noKeys: ReadonlySet<string> = new Set();

/**
 * Sends cached replies to their service for validation. Requests that arrive in the same tick, or
 * while a message is in flight, share the next message: it is sent after all of them, so the reply
 * considers every commit before each of them.
 */
export class ReplyValidator {
  private readonly messages: Coalescer<KeyedReply, ReadonlySet<string>>;
  private pausedUntil = 0;
  /** Keys that the last message has found invalid. */
  private invalid = noKeys;
  private invalidUntil = 0;

  /** @param validate sends a message: returns for each reply whether it is valid */
  constructor(private readonly validate: (replies: readonly Revalidation[]) => Promise<readonly boolean[]>) {
    this.messages = new Coalescer((replies) => this.validateAll(replies), coalescerOptions);
  }

  /** Returns whether a cached reply is valid; false also without a reply in time. */
  async isValid({ validity, viewerId }: Revalidation): Promise<boolean> {
    const key = `${viewerId} ${validity}`;
    const now = performance.now();
    if (now < this.pausedUntil || (now < this.invalidUntil && this.invalid.has(key))) return false;
    return (await this.messages.request({ validity, viewerId, key })).has(key);
  }

  /** Returns the keys of the valid replies, none after a failure. */
  private async validateAll(replies: readonly KeyedReply[]): Promise<ReadonlySet<string>> {
    // Requests that have waited for a message that failed
    if (performance.now() < this.pausedUntil) return noKeys;
    const distinct = [...new Map(replies.map((reply) => [reply.key, reply])).values()].slice(0, maxValidatedReplies);
    const revalidations = distinct.map(({ validity, viewerId }) => ({ validity, viewerId }));
    const outcome = this.validate(revalidations).catch(() => 'failed' as const);
    const valid = await withTimeout(outcome, timeoutMs, () => 'late' as const);
    if (valid === 'failed' || valid === 'late') {
      this.pausedUntil = performance.now() + (valid === 'failed' ? pauseMs : timeoutMs);
      return noKeys;
    }
    const keysWhere = (isValid: boolean): ReadonlySet<string> =>
      new Set(distinct.flatMap(({ key }, at) => (valid[at] === isValid ? [key] : [])));
    this.invalid = keysWhere(false);
    this.invalidUntil = performance.now() + invalidMs;
    return keysWhere(true);
  }
}
