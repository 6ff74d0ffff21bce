import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { schemaNames } from '#persistence';

/** Unpublished events of a service. */
interface Outbox {
  readonly schema: string;
  readonly count: number;
  /** Age of the oldest event in seconds. */
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

const maxAgeSeconds = 60;
const pollIntervalMs = 1_000;
const timeoutMs = 5_000;

/** Maximum age of events in outboxes, and the services with an event older than a minute. */
export class OutboxAges {
  /** Maximum age in seconds. */
  oldest = 0;
  private readonly late = new Set<string>();

  note(outboxes: readonly Outbox[]): void {
    for (const { schema, age } of outboxes) {
      this.oldest = Math.max(this.oldest, age);
      if (age > maxAgeSeconds) this.late.add(schema);
    }
  }

  /** Findings as sentences. */
  get findings(): string[] {
    return [...this.late].map((schema) => `an event in the outbox of ${schema} was older than a minute`);
  }
}

/** Reads the outboxes every second until it is stopped. */
export class OutboxWatch {
  hasLooked = false;
  private readonly seen = new OutboxAges();
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;

  constructor(private readonly databaseUrl: string) {
    this.watching = this.watch();
  }

  /** @throws Error if the outboxes could never be read */
  get ages(): OutboxAges {
    if (!this.hasLooked) throw new Error('The outboxes could not be read.');
    return this.seen;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Retries while the server is unavailable; waiting events get older
      await this.look().catch(() => undefined);
      await sleep(pollIntervalMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** Uses a new connection each time, because faults close connections. */
  private async look(): Promise<void> {
    const database = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
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
