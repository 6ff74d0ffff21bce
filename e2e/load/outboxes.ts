import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { schemaNames } from '#persistence';

/** The events that a service has still to publish. */
interface Outbox {
  readonly schema: string;
  readonly count: number;
  /** Of the oldest, in seconds. */
  readonly age: number;
}

const outboxes = schemaNames
  .map(
    (schema) =>
      `select '${schema}' as schema, count(*)::int as count,
         coalesce(max(extract(epoch from clock_timestamp() - occurred_at)), 0)::float8 as age from ${schema}.outbox`,
  )
  .join(' union all ');

export const readOutboxes = async (database: pg.Client): Promise<Outbox[]> =>
  (await database.query<Outbox>(outboxes)).rows;

const patienceSeconds = 60;
const lookEveryMs = 1_000;
const answerWithinMs = 5_000;

/** How old events grow in the outboxes. */
export class OutboxAges {
  /** In seconds. */
  oldest = 0;
  private readonly late = new Set<string>();

  note(outboxes: readonly Outbox[]): void {
    for (const { schema, age } of outboxes) {
      this.oldest = Math.max(this.oldest, age);
      if (age > patienceSeconds) this.late.add(schema);
    }
  }

  /** In sentences. */
  get complaints(): string[] {
    return [...this.late].map((schema) => `an event in the outbox of ${schema} was older than a minute`);
  }
}

/** Looks at the outboxes once a second, until it is stopped. */
export class OutboxWatch {
  hasLooked = false;
  private readonly seen = new OutboxAges();
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;

  constructor(private readonly databaseUrl: string) {
    this.watching = this.watch();
  }

  /** @throws Error when it could not look once */
  get ages(): OutboxAges {
    if (!this.hasLooked) throw new Error('The outboxes could not be looked at.');
    return this.seen;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // A server that is away is asked again: what waits grows older meanwhile
      await this.look().catch(() => undefined);
      await sleep(lookEveryMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** Over a connection of its own each time: any may be cut. */
  private async look(): Promise<void> {
    const database = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
    });
    database.on('error', () => undefined);
    try {
      await database.connect();
      this.seen.note(await readOutboxes(database));
      this.hasLooked = true;
    } finally {
      await database.end();
    }
  }
}
