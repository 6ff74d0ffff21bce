import { testDatabase, type TestDatabase } from '#testing';
import { dateTimeWriter, systemClock } from '#kernel';
import type { ActivityEnv } from '../env.js';
import { ActivitySweeper } from './activity.sweeper.js';
import { ActivityJson } from './activity.json.js';
import { ActivityQueries } from './activity.queries.js';

const hanako = 1;
let db: TestDatabase;
let queries: ActivityQueries;

beforeAll(async () => {
  db = await testDatabase('activity');
  queries = new ActivityQueries(db.database, new ActivityJson(dateTimeWriter('spec', 'UTC'), systemClock));
});
afterAll(() => db.close());
beforeEach(() => db.database.query('delete from activities'));

/** So many activities of that age, each a second older than the one before. */
const happened = (count: number, days: number, read = false) =>
  db.database.query(
    `insert into activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at, read_at)
     select gen_random_uuid(), ${hanako}, 0, 0, 'sale', '{"productId": 1, "productTitle": "Cat"}', at, case when $3 then at end
     from (
       select now() - $2 * interval '1 day' - n * interval '1 second' as at from generate_series(1, $1) as n
     ) as told`,
    [count, days, read],
  );
const left = async (): Promise<number> =>
  (await db.database.query<{ count: number }>('select count(*) as count from activities'))[0]!.count;
const sweep = (days = 400): ActivitySweeper => new ActivitySweeper(db.database, { ACTIVITY_DAYS: days } as ActivityEnv);

describe('old activities', () => {
  it('are forgotten, read or not, and no others', async () => {
    await happened(3, 400);
    await happened(2, 401, true);
    await happened(4, 399);
    expect(await queries.unreads(hanako)).toBe(7);
    expect(await sweep().sweep()).toBe(5);
    expect(await queries.unreads(hanako)).toBe(4);
    expect(await sweep().sweep()).toBe(0);
  });

  it('are kept as long as the setting says', async () => {
    await happened(2, 31);
    expect(await sweep(32).sweep()).toBe(0);
    expect(await sweep(30).sweep()).toBe(2);
  });

  it('are forgotten all, however many, the oldest first', async () => {
    await happened(2_500, 400);
    expect(await sweep().sweep()).toBe(2_500);
    expect(await left()).toBe(0);
  });

  it('are left at a full batch by a process that ends, and forgotten by the next one', async () => {
    await happened(1_500, 400);
    const ending = sweep();
    ending.onModuleDestroy();
    expect(await ending.sweep()).toBe(1_000);
    const [{ oldest } = { oldest: 0 }] = await db.database.query<{ oldest: number }>(
      `select round(extract(epoch from now() - interval '400 days' - min(created_at)))::int as oldest from activities`,
    );
    expect(oldest).toBeLessThan(1_000);
    expect(await sweep().sweep()).toBe(500);
  });

  it('are forgotten once by many processes', async () => {
    await happened(4_000, 400);
    await happened(10, 1);
    const counts = await Promise.all(Array.from({ length: 4 }, () => sweep().sweep()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4_000);
    expect(await left()).toBe(10);
  });

  it('are not waited for while somebody else has them', async () => {
    await happened(3, 400);
    await db.database.transaction(async (tx) => {
      await tx.query('select from activities order by created_at limit 1 for update');
      expect(await sweep().sweep()).toBe(2);
    });
    expect(await sweep().sweep()).toBe(1);
  });

  it('are found by an index', async () => {
    await happened(100, 400);
    await happened(5_000, 1);
    await db.database.query('analyze activities');
    const sent: string[] = [];
    const query = db.database.query.bind(db.database);
    const database = Object.assign(Object.create(db.database) as typeof db.database, {
      query: (sql: string, parameters: readonly unknown[]) => {
        sent.push(sql);
        return query(sql, parameters);
      },
    });
    await new ActivitySweeper(database, { ACTIVITY_DAYS: 400 } as ActivityEnv).sweep();
    const plan = JSON.stringify(await query(`explain (format json) ${sent[0]}`, [400]));
    expect(plan).toContain('"Index Name":"activities_oldest"');
    expect(plan).not.toContain('Seq Scan');
  });
});
