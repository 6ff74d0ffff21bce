import { AsyncLocalStorage } from 'node:async_hooks';

/** The request that is being served right now, in a handler or at the edge. */
export interface CurrentCall {
  readonly requestId: string;
  /** W3C trace context, when the caller is in a trace. A client's own never is: it would decide what is recorded. */
  readonly traceparent: string | undefined;
  /** Who is behind the request at the edge, `user 7` or `address 192.0.2.1`: for whoever shares something out fairly. */
  readonly caller: string | undefined;
  /** Aborted when the deadline passes or the caller of the edge went away. */
  readonly signal: AbortSignal;
  /** Milliseconds left until the caller stops waiting; `Infinity` where nobody waits. */
  remainingMs(): number;
  /** The service that handles, `undefined` at the edge. */
  readonly service: string | undefined;
  /** The message that is handled, or what the edge calls it. */
  readonly pattern: string | undefined;
  /** Only what was given from outside: outgoing calls inherit it and need no timer of their own. */
  readonly callerSignal: AbortSignal | undefined;
}

/** What the edge (or a consumer of events) knows about the request that it starts. */
interface CallMetadata {
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  /** Asked whenever it is needed: the edge learns only on the way whose request it is. */
  readonly caller?: () => string | undefined;
  /** Milliseconds from now; calls made inside never wait longer. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly service?: string | undefined;
  readonly pattern?: string | undefined;
}

const store = new AsyncLocalStorage<CurrentCall>();

/** The call that the running code belongs to, `undefined` outside of any. */
export const currentCall = (): CurrentCall | undefined => store.getStore();

/**
 * Runs what several calls wait for: it ends when it is done, and not when the time of the one that asked first is over.
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
  private readonly callerNow: (() => string | undefined) | undefined;
  private readonly endsAt: number;
  private ownSignal: AbortSignal | undefined;

  constructor(metadata: CallMetadata) {
    this.requestId = metadata.requestId;
    this.traceparent = metadata.traceparent;
    this.service = metadata.service;
    this.pattern = metadata.pattern;
    this.callerSignal = metadata.signal;
    this.callerNow = metadata.caller;
    this.endsAt = performance.now() + (metadata.timeoutMs ?? Infinity);
  }

  get caller(): string | undefined {
    return this.callerNow?.();
  }

  remainingMs(): number {
    return this.endsAt - performance.now();
  }

  /** Made on first use: most handlers never look, and a timer for each request would cost more than they do. */
  get signal(): AbortSignal {
    this.ownSignal ??= this.makeSignal();
    return this.ownSignal;
  }

  private makeSignal(): AbortSignal {
    const left = this.remainingMs();
    const deadline = left < 2 ** 31 ? AbortSignal.timeout(Math.max(0, Math.ceil(left))) : undefined;
    const signals = [this.callerSignal, deadline].filter((signal) => signal !== undefined);
    return signals.length === 1 ? signals[0]! : AbortSignal.any(signals);
  }
}

/** Runs `work` so that `currentCall()` and every outgoing call inside know the request they belong to. */
export function runInCall<Result>(metadata: CallMetadata, work: () => Result): Result {
  return store.run(new Call(metadata), work);
}
