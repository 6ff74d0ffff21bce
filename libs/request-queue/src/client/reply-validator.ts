import { Coalescer } from '#concurrency';
import { maxValidatedReplies } from '#contracts';

/** A cached reply, and the viewer to whom it would be sent. Null = the same for every viewer. */
export interface Revalidation {
  readonly validity: string;
  readonly viewerId: number | null;
}

/** A message that takes longer is considered lost; the next one is sent beside it. */
const coalescerOptions = { timeoutMs: 250, maxConcurrent: 4 } as const;

const keyOf = ({ validity, viewerId }: Revalidation): string => `${viewerId} ${validity}`;

/**
 * Asks a service whether cached replies are still valid. Requests that arrive in the same tick, or
 * while a message is in flight, share the next message: it is sent after all of them, so the answer
 * includes every commit before each of them.
 */
export class ReplyValidator {
  private readonly messages: Coalescer<Revalidation, ReadonlySet<string>>;

  /** @param validate sends a message: returns for each reply whether it is valid */
  constructor(private readonly validate: (replies: readonly Revalidation[]) => Promise<readonly boolean[]>) {
    this.messages = new Coalescer((replies) => this.validateAll(replies), coalescerOptions);
  }

  /** Returns whether a cached reply is valid; false also if the service does not answer. */
  async isValid(reply: Revalidation): Promise<boolean> {
    try {
      return (await this.messages.request(reply)).has(keyOf(reply));
    } catch {
      return false;
    }
  }

  /** Returns the keys of the valid replies. */
  private async validateAll(replies: readonly Revalidation[]): Promise<ReadonlySet<string>> {
    const distinct = [...new Map(replies.map((reply) => [keyOf(reply), reply])).values()].slice(0, maxValidatedReplies);
    const valid = await this.validate(distinct);
    return new Set(distinct.filter((_, at) => valid[at]).map(keyOf));
  }
}
