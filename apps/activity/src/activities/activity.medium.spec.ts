import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { Activity, events, type EventEnvelope, type EventName, type EventPayload } from '#contracts';
import { type Delivery, Inbox, OutboxSignal } from '#events';
import { dateTimeWriter } from '#kernel';
import { runInCall } from '#request-queue';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { ActivityJson } from './activity.json.js';
import { ActivityConsumer } from './activity.consumer.js';
import { ActivityEntity } from './activity.entity.js';
import { ActivityQueries } from './activity.queries.js';
import { ActivityRepository } from './activity.repository.js';
import { UserConsumer } from '../users/user.consumer.js';

const now = new Date('2026-11-20T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const [hanako, taro, jiro] = [1, 2, 3];

let db: TestDatabase;
let accounts: pg.Client;
let queries: ActivityQueries;
const activityJson = new ActivityJson(dateTimeWriter('spec', 'UTC'), { now: () => now });
const outbox = new OutboxSignal();
const repository = new ActivityRepository(outbox);
const consumer = new ActivityConsumer(repository);

beforeAll(async () => {
  db = await testDatabase('activity', [ActivityEntity]);
  queries = new ActivityQueries(db.database, activityJson);
  // As the owner of all schemas: the service itself may only read the users
  accounts = new pg.Client(db.ownerUrl);
  await accounts.connect();
  await accounts.query(`
    insert into accounts.users (id, name, display_name, email, profile, official) overriding system value values
      (1, 'hanako', 'Hanako', 'hanako@example.com', '{"url": null, "body": null, "headerUrl": null}', true),
      (2, 'taro', null, 'taro@example.com', '{"url": "https://example.com", "body": "Cats.", "headerUrl": null}', false),
      (3, 'jiro', null, 'jiro@example.com', default, false);
    insert into accounts.identities (user_id, provider, uid) values (2, 'example', '2326290218'), (2, 'other', '1')`);
});
afterAll(async () => {
  await accounts.end();
  await db.close();
});
beforeEach(async () => {
  for (const table of ['activities', 'inbox', 'outbox']) await db.database.query(`delete from ${table}`);
});

const placedFavorite = { favoriteId: 1, productId: 10, productTitle: 'Lighthouse T-shirt', ownerId: hanako, count: 1 };
const byTaro = { ...placedFavorite, userId: taro, anonymous: false };

const envelope = <Name extends EventName>(name: Name, at: Date, payload: EventPayload<Name>): EventEnvelope<Name> => ({
  id: randomUUID(),
  name,
  version: 1,
  occurredAt: at.toISOString(),
  payload,
  metadata: {},
});
const delivery = <Name extends EventName>(event: EventEnvelope<Name>): Delivery<Name> => ({
  event,
  attempt: 1,
  signal: new AbortController().signal,
  progress: () => Promise.resolve(),
  ...new Inbox(db.database, 1).forEvent(event.id),
});
const favorite = (at: Date, payload: Partial<EventPayload<'favorite.placed'>> = {}) =>
  consumer.addFavoriteActivity(delivery(envelope('favorite.placed', at, { ...byTaro, ...payload })));
/** Returns the number of sessions of this database that wait for a lock. */
const countLockWaits = async () =>
  (
    await db.database.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.count;
/** Returns the payloads of `activity.created` in the outbox. */
const createdActivities = async () =>
  (
    await db.database.query<{ payload: unknown }>(
      `select payload from outbox where name = 'activity.created' and version = ${events['activity.created'].version}`,
    )
  ).map(({ payload }) => events['activity.created'].payload.strict().parse(payload));
const list = (limit = 30) => queries.list(hanako, limit, 'en');

describe('activity.created', () => {
  it('is appended for each activity, with its public id', async () => {
    await favorite(minutesAgo(120));
    const sold = { productId: 10, productTitle: 'Lighthouse T-shirt', ownerId: hanako, buyerId: taro };
    const sale = envelope('sale.recorded', minutesAgo(1), sold);
    await Promise.all([sale, sale].map((event) => consumer.addSaleActivity(delivery(event))));
    const ids = (await list()).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(await createdActivities()).toEqual(
      expect.arrayContaining(ids.map((activityId) => ({ activityId, receiverId: hanako }))),
    );
    expect(await createdActivities()).toHaveLength(2);
  });

  it('of a favorite has the metadata of its event, and wakes the relay after the commit', async () => {
    const wakeRelay = jest.fn();
    outbox.onAppended(wakeRelay);
    const call = { service: 'activity', pattern: 'favorite.placed', signal: new AbortController().signal };
    const trace = { requestId: 'r1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    await runInCall({ ...call, ...trace }, () => favorite(minutesAgo(1)));
    expect(await db.database.query('select metadata from outbox')).toEqual([{ metadata: trace }]);
    expect(wakeRelay).toHaveBeenCalledTimes(1);
  });

  it('is not appended for a repeated favorite', async () => {
    for (const minutes of [30, 20, 10]) await favorite(minutesAgo(minutes));
    await favorite(minutesAgo(5), { anonymous: true });
    expect(await createdActivities()).toHaveLength(1);
  });
});

describe('the subject of an activity', () => {
  it('is the product, the material or the webhook endpoint, for the receiver only', async () => {
    await favorite(minutesAgo(4));
    const sold = { productId: 11, productTitle: 'Sun mug', ownerId: hanako, buyerId: null };
    await consumer.addSaleActivity(delivery(envelope('sale.recorded', minutesAgo(3), sold)));
    const rendered = { materialId: 7, userId: hanako, title: 'Sun', images: 4 };
    await consumer.addRenderingActivity(delivery(envelope('material.rendered', minutesAgo(2), rendered)));
    const disabled = { endpointId: 3, userId: hanako, host: 'hooks.example.com' };
    await consumer.addWebhookActivity(delivery(envelope('webhook.disabled', minutesAgo(1), disabled as never)));
    const ids = (await list()).map(({ id }) => id);
    const { subjects, products } = await queries.subjects(hanako, ids);
    expect(new Set(subjects)).toEqual(
      new Set([
        { activityId: ids[0], kind: 'webhook', id: 3 },
        { activityId: ids[1], kind: 'material', id: 7 },
      ]),
    );
    expect(new Set(products)).toEqual(
      new Set([
        { activityId: ids[2], productId: 11 },
        { activityId: ids[3], productId: 10 },
      ]),
    );
    expect(await queries.subjects(taro, ids)).toEqual({ subjects: [], products: [] });
  });
});

describe('a favorite', () => {
  it('adds an activity for the owner of the product, with sender and receiver as the API shows them', async () => {
    await favorite(minutesAgo(120));
    const [activity, ...more] = await list();
    expect(more).toEqual([]);
    expect(Activity.strict().parse(activity)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      message: 'taro likes your Lighthouse T-shirt.',
      timeago: '2 hours ago',
      eventType: 'favorite',
      eventAction: 'provide',
      createdAt: '2026-11-20 10:00:00 +0000',
      sender: {
        id: taro,
        name: 'taro',
        displayName: null,
        avatarUrl: null,
        profile: { url: 'https://example.com', body: 'Cats.', headerUrl: null },
        identities: [
          { id: expect.any(Number), provider: 'example', uid: '2326290218', nickname: null, url: null },
          { id: expect.any(Number), provider: 'other', uid: '1', nickname: null, url: null },
        ],
        official: false,
      },
      receiver: {
        id: hanako,
        name: 'hanako',
        displayName: 'Hanako',
        avatarUrl: null,
        profile: { url: null, body: null, headerUrl: null },
        identities: [],
        official: true,
      },
      event: null,
    });
    expect(JSON.stringify(activity)).not.toContain('@example.com');
  });

  it('adds no activity for a favorite on one’s own product', async () => {
    await favorite(now, { userId: hanako });
    expect(await list()).toEqual([]);
  });

  it('shows the anonymous user as the sender of an anonymous favorite', async () => {
    await favorite(now, { anonymous: true });
    const [activity] = await list();
    expect(activity!.sender).toMatchObject({ id: 0, name: 'anonymous', identities: [] });
    expect(activity!.message).toBe('Someone likes your Lighthouse T-shirt.');
  });

  it('shows the anonymous user as the sender when the actor does not exist in accounts', async () => {
    await favorite(now, { userId: 999 });
    expect((await list())[0]!.sender).toMatchObject({ id: 0, name: 'anonymous' });
  });

  it('writes the message in Japanese when the language is ja', async () => {
    await favorite(minutesAgo(120));
    expect(await queries.list(hanako, 30, 'ja')).toMatchObject([
      { message: 'taroさんが「Lighthouse T-shirt」をお気に入りに追加しました。', timeago: '2 時間前' },
    ]);
  });

  it('adds one activity when the event is delivered twice', async () => {
    const event = envelope('favorite.placed', now, byTaro);
    await Promise.all([consumer.addFavoriteActivity(delivery(event)), consumer.addFavoriteActivity(delivery(event))]);
    expect(await list()).toHaveLength(1);
  });
});

describe('repeated favorites of one user on one product', () => {
  it('are one activity within an hour of the first, and a new one after it', async () => {
    await favorite(minutesAgo(130));
    await favorite(minutesAgo(71));
    expect(await list()).toHaveLength(1);
    await favorite(minutesAgo(70));
    expect(await list()).toHaveLength(2);
  });

  it('show the name of the user', async () => {
    await favorite(minutesAgo(20));
    await favorite(minutesAgo(10));
    expect(await list()).toMatchObject([{ sender: { id: taro }, message: 'taro likes your Lighthouse T-shirt.' }]);
  });

  it('are one activity also when a clock hour ends between them', async () => {
    await favorite(minutesAgo(61));
    await favorite(minutesAgo(59));
    expect(await list()).toHaveLength(1);
  });

  it('are one activity when they are delivered in reverse', async () => {
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(20));
    expect(await list()).toHaveLength(1);
  });

  it('are one activity when a delivery arrives after that of a favorite placed hours later', async () => {
    await favorite(minutesAgo(180));
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(170));
    expect(await list()).toHaveLength(2);
  });

  it('are two activities when they are hours apart and delivered in reverse', async () => {
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(180));
    expect(await list()).toHaveLength(2);
  });

  it('are one activity when the second is delivered before the first is committed', async () => {
    const activity = { eventId: randomUUID(), receiverId: hanako, senderId: taro, actorId: taro, at: now };
    const { second } = await db.database.transaction(async (tx) => {
      const inTransaction = async (call: string, parameters: readonly unknown[]) => {
        await tx.query(`select ${call}`, [activity.eventId, ...parameters]);
        return true;
      };
      await repository.addFavorite(inTransaction, activity, { productId: 10, productTitle: 'Lighthouse T-shirt' });
      const delivered = favorite(now);
      await Promise.race([delivered, eventually('the second waits', async () => (await countLockWaits()) === 1)]);
      return { second: delivered };
    });
    await second;
    expect(await list()).toHaveLength(1);
  });

  it('are one activity when twenty are delivered concurrently', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => favorite(minutesAgo(n))));
    expect(await list()).toHaveLength(1);
  });

  it('are one activity although the first was read', async () => {
    await favorite(minutesAgo(20));
    await list();
    await favorite(minutesAgo(10));
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('are separate activities per product and per user, also when the users are anonymous', async () => {
    await favorite(now);
    await favorite(now, { productId: 11 });
    await favorite(now, { userId: 3, anonymous: true });
    await favorite(now, { userId: 4, anonymous: true });
    expect(await list()).toHaveLength(4);
  });
});

describe('named and anonymous favorites of one user on one product within an hour', () => {
  const anonymous = { anonymous: true };
  const senders = async () => (await list()).map(({ sender, message }) => `${sender.id} ${message}`);
  const unnamed = '0 Someone likes your Lighthouse T-shirt.';
  const named = '2 taro likes your Lighthouse T-shirt.';

  it.each([
    ['the anonymous one first', [anonymous, {}]],
    ['the named one first', [{}, anonymous]],
    ['one anonymous one between two with a name', [{}, anonymous, {}]],
  ])('are one anonymous activity: %s', async (_, payloads) => {
    for (const [n, payload] of payloads.entries()) await favorite(minutesAgo(50 - n), payload);
    expect(await senders()).toEqual([unnamed]);
  });

  it('are one anonymous activity when the anonymous one is delivered late', async () => {
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(20), anonymous);
    expect(await senders()).toEqual([unnamed]);
  });

  it('are one anonymous activity when twenty are delivered concurrently', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => favorite(minutesAgo(n), n === 7 ? anonymous : {})));
    expect(await senders()).toEqual([unnamed]);
  });

  it('do not change the sender for other products, hours and users', async () => {
    await favorite(minutesAgo(200));
    await favorite(minutesAgo(30), { productId: 11 });
    await favorite(minutesAgo(20), anonymous);
    await favorite(minutesAgo(10), { userId: jiro });
    expect(await senders()).toEqual(['3 jiro likes your Lighthouse T-shirt.', unnamed, named, named]);
  });

  it('do not become unread when the sender becomes anonymous', async () => {
    await favorite(minutesAgo(20));
    await list();
    await favorite(minutesAgo(10), anonymous);
    expect(await queries.unreads(hanako)).toBe(0);
  });
});

describe('favorites in one batch', () => {
  type Placed = EventEnvelope<'favorite.placed'>;
  const placed = (minutes: number, payload: Partial<Placed['payload']> = {}): Placed =>
    envelope('favorite.placed', minutesAgo(minutes), { ...byTaro, ...payload });
  const deliverBatch = async (events: readonly Placed[]): Promise<void> => {
    const inbox = new Inbox(db.database, events.length);
    await Promise.all(
      events.map((event) => {
        const { ended, ...once } = inbox.forEvent(event.id);
        return consumer.addFavoriteActivity({ ...delivery(event), ...once }).finally(ended);
      }),
    );
  };
  const storedActivities = () =>
    db.database.query(
      `select receiver_id, sender_id, actor_id, created_at, data from activities order by created_at, data`,
    );
  const spyOnStatements = () => jest.spyOn(db.database as unknown as { run: (sql: string) => Promise<unknown> }, 'run');
  afterEach(() => jest.restoreAllMocks());

  const mixed = (): Placed[] => [
    placed(130),
    placed(71),
    placed(70),
    placed(9, { productId: 11, anonymous: true }),
    placed(8, { productId: 11 }),
    placed(7, { userId: jiro }),
    placed(6, { userId: hanako }),
    placed(5, { userId: jiro, anonymous: true }),
    placed(4, { productId: 2, productTitle: '‘“猫”' }),
    placed(3, { userId: 10, productId: 100, ownerId: taro }),
  ];

  it.each([
    ['in order', (events: Placed[]) => events],
    ['in reverse', (events: Placed[]) => events.toReversed()],
  ])('have the same result as sequential deliveries: %s', async (_, arrange) => {
    for (const event of mixed()) await consumer.addFavoriteActivity(delivery(event));
    const sequential = await storedActivities();
    expect(sequential).toHaveLength(6);
    for (const table of ['activities', 'inbox', 'outbox']) await db.database.query(`delete from ${table}`);
    await deliverBatch(arrange(mixed()));
    expect(await storedActivities()).toEqual(sequential);
  });

  it('run as one statement and change nothing when they are delivered again', async () => {
    const statements = spyOnStatements();
    const events = mixed();
    await deliverBatch(events);
    expect(statements).toHaveBeenCalledTimes(1);
    const first = await storedActivities();
    await deliverBatch(events);
    expect(statements).toHaveBeenCalledTimes(2);
    expect(await storedActivities()).toEqual(first);
  });

  it('do not deadlock with another batch', async () => {
    const [ten, eleven] = [{ productId: 10 }, { productId: 11 }];
    const withId = (n: number, event: Placed): Placed => ({ ...event, id: `b2a4c1de-0000-4000-8000-00000000000${n}` });
    const statements = spyOnStatements();
    const { both } = await db.database.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('favorite ${taro} 10', 0))`);
      const first = deliverBatch([withId(1, placed(2, ten)), withId(2, placed(1, eleven))]);
      await eventually('the first waits', async () => (await countLockWaits()) === 1);
      const second = deliverBatch([withId(3, placed(4, eleven)), withId(4, placed(3, ten))]);
      await eventually('the second waits', async () => (await countLockWaits()) === 2);
      return { both: Promise.all([first, second]) };
    });
    await both;
    // A deadlocked statement would be retried
    expect(statements).toHaveBeenCalledTimes(2);
    expect(await list()).toHaveLength(2);
  });
});

describe('a sale', () => {
  const sold = { productId: 10, productTitle: 'Lighthouse T-shirt', ownerId: hanako, buyerId: taro };
  const sale = (payload: Partial<EventPayload<'sale.recorded'>> = {}) =>
    consumer.addSaleActivity(delivery(envelope('sale.recorded', minutesAgo(120), { ...sold, ...payload })));

  it('adds an activity for the owner of the product, with the buyer as its sender', async () => {
    await sale();
    const [activity] = await list();
    expect(activity).toMatchObject({
      message: 'taro bought your Lighthouse T-shirt.',
      timeago: '2 hours ago',
      eventType: 'sale',
      eventAction: 'provide',
      sender: { id: taro },
      receiver: { id: hanako },
      event: null,
    });
    expect(JSON.stringify(activity)).not.toContain('@example.com');
    expect(await queries.list(hanako, 30, 'ja')).toMatchObject([
      { message: 'taroさんが「Lighthouse T-shirt」を購入しました。', timeago: '2 時間前' },
    ]);
  });

  it('shows the anonymous user as the sender without a buyer', async () => {
    await sale({ buyerId: null });
    expect(await list()).toMatchObject([
      { message: 'Your Lighthouse T-shirt was sold.', sender: { id: 0, name: 'anonymous' }, receiver: { id: hanako } },
    ]);
  });

  it('adds an activity also when the owner is the buyer', async () => {
    await sale({ buyerId: hanako });
    expect(await list()).toMatchObject([{ eventType: 'sale', sender: { id: hanako }, receiver: { id: hanako } }]);
  });

  it('adds an activity for each sale', async () => {
    await sale();
    await sale();
    await favorite(minutesAgo(120));
    expect((await list()).map(({ eventType }) => eventType).sort()).toEqual(['favorite', 'sale', 'sale']);
  });

  it('adds one activity when the event is delivered twice', async () => {
    const event = envelope('sale.recorded', now, sold);
    await Promise.all([consumer.addSaleActivity(delivery(event)), consumer.addSaleActivity(delivery(event))]);
    expect(await list()).toHaveLength(1);
  });
});

describe('a rendered material', () => {
  const rendered = { materialId: 5, userId: hanako, title: 'Lighthouse', images: 12 };

  it('adds an activity for its owner, with the owner as its sender', async () => {
    await consumer.addRenderingActivity(delivery(envelope('material.rendered', now, rendered)));
    expect(await list()).toMatchObject([
      {
        message: 'The images of your Lighthouse are ready.',
        timeago: 'now',
        eventType: 'material',
        eventAction: 'render',
        sender: { id: hanako },
        receiver: { id: hanako },
      },
    ]);
  });

  it('adds one activity when the event is delivered twice', async () => {
    const event = envelope('material.rendered', now, rendered);
    await consumer.addRenderingActivity(delivery(event));
    await consumer.addRenderingActivity(delivery(event));
    expect(await list()).toHaveLength(1);
  });
});

describe('a disabled webhook endpoint', () => {
  it('adds one activity for its owner', async () => {
    const event = envelope('webhook.disabled', now, { endpointId: 3, userId: hanako, host: 'example.com' });
    await consumer.addWebhookActivity(delivery(event));
    await consumer.addWebhookActivity(delivery(event));
    expect(await list()).toMatchObject([
      { eventType: 'webhook', eventAction: 'disable', sender: { id: hanako }, receiver: { id: hanako } },
    ]);
  });
});

describe('the list of activities', () => {
  it('is sorted by the time of the event, newest first', async () => {
    await favorite(minutesAgo(20), { productId: 11 });
    await favorite(minutesAgo(30), { productId: 12 });
    await favorite(minutesAgo(10), { productId: 13 });
    expect((await list()).map(({ timeago }) => timeago)).toEqual([
      '10 minutes ago',
      '20 minutes ago',
      '30 minutes ago',
    ]);
  });

  it('marks all activities of its user as read, also beyond its limit, and no others', async () => {
    for (let n = 1; n <= 61; n += 1) await favorite(minutesAgo(n), { productId: n });
    await favorite(now, { ownerId: taro, userId: hanako });
    expect(await queries.unreads(hanako)).toBe(61);
    expect(await list()).toHaveLength(30);
    expect(await queries.unreads(hanako)).toBe(0);
    expect(await queries.unreads(taro)).toBe(1);
    await favorite(now, { productId: 100 });
    expect(await queries.unreads(hanako)).toBe(1);
  });

  it('marks activities as read in batches and stops when the caller’s deadline is near', async () => {
    for (let n = 1; n <= 50; n += 1) await favorite(minutesAgo(n), { productId: n });
    const inBatches = new ActivityQueries(db.database, activityJson);
    Object.assign(inBatches, { markBatchSize: 10 });
    // The 5 of the page and a batch of 10, which may include them
    await runInCall({ requestId: 'late', timeoutMs: 1_999 }, () => inBatches.list(hanako, 5, 'en'));
    expect(await queries.unreads(hanako)).toBeGreaterThanOrEqual(35);
    await favorite(now, { ownerId: taro, userId: hanako });
    await inBatches.list(hanako, 5, 'en');
    expect([await queries.unreads(hanako), await queries.unreads(taro)]).toEqual([0, 1]);
  });

  it('is returned when marking a later batch fails, and the next list marks the rest', async () => {
    for (let n = 1; n <= 30; n += 1) await favorite(minutesAgo(n), { productId: n });
    const { database } = db;
    const write = jest.fn(database.write.bind(database));
    const inBatches = new ActivityQueries(Object.assign(Object.create(database), { write }), activityJson);
    Object.assign(inBatches, { markBatchSize: 10 });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    write.mockImplementationOnce(database.write.bind(database)).mockRejectedValueOnce(new Error('Lock timeout'));
    expect(await inBatches.list(hanako, 5, 'en')).toHaveLength(5);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('the next list marks the rest: Error: Lock timeout')]]);
    warn.mockRestore();
    expect(await queries.unreads(hanako)).toBeGreaterThan(0);
    await inBatches.list(hanako, 5, 'en');
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('does not mark an older activity committed after the list’s snapshot', async () => {
    await favorite(minutesAgo(1));
    const added = await db.database.transaction(async (tx) => {
      const activity = { eventId: randomUUID(), receiverId: hanako, senderId: taro, actorId: taro, at: minutesAgo(9) };
      await repository.add(tx, activity, { kind: 'sale', data: { productId: 11, productTitle: 'Mug' } });
      return list();
    });
    expect(added).toHaveLength(1);
    expect(await queries.unreads(hanako)).toBe(1);
    expect(await list()).toHaveLength(2);
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('does not change the time an activity was first read', async () => {
    await favorite(now);
    const readAt = async () => (await db.database.query<{ at: Date }>('select read_at as at from activities'))[0]!.at;
    await list();
    const first = await readAt();
    await list();
    expect(await readAt()).toEqual(first);
  });

  it('succeeds for 20 concurrent requests of one user', async () => {
    for (let n = 1; n <= 30; n += 1) await favorite(minutesAgo(n), { productId: n });
    const lists = await Promise.all(Array.from({ length: 20 }, () => list()));
    expect(new Set(lists.map(({ length }) => length))).toEqual(new Set([30]));
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('is empty for a user without activities', async () => {
    expect(await queries.list(999, 30, 'en')).toEqual([]);
    expect(await queries.unreads(999)).toBe(0);
  });
});

describe('a deleted user', () => {
  const deleteUser = (userId: number) =>
    new UserConsumer(repository).deleteUserData(delivery(envelope('user.deleted', now, { userId, name: 'x' })));
  const activities = () => db.database.query('select receiver_id as receiver, actor_id as actor from activities');

  it('is neither receiver nor actor of any activity, existing or new', async () => {
    await consumer.addFavoriteActivity(delivery(envelope('favorite.placed', now, byTaro)));
    const sold = { productId: 10, productTitle: 'x', ownerId: hanako };
    await consumer.addSaleActivity(delivery(envelope('sale.recorded', now, { ...sold, buyerId: taro })));
    await consumer.addSaleActivity(delivery(envelope('sale.recorded', now, { ...sold, ownerId: taro, buyerId: jiro })));
    await consumer.addSaleActivity(delivery(envelope('sale.recorded', now, { ...sold, buyerId: null })));
    await deleteUser(taro);
    await consumer.addFavoriteActivity(delivery(envelope('favorite.placed', now, byTaro)));
    await consumer.addSaleActivity(delivery(envelope('sale.recorded', now, { ...sold, ownerId: taro, buyerId: null })));
    expect(await activities()).toEqual([{ receiver: hanako, actor: 0 }]);
    await db.database.query('delete from deleted_users');
  });
});
