import { type EventEnvelope, type EventName } from '#contracts';
import { type Tx } from '#persistence';

/**
 * Error for a failure that a retry cannot fix. The job stays in the failed set, and one error line
 * is logged.
 */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** Parameter of a database function in `onceCalling`. Passed as JSON, a date as its ISO text. */
export type Parameter = string | number | boolean | null | Date | object;

/**
 * One attempt to pass one event to its consumer. An event may be delivered several times: see
 * `once`.
 */
export interface Delivery<Name extends EventName = EventName> {
  readonly event: EventEnvelope<Name>;
  /** Starts at 1. An event that failed in a batch is retried with attempt 1 again. */
  readonly attempt: number;
  /**
   * Aborted at shutdown when the grace period ends: the consumer must throw, and another process
   * repeats the delivery.
   */
  readonly signal: AbortSignal;
  /** Reports the progress of a long consumer in its job: percent, or any JSON object. */
  readonly progress: (value: number | object) => Promise<void>;
  /**
   * Runs the work exactly once over all attempts: the event's row in the inbox and the work are one
   * transaction. May be called once per delivery, because the inbox stores the ids of events, not
   * of their parts. Make network calls before this call.
   *
   * @returns false when an earlier delivery has committed the work, which then does not run
   */
  readonly once: (work: (tx: Tx) => Promise<void>) => Promise<boolean>;
  /**
   * Like `once`, for a single call of a database function: one round trip instead of several,
   * shared by all events of a batch. The calls run in the order of their parameters, which prevents
   * deadlocks on the rows that the first parameters name.
   *
   * @param call a call for each event, `add_activity($1, $2::bigint, ...)`: `$1` is the event's id,
   *   the others are text that must be cast; or one for a batch, `append_events($events)`:
   *   `$events` is a JSON array with `[id, ...parameters]` for each event
   * @param parameters from `$2` on
   */
  readonly onceCalling: (call: string, parameters: readonly Parameter[]) => Promise<boolean>;
}
