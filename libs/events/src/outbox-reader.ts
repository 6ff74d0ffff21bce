import pg from 'pg';
import { type EventEnvelope, type ServiceName } from '#contracts';
import { schemaOf } from '#persistence';

interface OutboxRow extends Omit<EventEnvelope, 'occurredAt'> {
  readonly seq: string;
  readonly occurred_at: Date;
}

interface OutboxReaderOptions {
  readonly service: ServiceName;
  readonly databaseUrl: string;
  readonly leaseMs: number;
  readonly batch: number;
  /** Called when the connection is lost: the next statement makes it anew. */
  readonly onLost: () => void;
}

/** A statement that each connection prepares once: they run many times a second. */
interface Statement {
  readonly name: string;
  readonly text: string;
}

// One statement claims: no transaction stays open while the rows travel to Redis
const claim: Statement = {
  name: 'claim',
  text: `
  with due as materialized (
    select id from outbox where claimed_until < now() order by seq limit $1 for update skip locked
  )
  update outbox set claimed_until = now() + $2 * interval '1 millisecond', attempts = attempts + 1
  from due where outbox.id = due.id
  returning outbox.id, seq, name, version, payload, metadata, occurred_at`,
};

const remove: Statement = { name: 'remove', text: 'delete from outbox where id = any($1)' };

const release: Statement = {
  name: 'release',
  text: `update outbox set claimed_until = now() + $2 * interval '1 millisecond' where id = any($1)`,
};

const oldest: Statement = {
  name: 'oldest',
  text: 'select extract(epoch from clock_timestamp() - occurred_at)::float8 as age from outbox order by seq limit 1',
};

const prunedAtOnce = 10_000;

const prune: Statement = {
  name: 'prune',
  text: `
  with old as (
    select event_id from inbox where consumed_at < now() - $1 * interval '1 day' order by consumed_at limit ${prunedAtOnce}
  ), pruned as (
    delete from inbox where event_id in (select event_id from old) returning 1
  )
  select count(*)::int as count from pruned`,
};

/**
 * The relay's own connection to the tables of this library. It
 * connects when it is needed, and anew after any failure, because a broken connection cannot be told from a slow one.
 */
export class OutboxReader {
  private client: Promise<pg.Client> | undefined;

  constructor(private readonly options: OutboxReaderOptions) {}

  /** Takes up to a batch of rows that nobody else holds, oldest first. They come back when the lease ends. */
  async claim(): Promise<EventEnvelope[]> {
    const rows = await this.query<OutboxRow>(claim, [this.options.batch, this.options.leaseMs]);
    return rows
      .toSorted((one, other) => Number(one.seq) - Number(other.seq))
      .map(({ id, name, version, payload, metadata, occurred_at }) => ({
        id,
        name,
        version,
        occurredAt: occurred_at.toISOString(),
        payload,
        metadata,
      }));
  }

  /** The rows have been published. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.query(remove, [ids]);
  }

  /** Gives rows back that could not be published, to be claimed after `waitMs`. */
  async release(ids: readonly string[], waitMs: number): Promise<void> {
    await this.query(release, [ids, waitMs]);
  }

  /** Seconds since the oldest row was written; 0 when there is none. */
  async age(): Promise<number> {
    const [row] = await this.query<{ age: number }>(oldest, []);
    return row?.age ?? 0;
  }

  /** Forgets up to 10,000 events that were consumed more than `days` ago. @returns whether there may be more of them */
  async pruneInbox(days: number): Promise<boolean> {
    const [pruned] = await this.query<{ count: number }>(prune, [days]);
    return pruned!.count === prunedAtOnce;
  }

  async close(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.then((connected) => connected.end()).catch(() => undefined);
  }

  private async query<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const client = (this.client ??= this.connect());
    try {
      const { rows } = await (await client).query<Row>({ ...statement, values });
      return rows;
    } catch (error) {
      if (this.client === client) this.client = undefined;
      // Not awaited: the farewell of a broken connection may take as long as TCP lets it
      void client.then((connected) => connected.end()).catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<pg.Client> {
    const { service, databaseUrl, onLost } = this.options;
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: `storefront-${service}-relay`,
      // A claim or a removal that a crash undoes is one more delivery, which consumers bear: none is worth a wait for the disk
      options: `-c search_path=${schemaOf(service)} -c statement_timeout=5000 -c lock_timeout=5000 -c synchronous_commit=off`,
      connectionTimeoutMillis: 5_000,
      // Longer than the server's own limit: only a silent connection reaches it
      query_timeout: 6_000,
      keepAlive: true,
    });
    // The next statement fails and connects anew; without a listener the process would end
    client.on('error', onLost);
    try {
      await client.connect();
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }
}
