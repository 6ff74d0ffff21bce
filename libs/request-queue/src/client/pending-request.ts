import { type Lane } from '#contracts';
import { type Rejection } from '../local-rejections.js';
import { type ReplyHeaders } from '../wire/raw-reply.js';
import { type CachedBody } from './reply-cache.js';

/** A reply as it came: problem documents included, nothing parsed. */
export interface QueueReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** JSON, unless the headers say that it is compressed. */
  readonly body: Buffer;
  /** The body is a problem document (`ProblemBody`). */
  readonly isProblem: boolean;
  /** The cached body, to which other codings of the same bytes can be added. */
  readonly cached?: CachedBody;
}

/** One frame of a request; a safe request may send a second one. */
export interface Attempt {
  readonly correlation: number;
  readonly frame: Buffer;
  readonly pending: Pending;
  /** By `performance.now()`. */
  readonly sentAt: number;
  /** Milliseconds that were left for it when it was sent. */
  readonly ttl: number;
  /** The list it was handed to, which giving up must take it out of again. */
  list: string | undefined;
}

export interface PendingRequest {
  readonly service: string;
  readonly pattern: string;
  readonly payload: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly wantsReply: boolean;
  /** A question: it may be asked twice. */
  readonly safe: boolean;
  readonly lane: Lane;
  readonly signal: AbortSignal | undefined;
}

/** How a request can end without a reply. */
export type Failure = Rejection | 'timeout' | 'aborted';
export type Outcome = { readonly reply: QueueReply } | { readonly error: Error; readonly failure: Failure };

const timerStepMs = 50;

/** A request that waits for its reply; it ends once, whatever comes first. */
export class Pending {
  readonly attempts: Attempt[] = [];
  readonly startedAt = performance.now();
  private over = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    readonly request: PendingRequest,
    private readonly ended: (outcome: Outcome) => void,
  ) {
    request.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  get settled(): boolean {
    return this.over;
  }

  /** Milliseconds until the caller stops waiting, by the own clock: the one of Redis may step. */
  remainingMs(): number {
    return this.startedAt + this.request.timeoutMs - performance.now();
  }

  /** @param milliseconds rounded up: Node keeps a list for each duration, and what is left of a call is another each time */
  after(milliseconds: number, action: () => void): void {
    if (!this.over) this.timers.push(setTimeout(action, Math.ceil(milliseconds / timerStepMs) * timerStepMs));
  }

  settle(outcome: Outcome): void {
    if (this.over) return;
    this.over = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.request.signal?.removeEventListener('abort', this.onAbort);
    this.ended(outcome);
  }

  private readonly onAbort = (): void => {
    const reason: unknown = this.request.signal?.reason;
    const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
    this.settle({ error, failure: 'aborted' });
  };
}
