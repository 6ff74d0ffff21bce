import { deferred } from '#concurrency';
import { type Database, type Tx } from '#persistence';
import { type Delivery, type Parameter, PermanentFailure } from './delivery.js';

/**
 * Calls a function for those events that are new. `$1` of the call is the event's id, the others are members of a list, so
 * that the text is the same for any number of events.
 *
 * All rows of the inbox come first, in the order of their ids, and then the calls in the order of their parameters: two
 * statements that have some of both in common wait for each other in one direction only.
 */
const callForNew = (call: string): string => `
  with given as (
    select id, parameters from jsonb_to_recordset($1::jsonb) as given (id uuid, parameters jsonb)
  ), fresh as (
    insert into inbox (event_id) select id from given order by id on conflict do nothing returning event_id
  ), due as materialized (
    select id, parameters from given join fresh on fresh.event_id = given.id order by parameters, id
  )
  select id, ${call.replaceAll(/\$(\d+)/g, (_, n: string) => (n === '1' ? 'id' : `(parameters ->> ${Number(n) - 2})`))} from due`;

type OfOneDelivery = Pick<Delivery, 'once' | 'onceCalling'>;

/**
 * The inbox for one event, or for several that are delivered side by side: what the database does of them by itself is one
 * statement.
 */
export class Inbox {
  private readonly calls = new Map<string, Map<string, readonly Parameter[]>>();
  private readonly made = new Map<string, Promise<ReadonlySet<string>>>();
  private readonly allHere = deferred();
  /** The end of the last transaction. */
  private turn: Promise<unknown> = Promise.resolve();

  /** @param missing deliveries that have neither said what is to be done nor ended */
  constructor(
    private readonly database: Database,
    private missing: number,
  ) {}

  /** For one of the deliveries, which may use one of the two. The others wait until it has, or has ended. */
  of(eventId: string): OfOneDelivery & { readonly ended: () => void } {
    let isHere = false;
    const arrive = (): void => {
      if (!isHere && (this.missing -= 1) === 0) this.allHere.resolve();
      isHere = true;
    };
    const use = (): void => {
      if (isHere)
        throw new PermanentFailure('once() was called twice in one delivery; do all effects in one transaction');
      arrive();
    };
    return {
      once: async (work) => {
        use();
        return this.inTurn(() => this.transaction(eventId, work));
      },
      onceCalling: async (call, parameters) => {
        use();
        const calls = this.calls.get(call) ?? new Map<string, readonly Parameter[]>();
        this.calls.set(call, calls.set(eventId, parameters));
        await this.allHere.promise;
        if (!this.made.has(call)) this.made.set(call, this.make(call, calls));
        return (await this.made.get(call)!).has(eventId);
      },
      ended: arrive,
    };
  }

  /** One after the other: a batch takes one connection of the pool, not one for each of its events. */
  private inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private transaction(eventId: string, work: (tx: Tx) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const fresh = await tx.query<unknown[]>(
        'insert into inbox (event_id) values ($1) on conflict do nothing returning event_id',
        [eventId],
      );
      if (fresh.length === 0) return false;
      await work(tx);
      return true;
    });
  }

  /** @returns the ids of the events that were new */
  private async make(call: string, calls: ReadonlyMap<string, readonly Parameter[]>): Promise<ReadonlySet<string>> {
    const given = [...calls].map(([id, parameters]) => ({ id, parameters }));
    const rows = await this.database.write<{ id: string }>(callForNew(call), [JSON.stringify(given)]);
    return new Set(rows.map(({ id }) => id));
  }
}
