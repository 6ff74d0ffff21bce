import pg from 'pg';
import { Database, serviceDataSource } from '#persistence';
import { EventQueries } from '../../apps/webhooks/src/event-log/event.queries.js';
import { type OwnDatabase, startOwnDatabase } from './own-database.js';

const eventCounts = [10_000, 1_000_000] as const;
const userCount = 20;
const runCount = 300;

/** Events in the order of the log: the users in turn, one deletion per 1,000 favorites. */
const fillLog = `
  insert into webhooks.events (event_id, user_id, type, sequence, data, metadata, occurred_at)
  select gen_random_uuid(), 1 + n % ${userCount}, case when n % 1000 = 0 then 'material.deleted' else 'favorite.placed' end, 1,
    jsonb_build_object('favoriteId', n, 'productId', n, 'userId', 1, 'count', 1), '{"requestId": "r"}', now()
  from generate_series(1, $1::integer) n`;

interface Log {
  readonly queries: EventQueries;
  readonly middle: string;
  readonly end: string;
  readonly close: () => Promise<void>;
}

async function startLog(events: number): Promise<Log> {
  const database: OwnDatabase = await startOwnDatabase();
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query(fillLog, [events]);
  await client.query('vacuum analyze webhooks.events');
  await client.end();
  const source = serviceDataSource({ service: 'webhooks', url: database.urlOf('webhooks'), poolSize: 1, entities: [] });
  await source.initialize();
  return {
    queries: new EventQueries(new Database(source)),
    middle: String(events / 2),
    end: String(events),
    close: async () => {
      await source.destroy();
      await database.close();
    },
  };
}

let logs: Log[];

beforeAll(async () => {
  logs = await Promise.all(eventCounts.map(startLog));
}, 600_000);
afterAll(() => Promise.all(logs.map((log) => log.close())));

const reads: Readonly<Record<string, (log: Log) => Promise<unknown>>> = {
  'the oldest page': ({ queries }) => queries.list(1, undefined, { types: undefined, limit: 50 }),
  'a page after a cursor': ({ queries, middle }) => queries.list(1, middle, { types: undefined, limit: 50 }),
  'a page of types': ({ queries, middle }) =>
    queries.list(1, middle, { types: ['favorite.placed', 'material.deleted'], limit: 50 }),
  'an empty page of a rare type': ({ queries, middle }) =>
    queries.list(1, middle, { types: ['application.revoked'], limit: 50 }),
  'an empty page of a user without events': ({ queries }) =>
    queries.list(userCount + 1, undefined, { types: undefined, limit: 50 }),
  'the users with newer events': ({ queries, middle }) =>
    queries.newest(Array.from({ length: userCount + 1 }, (_, n) => ({ userId: n + 1, after: middle }))),
  'no user with newer events': ({ queries, end }) =>
    queries.newest(Array.from({ length: userCount + 1 }, (_, n) => ({ userId: n + 1, after: end }))),
  'the cursor of the end': ({ queries }) => queries.list(1, 'latest', { types: undefined, limit: 50 }),
};

const medianOf = (values: number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!;

it.each(Object.entries(reads))(
  '%s takes at most 30 % longer with 1,000,000 events than with 10,000',
  async (name, read) => {
    const times: number[][] = logs.map(() => []);
    for (let run = 0; run < runCount; run += 1)
      for (const [index, log] of logs.entries()) {
        const began = performance.now();
        await read(log);
        times[index]!.push(performance.now() - began);
      }
    const [small, large] = times.map(medianOf) as [number, number];
    console.info(`${name}: ${small.toFixed(2)} ms, ${large.toFixed(2)} ms, ratio ${(large / small).toFixed(2)}`);
    // Of a large log PostgreSQL plans the statement of a page at each call: 0.3 ms. Of a small one
    // its generic plan is not more expensive, so that it is cached
    expect(large).toBeLessThan(1.3 * small + 0.3);
  },
);
