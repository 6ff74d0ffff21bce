import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, withJitter } from '#concurrency';
import { operations, type PublicEventType } from '#contracts';
import type { GatewayAccess } from '../connections/gateway.js';
import { readEventStream, type StreamBlock } from './event-stream.js';
import { failureReason } from './failure-reason.js';

interface FollowOptions {
  /** All types if undefined. */
  readonly types: readonly PublicEventType[] | undefined;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/** An event of the log. */
interface LoggedEvent {
  readonly cursor: string;
  /** JSON of the event: the body of a webhook. */
  readonly json: string;
}

/** Three heartbeats of the gateway. */
const maxSilenceMs = 45_000;
const maxBackoffMs = 30_000;

/** Response other than an event stream. */
class RejectedStream extends Error {
  /** @param retryAfterMs undefined if a retry would be rejected, too */
  constructor(
    message: string,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/** Follows the events of a user in the log of a shop, across interruptions of the connection. */
export class EventFollower {
  private retryMs = 1_000;

  /** @param cursor everything up to this cursor was processed; `latest` for new events only */
  constructor(
    private readonly gateway: GatewayAccess,
    public cursor: string,
    private readonly options: FollowOptions,
  ) {}

  /**
   * Yields each event after the cursor once, until the signal is aborted. The cursor moves when the
   * consumer requests the next event: an event that it has not processed is not skipped.
   *
   * @throws Error with a one-line message when the gateway rejects key or cursor
   */
  async *events(): AsyncGenerator<LoggedEvent> {
    const { signal, print } = this.options;
    let failures = 0;
    while (!signal.aborted) {
      let interruption: unknown = new Error('the stream has ended');
      try {
        let isOpen = false;
        for await (const { id = this.cursor, data, retryMs = this.retryMs } of this.connect()) {
          if (!isOpen) print(`Following the events after ${id}.`);
          isOpen = true;
          failures = 0;
          this.retryMs = retryMs;
          if (data !== undefined) yield { cursor: id, json: data };
          this.cursor = id;
        }
      } catch (error) {
        interruption = error;
      }
      await this.pause(interruption, failures);
      failures += 1;
    }
  }

  /** Waits before a new connection. @throws the interruption if a new connection cannot succeed */
  private async pause(interruption: unknown, failuresBefore: number): Promise<void> {
    const { signal, print } = this.options;
    if (signal.aborted) return;
    const { retryAfterMs } = interruption instanceof RejectedStream ? interruption : { retryAfterMs: 0 };
    if (retryAfterMs === undefined) throw interruption;
    const backoff = backoffMs(failuresBefore, { firstMs: this.retryMs, maxMs: maxBackoffMs });
    const delayMs = Math.max(retryAfterMs, withJitter(backoff, 0.2));
    print(`Interrupted: ${failureReason(interruption)}. Reconnecting in ${Math.ceil(delayMs / 1_000)} s.`);
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }

  private async *connect(): AsyncGenerator<StreamBlock> {
    const { types, signal } = this.options;
    const connection = new AbortController();
    const silence = new Error(`no data for ${maxSilenceMs / 1_000} s`);
    const timer = setTimeout(() => connection.abort(silence), maxSilenceMs);
    try {
      const url = new URL(this.gateway.url + operations['events.stream'].path);
      if (types) url.searchParams.set('types', types.join());
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${this.gateway.apiKey}`, 'last-event-id': this.cursor },
        redirect: 'manual',
        signal: AbortSignal.any([signal, connection.signal]),
      });
      if (response.status !== 200) throw await this.rejectionOf(response);
      for await (const block of readEventStream(response.body!)) {
        timer.refresh();
        yield block;
        timer.refresh();
      }
    } finally {
      clearTimeout(timer);
      connection.abort();
    }
  }

  private async rejectionOf(response: Response): Promise<RejectedStream> {
    const { status, headers } = response;
    const { detail = response.statusText } = (await response.json().catch(() => ({}))) as { detail?: string };
    const advice = adviceOf(status, this.cursor);
    const message = [`${status} ${detail.replace(/\.$/, '')}`, ...(advice === undefined ? [] : [advice])].join(': ');
    const isTemporary = status >= 500 || status === 429 || status === 408;
    return new RejectedStream(message, isTemporary ? Number(headers.get('retry-after')) * 1_000 : undefined);
  }
}

function adviceOf(status: number, cursor: string): string | undefined {
  if (status === 401) return 'set API_KEY to a personal API key, or to a token with the scope read.';
  if (status === 410) return `the log has lost events after ${cursor}. Read the resources, then start without --after.`;
  return undefined;
}
