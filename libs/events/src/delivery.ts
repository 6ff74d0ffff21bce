import { type EventEnvelope, type EventName } from '#contracts';
import { type Database, type Tx } from '#persistence';

/** What a consumer throws when trying again cannot help. The event is kept in the failed set and logged once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** One attempt to bring one event to its consumer. It may be the second one: see `once`. */
export interface Delivery<Name extends EventName = EventName> {
  readonly event: EventEnvelope<Name>;
  /** 1 at the first attempt. */
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
   * The same for work that the database does by itself: one round trip instead of one for each step.
   *
   * @param call of a function, `tell($1, $2, ...)`; `$1` is the id of the event
   * @param parameters from `$2` on
   */
  readonly onceCalling: (call: string, parameters: readonly unknown[]) => Promise<boolean>;
}

const callIfNew = (call: string): string => `
  with fresh as (insert into inbox (event_id) values ($1) on conflict do nothing returning event_id)
  select ${call} from fresh`;

/** The `once` and `onceCalling` of one delivery, of which one may be used. */
export function onceInInbox(database: Database, eventId: string): Pick<Delivery, 'once' | 'onceCalling'> {
  let used = false;
  const use = (): void => {
    if (used) throw new PermanentFailure('once() was called twice in one delivery; do all effects in one transaction');
    used = true;
  };
  return {
    once: async (work) => {
      use();
      return database.transaction(async (tx) => {
        const fresh = await tx.query<unknown[]>(
          'insert into inbox (event_id) values ($1) on conflict do nothing returning event_id',
          [eventId],
        );
        if (fresh.length === 0) return false;
        await work(tx);
        return true;
      });
    },
    onceCalling: async (call, parameters) => {
      use();
      return (await database.write(callIfNew(call), [eventId, ...parameters])).length > 0;
    },
  };
}
