import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A change of a product that is on no page: nothing that is answered is different, and nobody knows before they have looked. */
const change = `
  update catalog.products set updated_at = now()
  where id = (select id from catalog.products where not published order by id limit 1)`;

/** Something that goes on while both sides are measured, and is charged to none of them. */
interface Changes {
  /** The process of PostgreSQL that works for it. */
  readonly pid: number;
  end(): Promise<void>;
}

/** @param perSecond how often somebody in the shop changes something */
export async function startChanges(databaseUrl: string, perSecond: number): Promise<Changes> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ending = new AbortController();
  const going = (async () => {
    const since = performance.now();
    for (let changes = 1; !ending.signal.aborted; changes++) {
      await client.query({ name: 'change', text: change });
      await sleep(since + (changes * 1_000) / perSecond - performance.now());
    }
  })();
  return {
    pid: rows[0]!.pid,
    end: async () => {
      ending.abort();
      await going;
      await client.end();
    },
  };
}
