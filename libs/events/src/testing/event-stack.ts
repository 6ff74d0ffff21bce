import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type EventName, type EventPayload, type ServiceName } from '#contracts';
import { type Database, schemaOf } from '#persistence';
import { testDatabase } from '#testing';
import { queueName } from '../event-queue.js';
import { appendEvent, outboxTables } from '../outbox.js';

/**
 * Database of a service with the tables of this library and a table for the effects of consumers.
 */
export interface EventDatabase {
  readonly url: string;
  readonly database: Database;
  /** Runs a statement as the owner of the tables, with the search_path of the service. */
  owner<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  append<Name extends EventName>(name: Name, payload: EventPayload<Name>): Promise<void>;
  /** Returns the number of rows of a table. */
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

/**
 * Creates a database function for `onceCalling`: `take_note($1, $2)` writes an effect and fails for
 * `rejectedNote`.
 */
export const createTakeNote = (database: EventDatabase, rejectedNote: string): Promise<object[]> =>
  database.owner(`
    create function take_note(event uuid, noted text) returns void language plpgsql as $$
    begin
      if noted = '${rejectedNote}' then raise exception '${rejectedNote}'; end if;
      insert into effects (event_id, note) values (event, noted);
    end $$`);

/**
 * Starts a worker that takes jobs and never finishes them. Its locks expire after 300 ms.
 *
 * @returns a function that ends the worker like a crash: its jobs stay active
 */
export function startCrashingWorker(jobsUrl: string, subscriber: ServiceName): () => Promise<void> {
  const connection = new Redis(jobsUrl, { maxRetriesPerRequest: null });
  const lock = { lockDuration: 300, skipLockRenewal: true, skipStalledCheck: true };
  const work = () => sleep(60_000, undefined, { ref: false });
  const worker = new Worker(queueName(subscriber), work, { connection, prefix: 'storefront', ...lock });
  return async () => {
    await worker.close(true);
    connection.disconnect();
  };
}

/** Queue of a subscriber, for assertions about its jobs. */
export class QueueView {
  readonly queue: Queue;
  private readonly redis: Redis;

  constructor(jobsUrl: string, subscriber: ServiceName, prefix = 'storefront') {
    this.redis = new Redis(jobsUrl, { maxRetriesPerRequest: null });
    this.redis.on('error', () => undefined);
    this.queue = new Queue(queueName(subscriber), { connection: this.redis, prefix });
    this.queue.on('error', () => undefined);
  }

  /** Returns the waiting jobs, the next one first. */
  async waiting(): Promise<Job[]> {
    return [...(await this.queue.getWaiting(0, -1)), ...(await this.queue.getPrioritized(0, -1))];
  }

  /** Deletes all jobs. */
  async empty(): Promise<void> {
    await this.queue.obliterate({ force: true });
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.redis.disconnect();
  }
}
