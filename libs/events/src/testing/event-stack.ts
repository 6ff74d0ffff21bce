import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type EventName, type EventPayload, type ServiceName } from '#contracts';
import { type Database, schemaOf } from '#persistence';
import { testDatabase } from '#testing';
import { queueName } from '../event-queue.js';
import { appendEvent, outboxTables } from '../outbox.js';

/** The database of a service, with the tables of this library and one table for the effects of its consumers. */
export interface EventDatabase {
  readonly url: string;
  readonly database: Database;
  /** One statement as the owner of the tables, with the search_path of the service. */
  owner<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  append<Name extends EventName>(name: Name, payload: EventPayload<Name>): Promise<void>;
  /** How many rows a table has. */
  count(table: 'outbox' | 'inbox' | 'effects'): Promise<number>;
  close(): Promise<void>;
}

export async function eventDatabase(service: ServiceName): Promise<EventDatabase> {
  const own = await testDatabase(service);
  const { url, ownerUrl, database } = own;
  const client = new pg.Client({ connectionString: ownerUrl, options: `-c search_path=${schemaOf(service)}` });
  await client.connect();
  const owner = async <Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(sql, parameters)).rows;
  const [found] = await owner<{ outbox: string | null }>(`select to_regclass('outbox')::text as outbox`);
  if (found?.outbox == null) for (const statement of outboxTables) await owner(statement);
  await owner('create table effects (event_id uuid not null, note text not null)');
  return {
    url,
    database,
    owner,
    append: (name, payload) => database.transaction((tx) => appendEvent(tx, name, payload)),
    count: async (table) => Number((await owner<{ count: string }>(`select count(*) from ${table}`))[0]!.count),
    close: async () => {
      await client.end();
      await own.close();
    },
  };
}

/** The queue of a subscriber, to look into it. */
export class QueueView {
  readonly queue: Queue;
  private readonly redis: Redis;

  constructor(jobsUrl: string, subscriber: ServiceName, prefix = 'storefront') {
    this.redis = new Redis(jobsUrl, { maxRetriesPerRequest: null });
    this.redis.on('error', () => undefined);
    this.queue = new Queue(queueName(subscriber), { connection: this.redis, prefix });
    this.queue.on('error', () => undefined);
  }

  /** Forgets all jobs. */
  async empty(): Promise<void> {
    await this.queue.obliterate({ force: true });
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.redis.disconnect();
  }
}
