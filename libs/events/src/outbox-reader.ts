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
  /** Called when the connection is lost. The next statement fails, the one after it reconnects. */
  readonly onLost: () => void;
}

/**
 * Statement that each connection prepares once. The relay claims and removes rows many times a
 * second.
 */
interface Statement {
  readonly name: string;
  readonly text: string;
}

// A claim is one statement, so that no transaction is open while the events are published to Redis
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

const pruneBatchSize = 10_000;

const prune: Statement = {
  name: 'prune',
  text: `
  with old as (
    select event_id from inbox where consumed_at < now() - $1 * interval '1 day' order by consumed_at limit ${pruneBatchSize}
  ), pruned as (
    delete from inbox where event_id in (select event_id from old) returning 1
  )
  select count(*)::int as count from pruned`,
};

/**
 * Connection of the relay to the tables of this library. Connects on the first statement, and
 * reconnects after any failure, because a broken connection cannot be distinguished from a slow
 * connection.
 */
export class OutboxReader {
  private client: Promise<pg.Client> | undefined;

  constructor(private readonly options: OutboxReaderOptions) {}

  /**
   * Claims up to a batch of unclaimed rows, oldest first. Claimed rows can be claimed again when
   * the lease expires.
   */
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

  /** Deletes published rows. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.query(remove, [ids]);
  }

  /** Releases rows that could not be published. They can be claimed after `waitMs`. */
  async release(ids: readonly string[], waitMs: number): Promise<void> {
    await this.query(release, [ids, waitMs]);
  }

  /** Returns the age of the oldest row in seconds; 0 without rows. */
  async age(): Promise<number> {
    const [row] = await this.query<{ age: number }>(oldest, []);
    return row?.age ?? 0;
  }

  /** Deletes up to 10,000 inbox rows older than `days`. @returns true when more may exist */
  async pruneInbox(days: number): Promise<boolean> {
    const [pruned] = await this.query<{ count: number }>(prune, [days]);
    return pruned!.count === pruneBatchSize;
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
      // Not awaited, because closing a broken connection may take until the TCP timeout
      void client.then((connected) => connected.end()).catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<pg.Client> {
    const { service, databaseUrl, onLost } = this.options;
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: `storefront-${service}-relay`,
      // synchronous_commit off: a crash may undo a claim or a deletion. The duplicate delivery
      // costs less than waiting for the disk
      options: `-c search_path=${schemaOf(service)} -c statement_timeout=5000 -c lock_timeout=5000 -c synchronous_commit=off`,
      connectionTimeoutMillis: 5_000,
      // Longer than statement_timeout, so that only a connection without replies reaches it
      query_timeout: 6_000,
      keepAlive: true,
    });
    // Without a listener the error would end the process
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
