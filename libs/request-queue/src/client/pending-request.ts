import { type Lane } from '#contracts';
import { type Rejection } from '../local-rejections.js';
import { type ReplyHeaders } from '../wire/raw-reply.js';
import { type CachedBody } from './reply-cache.js';
import { type ReusableReply } from './reusable-reply.js';

/** Reply as received, also of a problem; its body is not parsed. */
export interface QueueReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** JSON, compressed if the headers have a content coding. */
  readonly body: Buffer;
  /** The body is a problem document (`ProblemBody`). */
  readonly isProblem: boolean;
  /** Cached body, to which other codings of the same bytes can be added. */
  readonly cached?: CachedBody;
  /** The reply in the cache, if it can be validated. */
  readonly reusable?: ReusableReply | undefined;
}

/** One frame of a request. A safe request may send a second one. */
export interface Attempt {
  readonly correlation: number;
  readonly frame: Buffer;
  readonly pending: PendingRequest;
  /** As `performance.now()`. */
  readonly sentAt: number;
  /** Remaining milliseconds when the attempt was sent. */
  readonly ttl: number;
  /**
   * List from which the frame is removed when the request ends; undefined before the push and after
   * a reply or a rejection.
   */
  list: string | undefined;
}

/** Request as passed to the transport, before it is sent. */
export interface QueueRequest {
  readonly service: string;
  readonly pattern: string;
  readonly payload: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly wantsReply: boolean;
  /** True for a request that only reads and may therefore be executed twice. */
  readonly safe: boolean;
  readonly lane: Lane;
  readonly signal: AbortSignal | undefined;
}

/** Outcome of a request without a reply. */
export type Failure = Rejection | 'timeout' | 'aborted';
export type Outcome = { readonly reply: QueueReply } | { readonly error: Error; readonly failure: Failure };

const timerStepMs = 50;

/** Request without a reply yet. It settles once, with the first outcome. */
export class PendingRequest {
  readonly attempts: Attempt[] = [];
  readonly startedAt = performance.now();
  private isOver = false;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    readonly request: QueueRequest,
    private readonly onSettled: (outcome: Outcome) => void,
  ) {
    request.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  get isSettled(): boolean {
    return this.isOver;
  }

  /** Milliseconds until the deadline, by the local clock: that of Redis may step. */
  remainingMs(): number {
    return this.startedAt + this.request.timeoutMs - performance.now();
  }

  /**
   * Starts a timer that ends with the request.
   *
   * @param delayMs rounded up to a multiple of 50 ms: Node has one list per duration, and remaining
   *   times differ
   */
  after(delayMs: number, action: () => void): void {
    if (!this.isOver) this.timers.push(setTimeout(action, Math.ceil(delayMs / timerStepMs) * timerStepMs));
  }

  settle(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.request.signal?.removeEventListener('abort', this.onAbort);
    this.onSettled(outcome);
  }

  private readonly onAbort = (): void => {
    const reason: unknown = this.request.signal?.reason;
    const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
    this.settle({ error, failure: 'aborted' });
  };
}
