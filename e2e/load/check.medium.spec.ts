import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import pg from 'pg';
import { QueuedEvents } from '#events';
import { eventually, testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import { defaultPrefix, queueName } from '../../libs/events/src/event-queue.js';
import { failJob } from '../../apps/operator/src/verify/testing/failed-job.js';
import { checkFavoriteActivities, checkMaterialActivities, checkTotals } from './check-database.js';
import { LoadLedger } from './ledger.js';
import { Notes } from './notes.js';
import { OutboxWatch } from './outboxes.js';
import { untilSettled } from './settled.js';

let db: TestDatabase;
let owner: pg.Client;
let jobsUrl: string;
let queued: QueuedEvents;
let queue: Queue;
let ledger: LoadLedger;

const aMaterial = { materialId: 3, materialTitle: 'Gull' };
const aFavorite = { productId: 30, productTitle: 'Gull Mug' };
const product = (id: number) => ({ id, itemId: 10, published: true, resizeMode: null, sampleImageUrl: '' });

/** Users 1 and 2 favorite product 30 of user 2, twice each. */
beforeEach(async () => {
  await owner.query(
    'truncate activity.activities, social.favorites, social.product_favorites, activity.outbox cascade',
  );
  ledger = new LoadLedger([]);
  ledger.made(2, 'Gull', { id: 3, title: 'Gull', products: [product(30)] });
  await insertActivity('material', 2, aMaterial);
  for (const userId of [1, 2]) {
    ledger.placing({ userId, productId: 30, ownerId: 2 }, 2);
    ledger.placed(`${userId}/30`, new Set([0]), 2, { count: 2, totalCount: 4 });
    await placeFavorite(userId, 30, 2);
  }
  await insertActivity('favorite', 1, aFavorite);
});

const insertActivity = (kind: string, actor: number, data: object, receiver = 2) =>
  owner.query(
    `insert into activity.activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at)
     values (gen_random_uuid(), $1, $2, $2, $3, $4, now())`,
    [receiver, actor, kind, JSON.stringify(data)],
  );
const placeFavorite = async (userId: number, productId: number, count: number) => {
  await owner.query(
    `insert into social.product_favorites values ($1, $2)
     on conflict (product_id) do update set total_count = product_favorites.total_count + excluded.total_count`,
    [productId, count],
  );
  await owner.query(
    `insert into social.favorites (product_id, user_id, count, anonymous, x, y, rotation) values ($1, $2, $3, false, 0, 0, 0)`,
    [productId, userId, count],
  );
};

async function found() {
  const notes = new Notes();
  await checkFavoriteActivities(owner, ledger, notes);
  await checkMaterialActivities(owner, ledger, notes);
  await checkTotals(owner, ledger, notes);
  return notes.findings(0);
}
const none = { lost: [], duplicated: [], wrong: [], settledMs: 0 };

beforeAll(async () => {
  db = await testDatabase('social');
  owner = new pg.Client({ connectionString: db.ownerUrl });
  await owner.connect();
  jobsUrl = testRedisUrl();
  queued = new QueuedEvents(jobsUrl);
  queue = new Queue(queueName('activity'), { connection: { url: jobsUrl }, prefix: defaultPrefix });
});
afterAll(async () => {
  queued.close();
  await queue.close();
  await owner.end();
  await db.close();
});

it('reports nothing if all acknowledged writes are stored', async () => {
  expect(await found()).toEqual(none);
});

it.each([
  [
    'that is missing',
    `delete from activity.activities where kind = 'favorite'`,
    { lost: ['favorite 1/30 has no activity'] },
  ],
  [
    'of another owner',
    `update activity.activities set receiver_id = 5 where kind = 'favorite'`,
    { wrong: ['the activity of favorite 1/30 is for 5 instead of 2'] },
  ],
  [
    'of a favorite that was never placed',
    `update activity.activities set data = data || '{"productId": 31}' where kind = 'favorite'`,
    { duplicated: ['there is an activity of favorite 1/31, which was never placed'] },
  ],
  [
    'of a material, missing',
    `delete from activity.activities where kind = 'material'`,
    { lost: ['material 3 has no activity'] },
  ],
])('reports an activity %s', async (_, mutation, expected) => {
  await owner.query(mutation);
  expect(await found()).toMatchObject(expected);
});

it('reports duplicated activities', async () => {
  await insertActivity('favorite', 1, aFavorite);
  await insertActivity('material', 2, aMaterial);
  expect((await found()).duplicated).toEqual(['favorite 1/30 has 2 activities', 'material 3 has 2 activities']);
});

it('does not require an activity of a deleted material', async () => {
  await owner.query(`delete from activity.activities where kind = 'material'`);
  await owner.query('delete from social.favorites');
  await owner.query('update social.product_favorites set total_count = 0, deleted = true');
  ledger.deleted(3);
  expect(await found()).toEqual(none);
});

it.each([
  [
    'does not agree with its rows',
    'update social.product_favorites set total_count = 5',
    {
      wrong: ['product 30 has a total of 5 and favorites of 4'],
      duplicated: ['product 30 has a total of 5; 4 were placed'],
    },
  ],
  [
    'lacks a favorite, as its rows do',
    'with deleted as (delete from social.favorites where user_id = 1) update social.product_favorites set total_count = 2',
    { lost: ['product 30 has a total of 2; 4 were placed'], wrong: [] },
  ],
])('reports a total that %s', async (_, mutation, expected) => {
  await owner.query(mutation);
  expect(await found()).toMatchObject(expected);
});

it('reports favorites of a deleted product', async () => {
  ledger.deleted(3);
  expect((await found()).lost).toEqual(['product 30 was deleted and has favorites of 4']);
});

describe('background work', () => {
  const settled = async () => {
    const notes = new Notes();
    await untilSettled(owner, queued, notes);
    return notes.findings(0);
  };
  const row = (age: string) =>
    owner.query(
      `insert into activity.outbox (id, name, version, payload, occurred_at)
       values (gen_random_uuid(), 'user.updated', 1, '{"userId": 1}', now() - interval '${age}')`,
    );

  it('is awaited when it appears after a reading without work', async () => {
    let isSettled = false;
    const settling = settled().finally(() => (isSettled = true));
    await sleep(50);
    await row('1 second');
    await sleep(500);
    expect(isSettled).toBe(false);
    await owner.query('delete from activity.outbox');
    expect((await settling).wrong).toEqual([]);
  });

  it('is awaited: outbox rows and jobs', async () => {
    await row('1 second');
    const job = await queue.add('material.rendered', {});
    let isSettled = false;
    const findings = settled().finally(() => (isSettled = true));
    await owner.query('truncate activity.outbox');
    await eventually('the job waits', async () => (await queue.getWaitingCount()) === 1);
    expect(isSettled).toBe(false);
    await job.remove();
    expect(await findings).toEqual(none);
  });

  it('is reported if an outbox row is older than a minute', async () => {
    await row('61 seconds');
    const findings = settled();
    await owner.query('truncate activity.outbox');
    expect((await findings).wrong).toEqual(['an event in the outbox of activity was older than a minute']);
  });

  it('is reported if a job has failed', async () => {
    const id = randomUUID();
    await failJob(jobsUrl, 'activity', { id, name: 'material.rendered', payload: {} }, 'the paper is out');
    expect((await settled()).wrong).toEqual(['material.rendered failed at activity: the paper is out']);
    await queue.obliterate({ force: true });
  });

  it('is watched: the maximum age includes that of published events', async () => {
    await row('61 seconds');
    const watch = new OutboxWatch(db.ownerUrl);
    try {
      await eventually('a look at it', () => watch.hasLooked && watch.ages.oldest > 0);
      await owner.query('truncate activity.outbox');
    } finally {
      await watch.stop();
    }
    expect(watch.ages.oldest).toBeGreaterThan(61);
    expect(watch.ages.findings).toEqual(['an event in the outbox of activity was older than a minute']);
  });

  it('throws if the outboxes could not be read', async () => {
    const watch = new OutboxWatch('postgres://user@127.0.0.1:1/missing');
    await watch.stop();
    expect(() => watch.ages).toThrow('could not be read');
  });
});
