import { AsyncLocalStorage } from 'node:async_hooks';
import { abortAfter } from '#concurrency';

/** The request, event or background work that the running code belongs to. */
export interface CurrentCall {
  readonly requestId: string;
  /**
   * W3C trace context of the caller, if the call is traced. The edge ignores the header of an
   * external client, who would otherwise decide what is recorded.
   */
  readonly traceparent: string | undefined;
  /** Client of the request at the edge, `user 7` or `address 192.0.2.1`, for fair scheduling. */
  readonly caller: string | undefined;
  /** Aborted at the deadline, or with `callerSignal`. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline, negative after it; `Infinity` without one. */
  remainingMs(): number;
  /** Service of the handler or consumer, `undefined` at the edge. */
  readonly service: string | undefined;
  /** Name of the handled message or consumed event, for logs and traces. */
  readonly pattern: string | undefined;
  /**
   * Aborted when the client of the edge disconnects, or at the end of a consumer's grace period;
   * not at the deadline. Passed on to outgoing calls. Undefined in a handler.
   */
  readonly callerSignal: AbortSignal | undefined;
}

/** What a call is started with: at the edge, by a handler, a consumer or background work. */
interface CallMetadata {
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  /** Called when needed, because the edge authenticates the client after the call has started. */
  readonly caller?: () => string | undefined;
  /** Milliseconds from now until the deadline, which also limits the timeouts of outgoing calls. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly service?: string | undefined;
  readonly pattern?: string | undefined;
}

const store = new AsyncLocalStorage<CurrentCall>();

/** Returns the call that the running code belongs to, `undefined` outside of calls. */
export const currentCall = (): CurrentCall | undefined => store.getStore();

/**
 * Runs work that several callers wait for. It has neither the deadline nor the signal of the first
 * caller, which must not end it for the others.
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
   * Created at the first use. Most handlers do not use it, and need no timer.
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
 * Runs `work` in a call, which `currentCall()` returns there. Outgoing calls get its request id,
 * trace context, caller, deadline and signal.
 */
export function runInCall<Result>(metadata: CallMetadata, work: () => Result): Result {
  return store.run(new Call(metadata), work);
}
