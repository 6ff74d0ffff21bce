import { type EventEnvelope, type EventName } from '#contracts';
import { type Tx } from '#persistence';

/** What a consumer throws when trying again cannot help. The event is kept in the failed set and logged once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** What can be given to a function of the database for one event of several: as JSON, and a date as its text. */
export type Parameter = string | number | boolean | null | Date;

/** One attempt to bring one event to its consumer. It may be the second one: see `once`. */
export interface Delivery<Name extends EventName = EventName> {
  readonly event: EventEnvelope<Name>;
  /** 1 at the first attempt, and once more for an event that failed beside others and is tried alone. */
  readonly attempt: number;
  /** Aborted when the process has to end before the consumer has: stop, throw, and another process starts over. */
  readonly signal: AbortSignal;
  /** Says how far a long consumer is: percent, or any JSON object. It can be seen at the job. */
  readonly progress: (value: number | object) => Promise<void>;
  /**
   * Does the work exactly once over all attempts: the event's row in the inbox and the work are one transaction.
   * At most once per delivery, because the inbox knows events and not parts of them. Network calls go before it.
   *
   * @returns false when it was done before, and then the work does not run
   */
  readonly once: (work: (tx: Tx) => Promise<void>) => Promise<boolean>;
  /**
   * The same for work that the database does by itself: one round trip instead of one for each step, and one for all
   * events that are delivered together. Their calls are made in the order of their parameters, so that whoever locks what
   * the first ones name does not wait in a circle.
   *
   * @param call of a function, `tell($1, $2::bigint, ...)`; `$1` is the id of the event, the others are text until they are cast
   * @param parameters from `$2` on, as JSON has them
   */
  readonly onceCalling: (call: string, parameters: readonly Parameter[]) => Promise<boolean>;
}
