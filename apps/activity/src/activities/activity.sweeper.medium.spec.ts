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

/** Inserts activities of the given age, each a second older than the one before. */
const insertActivities = (count: number, days: number, read = false) =>
  db.database.query(
    `insert into activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at, read_at)
     select gen_random_uuid(), ${hanako}, 0, 0, 'sale', '{"productId": 1, "productTitle": "Cat"}', at, case when $3 then at end
     from (
       select now() - $2 * interval '1 day' - n * interval '1 second' as at from generate_series(1, $1) as n
     ) as times`,
    [count, days, read],
  );
const countActivities = async (): Promise<number> =>
  (await db.database.query<{ count: number }>('select count(*) as count from activities'))[0]!.count;
const sweeper = (days = 400): ActivitySweeper =>
  new ActivitySweeper(db.database, { ACTIVITY_DAYS: days } as ActivityEnv);

describe('ActivitySweeper', () => {
  it('deletes old activities, read or unread, and no others', async () => {
    await insertActivities(3, 400);
    await insertActivities(2, 401, true);
    await insertActivities(4, 399);
    expect(await queries.unreads(hanako)).toBe(7);
    expect(await sweeper().sweep()).toBe(5);
    expect(await queries.unreads(hanako)).toBe(4);
    expect(await sweeper().sweep()).toBe(0);
  });

  it('retains activities for ACTIVITY_DAYS days', async () => {
    await insertActivities(2, 31);
    expect(await sweeper(32).sweep()).toBe(0);
    expect(await sweeper(30).sweep()).toBe(2);
  });

  it('deletes any number of old activities in one sweep', async () => {
    await insertActivities(2_500, 400);
    expect(await sweeper().sweep()).toBe(2_500);
    expect(await countActivities()).toBe(0);
  });

  it('deletes the oldest activities first and stops after a batch at shutdown; the next process continues', async () => {
    await insertActivities(1_500, 400);
    const closing = sweeper();
    closing.onModuleDestroy();
    expect(await closing.sweep()).toBe(1_000);
    const [{ oldest } = { oldest: 0 }] = await db.database.query<{ oldest: number }>(
      `select round(extract(epoch from now() - interval '400 days' - min(created_at)))::int as oldest from activities`,
    );
    expect(oldest).toBeLessThan(1_000);
    expect(await sweeper().sweep()).toBe(500);
  });

  it('deletes each activity once when processes sweep concurrently', async () => {
    await insertActivities(4_000, 400);
    await insertActivities(10, 1);
    const counts = await Promise.all(Array.from({ length: 4 }, () => sweeper().sweep()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4_000);
    expect(await countActivities()).toBe(10);
  });

  it('skips activities locked by another transaction', async () => {
    await insertActivities(3, 400);
    await db.database.transaction(async (tx) => {
      await tx.query('select from activities order by created_at limit 1 for update');
      expect(await sweeper().sweep()).toBe(2);
    });
    expect(await sweeper().sweep()).toBe(1);
  });

  it('finds old activities by an index', async () => {
    await insertActivities(100, 400);
    await insertActivities(5_000, 1);
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
