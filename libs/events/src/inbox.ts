import { deferred } from '#concurrency';
import { type Database, type Tx } from '#persistence';
import { type Delivery, type Parameter, PermanentFailure } from './delivery.js';

const eventsOfCall = 'jsonb_agg(jsonb_build_array(id) || parameters order by parameters, id)';

/**
 * Returns the end of the statement of `callForNew`. It selects the id of each row of `due`, with
 * the result of a function that is called for each row, or once for all rows (`$events`).
 */
const callForDue = (call: string): string =>
  call.includes('$events')
    ? `, called (result) as materialized (
    select ${call.replace('$events', eventsOfCall)} from due having count(*) > 0
  )
  select id, result from due cross join called`
    : `select id, ${call.replaceAll(/\$(\d+)/g, (_, n: string) => (n === '1' ? 'id' : `(parameters ->> ${Number(n) - 2})`))} from due`;

/**
 * Returns a statement that calls a function for the events that are new: for each, or once for all
 * (`$events`). `$1` of the call is the event's id, the other parameters are members of a list, so
 * that the text is the same for any number of events.
 *
 * First inserts all rows of the inbox in the order of their ids, then calls the function in the
 * order of the parameters. The fixed order prevents deadlocks between statements that share events
 * or parameters.
 */
const callForNew = (call: string): string => `
  with given as (
    select id, parameters from jsonb_to_recordset($1::jsonb) as given (id uuid, parameters jsonb)
  ), inserted as (
    insert into inbox (event_id) select id from given order by id on conflict do nothing returning event_id
  ), due as materialized (
    select id, parameters from given join inserted on inserted.event_id = given.id order by parameters, id
  )
  ${callForDue(call)}`;

type EventInbox = Pick<Delivery, 'once' | 'onceCalling'>;

/**
 * Inbox for one event, or for several that are delivered concurrently: all `onceCalling` calls with
 * the same `call` are one statement.
 */
export class Inbox {
  private readonly calls = new Map<string, Map<string, readonly Parameter[]>>();
  private readonly results = new Map<string, Promise<ReadonlySet<string>>>();
  private readonly allArrived = deferred();
  private lastTransaction: Promise<unknown> = Promise.resolve();

  /**
   * @param missing number of deliveries that have neither called `once` or `onceCalling` nor ended
   */
  constructor(
    private readonly database: Database,
    private missing: number,
  ) {}

  /**
   * Returns the inbox of one delivery, which may call either `once` or `onceCalling`, one time.
   * `onceCalling` waits until every delivery has called one of them or has ended.
   */
  forEvent(eventId: string): EventInbox & { readonly ended: () => void } {
    let hasArrived = false;
    const arrive = (): void => {
      if (!hasArrived && (this.missing -= 1) === 0) this.allArrived.resolve();
      hasArrived = true;
    };
    const use = (): void => {
      if (hasArrived)
        throw new PermanentFailure('once() was called twice in one delivery; do all effects in one transaction');
      arrive();
    };
    return {
      once: async (work) => {
        use();
        return this.serialize(() => this.transaction(eventId, work));
      },
      onceCalling: async (call, parameters) => {
        use();
        const calls = this.calls.get(call) ?? new Map<string, readonly Parameter[]>();
        this.calls.set(call, calls.set(eventId, parameters));
        await this.allArrived.promise;
        if (!this.results.has(call)) this.results.set(call, this.run(call, calls));
        return (await this.results.get(call)!).has(eventId);
      },
      ended: arrive,
    };
  }

  /** Runs transactions one by one, so that a batch occupies one connection of the pool. */
  private serialize<R>(work: () => Promise<R>): Promise<R> {
    const done = this.lastTransaction.then(work);
    this.lastTransaction = done.catch(() => undefined);
    return done;
  }

  private transaction(eventId: string, work: (tx: Tx) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const inserted = await tx.query<unknown[]>(
        'insert into inbox (event_id) values ($1) on conflict do nothing returning event_id',
        [eventId],
      );
      if (inserted.length === 0) return false;
      await work(tx);
      return true;
    });
  }

  /** Runs the statement of a call. @returns the ids of the events that were new */
  private async run(call: string, calls: ReadonlyMap<string, readonly Parameter[]>): Promise<ReadonlySet<string>> {
    const given = [...calls].map(([id, parameters]) => ({ id, parameters }));
    const rows = await this.database.write<{ id: string }>(callForNew(call), [JSON.stringify(given)]);
    return new Set(rows.map(({ id }) => id));
  }
}
