import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Changes a product that is on no page: the data version changes, responses do not. */
const change = `
  update catalog.products set updated_at = now()
  where id = (select id from catalog.products where not published order by id limit 1)`;

/** Background changes during a measurement, whose cost counts for neither side. */
interface Changes {
  /** Backend process of PostgreSQL. */
  readonly pid: number;
  end(): Promise<void>;
}

/** Starts background changes. */
export async function startChanges(databaseUrl: string, perSecond: number): Promise<Changes> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const outcome = new AbortController();
  const going = (async () => {
    const since = performance.now();
    for (let changes = 1; !outcome.signal.aborted; changes++) {
      await client.query({ name: 'change', text: change });
      await sleep(since + (changes * 1_000) / perSecond - performance.now());
    }
  })();
  return {
    pid: rows[0]!.pid,
    end: async () => {
      outcome.abort();
      await going;
      await client.end();
    },
  };
}
