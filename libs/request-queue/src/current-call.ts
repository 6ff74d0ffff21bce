import { AsyncLocalStorage } from 'node:async_hooks';
import { abortAfter } from '#concurrency';

/**
 * The request or event that the running code belongs to: in a handler, in a consumer or at the
 * edge.
 */
export interface CurrentCall {
  readonly requestId: string;
  /**
   * W3C trace context of the caller, if it belongs to a trace. The header of an external client is
   * ignored, because the client would decide what is recorded.
   */
  readonly traceparent: string | undefined;
  /** Client of the request at the edge, `user 7` or `address 192.0.2.1`, for fair scheduling. */
  readonly caller: string | undefined;
  /** Aborted at the deadline, or with `callerSignal`. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline of the caller; `Infinity` without one. */
  remainingMs(): number;
  /** Service of the handler or consumer, `undefined` at the edge. */
  readonly service: string | undefined;
  /** Message of the handler, event of the consumer, or the name that the edge uses. */
  readonly pattern: string | undefined;
  /**
   * Signal of the caller without the deadline, which outgoing calls inherit: aborted when the
   * client of the edge disconnects, or at the end of a consumer's grace period. Undefined in a
   * handler.
   */
  readonly callerSignal: AbortSignal | undefined;
}

/** Metadata of a request that the edge or a consumer of events starts. */
interface CallMetadata {
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  /** Called when needed, because the edge authenticates the client after the call has started. */
  readonly caller?: () => string | undefined;
  /** Milliseconds from now; a limit for the timeouts of outgoing calls. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly service?: string | undefined;
  readonly pattern?: string | undefined;
}

const store = new AsyncLocalStorage<CurrentCall>();

/** Returns the call that the running code belongs to, `undefined` outside of calls. */
export const currentCall = (): CurrentCall | undefined => store.getStore();

/**
 * Runs `work` for several calls in a call without a deadline: the deadline of the first caller must
 * not apply to the others.
 */
export function runShared<Result>(work: () => Result): Result {
  const { requestId = 'shared', traceparent } = currentCall() ?? {};
  return runInCall({ requestId, traceparent }, work);
}

class Call implements CurrentCall {
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly service: string | undefined;
  readonly pattern: string | undefined;
  readonly callerSignal: AbortSignal | undefined;
  private readonly getCaller: (() => string | undefined) | undefined;
  private readonly deadline: number;
  private lazySignal: AbortSignal | undefined;

  constructor(metadata: CallMetadata) {
    this.requestId = metadata.requestId;
    this.traceparent = metadata.traceparent;
    this.service = metadata.service;
    this.pattern = metadata.pattern;
    this.callerSignal = metadata.signal;
    this.getCaller = metadata.caller;
    this.deadline = performance.now() + (metadata.timeoutMs ?? Infinity);
  }

  get caller(): string | undefined {
    return this.getCaller?.();
  }

  remainingMs(): number {
    return this.deadline - performance.now();
  }

  /**
   * Created at the first use: most handlers do not use it, and a timer for each request costs more.
   */
  get signal(): AbortSignal {
    this.lazySignal ??= this.createSignal();
    return this.lazySignal;
  }

  private createSignal(): AbortSignal {
    const remainingMs = this.remainingMs();
    return remainingMs < 2 ** 31
      ? abortAfter(Math.ceil(remainingMs), this.callerSignal)
      : (this.callerSignal ?? new AbortController().signal);
  }
}

/**
 * Runs `work` in a call: `currentCall()` returns it there, and outgoing calls inherit its metadata.
 */
export function runInCall<Result>(metadata: CallMetadata, work: () => Result): Result {
  return store.run(new Call(metadata), work);
}
