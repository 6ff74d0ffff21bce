import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { Activity, type EventEnvelope, type EventName, type EventPayload } from '#contracts';
import { type Delivery, Inbox } from '#events';
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
const view = new ActivityJson(dateTimeWriter('spec', 'UTC'), { now: () => now });
const repository = new ActivityRepository();
const consumer = new ActivityConsumer(repository);

beforeAll(async () => {
  db = await testDatabase('activity', [ActivityEntity]);
  queries = new ActivityQueries(db.database, view);
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
  for (const table of ['activities', 'inbox']) await db.database.query(`delete from ${table}`);
});

const favored = { favoriteId: 1, productId: 10, productTitle: 'Lighthouse T-shirt', ownerId: hanako, count: 1 };
const byTaro = { ...favored, userId: taro, anonymous: false };

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
  consumer.tellOfFavorite(delivery(envelope('favorite.placed', at, { ...byTaro, ...payload })));
/** How many sessions of this test wait for a lock. */
const waiting = async () =>
  (
    await db.database.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.count;
const list = (limit = 30) => queries.list(hanako, limit, 'en');

describe('a favorite', () => {
  it('is told to the owner of the product, with the people in it as the API shows them', async () => {
    await favorite(minutesAgo(120));
    const [told, ...more] = await list();
    expect(more).toEqual([]);
    expect(Activity.strict().parse(told)).toEqual({
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
    expect(JSON.stringify(told)).not.toContain('@example.com');
  });

  it('of one’s own product is not told', async () => {
    await favorite(now, { userId: hanako });
    expect(await list()).toEqual([]);
  });

  it('that is anonymous has the anonymous user as its sender', async () => {
    await favorite(now, { anonymous: true });
    const [told] = await list();
    expect(told!.sender).toMatchObject({ id: 0, name: 'anonymous', identities: [] });
    expect(told!.message).toBe('Somebody likes your Lighthouse T-shirt.');
  });

  it('of somebody who left has the anonymous user as its sender', async () => {
    await favorite(now, { userId: 999 });
    expect((await list())[0]!.sender).toMatchObject({ id: 0, name: 'anonymous' });
  });

  it('is told in Japanese to whoever wants it', async () => {
    await favorite(minutesAgo(120));
    expect(await queries.list(hanako, 30, 'ja')).toMatchObject([
      { message: 'taroさんが「Lighthouse T-shirt」をお気に入りに追加しました。', timeago: '2 時間前' },
    ]);
  });

  it('that is delivered twice is told once', async () => {
    const event = envelope('favorite.placed', now, byTaro);
    await Promise.all([consumer.tellOfFavorite(delivery(event)), consumer.tellOfFavorite(delivery(event))]);
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

  it('keep the name of whoever placed them', async () => {
    await favorite(minutesAgo(20));
    await favorite(minutesAgo(10));
    expect(await list()).toMatchObject([{ sender: { id: taro }, message: 'taro likes your Lighthouse T-shirt.' }]);
  });

  it('are one activity across the full hour of the clock', async () => {
    await favorite(minutesAgo(61));
    await favorite(minutesAgo(59));
    expect(await list()).toHaveLength(1);
  });

  it('are one activity when they are delivered in reverse', async () => {
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(20));
    expect(await list()).toHaveLength(1);
  });

  it('are one activity when a late delivery follows a favorite of hours later', async () => {
    await favorite(minutesAgo(180));
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(170));
    expect(await list()).toHaveLength(2);
  });

  it('are two activities when they are hours apart, in whatever order they are delivered', async () => {
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(180));
    expect(await list()).toHaveLength(2);
  });

  it('are one activity when the second is delivered before the first has been stored', async () => {
    const told = { eventId: randomUUID(), receiverId: hanako, senderId: taro, actorId: taro, at: now };
    const { second } = await db.database.transaction(async (tx) => {
      const inTransaction = async (call: string, parameters: readonly unknown[]) => {
        await tx.query(`select ${call}`, [told.eventId, ...parameters]);
        return true;
      };
      await repository.addFavorite(inTransaction, told, { productId: 10, productTitle: 'Lighthouse T-shirt' });
      const delivered = favorite(now);
      await Promise.race([delivered, eventually('the second waits', async () => (await waiting()) === 1)]);
      return { second: delivered };
    });
    await second;
    expect(await list()).toHaveLength(1);
  });

  it('are one activity when twenty are delivered at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => favorite(minutesAgo(n))));
    expect(await list()).toHaveLength(1);
  });

  it('are one activity although the first was read', async () => {
    await favorite(minutesAgo(20));
    await list();
    await favorite(minutesAgo(10));
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('stay apart by product and by user, also when the users are anonymous', async () => {
    await favorite(now);
    await favorite(now, { productId: 11 });
    await favorite(now, { userId: 3, anonymous: true });
    await favorite(now, { userId: 4, anonymous: true });
    expect(await list()).toHaveLength(4);
  });
});

describe('favorites of one user on one product within an hour, with a name and without', () => {
  const anonymous = { anonymous: true };
  const senders = async () => (await list()).map(({ sender, message }) => `${sender.id} ${message}`);
  const somebody = '0 Somebody likes your Lighthouse T-shirt.';
  const named = '2 taro likes your Lighthouse T-shirt.';

  it.each([
    ['the anonymous one first', [anonymous, {}]],
    ['the named one first', [{}, anonymous]],
    ['one anonymous one between two with a name', [{}, anonymous, {}]],
  ])('are one anonymous activity: %s', async (_, payloads) => {
    for (const [n, payload] of payloads.entries()) await favorite(minutesAgo(50 - n), payload);
    expect(await senders()).toEqual([somebody]);
  });

  it('are one anonymous activity when the anonymous one is delivered late', async () => {
    await favorite(minutesAgo(10));
    await favorite(minutesAgo(20), anonymous);
    expect(await senders()).toEqual([somebody]);
  });

  it('are one anonymous activity when twenty are delivered at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => favorite(minutesAgo(n), n === 7 ? anonymous : {})));
    expect(await senders()).toEqual([somebody]);
  });

  it('hide no name on another product, of another hour or of another user', async () => {
    await favorite(minutesAgo(200));
    await favorite(minutesAgo(30), { productId: 11 });
    await favorite(minutesAgo(20), anonymous);
    await favorite(minutesAgo(10), { userId: jiro });
    expect(await senders()).toEqual(['3 jiro likes your Lighthouse T-shirt.', somebody, named, named]);
  });

  it('stay read when the name is hidden', async () => {
    await favorite(minutesAgo(20));
    await list();
    await favorite(minutesAgo(10), anonymous);
    expect(await queries.unreads(hanako)).toBe(0);
  });
});

describe('favorites that are told of together', () => {
  type Placed = EventEnvelope<'favorite.placed'>;
  const placed = (minutes: number, payload: Partial<Placed['payload']> = {}): Placed =>
    envelope('favorite.placed', minutesAgo(minutes), { ...byTaro, ...payload });
  const together = async (events: readonly Placed[]): Promise<void> => {
    const inbox = new Inbox(db.database, events.length);
    await Promise.all(
      events.map((event) => {
        const { ended, ...once } = inbox.forEvent(event.id);
        return consumer.tellOfFavorite({ ...delivery(event), ...once }).finally(ended);
      }),
    );
  };
  const told = () =>
    db.database.query(
      `select receiver_id, sender_id, actor_id, created_at, data from activities order by created_at, data`,
    );
  const statements = () => jest.spyOn(db.database as unknown as { run: (sql: string) => Promise<unknown> }, 'run');
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
    ['in their order', (events: Placed[]) => events],
    ['in reverse', (events: Placed[]) => events.toReversed()],
  ])('are what they are one after the other, %s', async (_, arrange) => {
    for (const event of mixed()) await consumer.tellOfFavorite(delivery(event));
    const alone = await told();
    expect(alone).toHaveLength(6);
    for (const table of ['activities', 'inbox']) await db.database.query(`delete from ${table}`);
    await together(arrange(mixed()));
    expect(await told()).toEqual(alone);
  });

  it('are one statement, and nothing when they are delivered again', async () => {
    const written = statements();
    const events = mixed();
    await together(events);
    expect(written).toHaveBeenCalledTimes(1);
    const first = await told();
    await together(events);
    expect(written).toHaveBeenCalledTimes(2);
    expect(await told()).toEqual(first);
  });

  it('do not wait in a circle for those that are told of elsewhere', async () => {
    const [ten, eleven] = [{ productId: 10 }, { productId: 11 }];
    const known = (n: number, event: Placed): Placed => ({ ...event, id: `b2a4c1de-0000-4000-8000-00000000000${n}` });
    const written = statements();
    const { both } = await db.database.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('favorite ${taro} 10', 0))`);
      const first = together([known(1, placed(2, ten)), known(2, placed(1, eleven))]);
      await eventually('the first waits', async () => (await waiting()) === 1);
      const second = together([known(3, placed(4, eleven)), known(4, placed(3, ten))]);
      await eventually('the second waits', async () => (await waiting()) === 2);
      return { both: Promise.all([first, second]) };
    });
    await both;
    // A deadlock would be tried again
    expect(written).toHaveBeenCalledTimes(2);
    expect(await list()).toHaveLength(2);
  });
});

describe('a sale', () => {
  const sold = { productId: 10, productTitle: 'Lighthouse T-shirt', ownerId: hanako, buyerId: taro };
  const sale = (payload: Partial<EventPayload<'sale.recorded'>> = {}) =>
    consumer.tellOfSale(delivery(envelope('sale.recorded', minutesAgo(120), { ...sold, ...payload })));

  it('is told to the owner of the product, with the buyer as its sender', async () => {
    await sale();
    const [told] = await list();
    expect(told).toMatchObject({
      message: 'taro bought your Lighthouse T-shirt.',
      timeago: '2 hours ago',
      eventType: 'sale',
      eventAction: 'provide',
      sender: { id: taro },
      receiver: { id: hanako },
      event: null,
    });
    expect(JSON.stringify(told)).not.toContain('@example.com');
    expect(await queries.list(hanako, 30, 'ja')).toMatchObject([
      { message: 'taroさんが「Lighthouse T-shirt」を購入しました。', timeago: '2 時間前' },
    ]);
  });

  it('has the anonymous user as its sender when nobody said who bought', async () => {
    await sale({ buyerId: null });
    expect(await list()).toMatchObject([
      { message: 'Your Lighthouse T-shirt was sold.', sender: { id: 0, name: 'anonymous' }, receiver: { id: hanako } },
    ]);
  });

  it('is told to an owner who bought it', async () => {
    await sale({ buyerId: hanako });
    expect(await list()).toMatchObject([{ eventType: 'sale', sender: { id: hanako }, receiver: { id: hanako } }]);
  });

  it('is told each time', async () => {
    await sale();
    await sale();
    await favorite(minutesAgo(120));
    expect((await list()).map(({ eventType }) => eventType).sort()).toEqual(['favorite', 'sale', 'sale']);
  });

  it('that is delivered twice is told once', async () => {
    const event = envelope('sale.recorded', now, sold);
    await Promise.all([consumer.tellOfSale(delivery(event)), consumer.tellOfSale(delivery(event))]);
    expect(await list()).toHaveLength(1);
  });
});

describe('a rendered material', () => {
  const rendered = { materialId: 5, userId: hanako, title: 'Lighthouse', images: 12 };

  it('is told to its owner, as coming from the owner', async () => {
    await consumer.tellOfRendering(delivery(envelope('material.rendered', now, rendered)));
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

  it('that is delivered twice is told once', async () => {
    const event = envelope('material.rendered', now, rendered);
    await consumer.tellOfRendering(delivery(event));
    await consumer.tellOfRendering(delivery(event));
    expect(await list()).toHaveLength(1);
  });
});

describe('the list of activities', () => {
  it('has the newest first, by when they happened', async () => {
    await favorite(minutesAgo(20), { productId: 11 });
    await favorite(minutesAgo(30), { productId: 12 });
    await favorite(minutesAgo(10), { productId: 13 });
    expect((await list()).map(({ timeago }) => timeago)).toEqual([
      '10 minutes ago',
      '20 minutes ago',
      '30 minutes ago',
    ]);
  });

  it('marks its newest activity and everything older as read, beyond its limit too, of its user alone', async () => {
    for (let n = 1; n <= 61; n += 1) await favorite(minutesAgo(n), { productId: n });
    await favorite(now, { ownerId: taro, userId: hanako });
    expect(await queries.unreads(hanako)).toBe(61);
    expect(await list()).toHaveLength(30);
    expect(await queries.unreads(hanako)).toBe(0);
    expect(await queries.unreads(taro)).toBe(1);
    await favorite(now, { productId: 100 });
    expect(await queries.unreads(hanako)).toBe(1);
  });

  it('marks them in batches until none is left, and stops when the time of its caller is nearly over', async () => {
    for (let n = 1; n <= 50; n += 1) await favorite(minutesAgo(n), { productId: n });
    const inBatches = new ActivityQueries(db.database, view);
    Object.assign(inBatches, { markedAtOnce: 10 });
    // 10 of the 45 beyond the page, and its own 5 where they were not among these
    await runInCall({ requestId: 'late', timeoutMs: 1_999 }, () => inBatches.list(hanako, 5, 'en'));
    expect(await queries.unreads(hanako)).toBeGreaterThanOrEqual(35);
    await favorite(now, { ownerId: taro, userId: hanako });
    await inBatches.list(hanako, 5, 'en');
    expect([await queries.unreads(hanako), await queries.unreads(taro)]).toEqual([0, 1]);
  });

  it('is shown when a later batch of marks fails, and the next list marks the rest', async () => {
    for (let n = 1; n <= 30; n += 1) await favorite(minutesAgo(n), { productId: n });
    const { database } = db;
    const write = jest.fn(database.write.bind(database));
    const inBatches = new ActivityQueries(Object.assign(Object.create(database), { write }), view);
    Object.assign(inBatches, { markedAtOnce: 10 });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    write.mockImplementationOnce(database.write.bind(database)).mockRejectedValueOnce(new Error('Lock timeout'));
    expect(await inBatches.list(hanako, 5, 'en')).toHaveLength(5);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('the next list marks the rest: Error: Lock timeout')]]);
    warn.mockRestore();
    expect(await queries.unreads(hanako)).toBeGreaterThan(0);
    await inBatches.list(hanako, 5, 'en');
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('leaves an older activity unread that is committed after the list began', async () => {
    await favorite(minutesAgo(1));
    const added = await db.database.transaction(async (tx) => {
      const told = { eventId: randomUUID(), receiverId: hanako, senderId: taro, actorId: taro, at: minutesAgo(9) };
      await repository.add(tx, told, { kind: 'sale', data: { productId: 11, productTitle: 'Mug' } });
      return list();
    });
    expect(added).toHaveLength(1);
    expect(await queries.unreads(hanako)).toBe(1);
    expect(await list()).toHaveLength(2);
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('leaves the time of the first reading alone', async () => {
    await favorite(now);
    const readAt = async () => (await db.database.query<{ at: Date }>('select read_at as at from activities'))[0]!.at;
    await list();
    const first = await readAt();
    await list();
    expect(await readAt()).toEqual(first);
  });

  it('can be asked for many times at once', async () => {
    for (let n = 1; n <= 30; n += 1) await favorite(minutesAgo(n), { productId: n });
    const lists = await Promise.all(Array.from({ length: 20 }, () => list()));
    expect(new Set(lists.map(({ length }) => length))).toEqual(new Set([30]));
    expect(await queries.unreads(hanako)).toBe(0);
  });

  it('of somebody who was told nothing is empty', async () => {
    expect(await queries.list(999, 30, 'en')).toEqual([]);
    expect(await queries.unreads(999)).toBe(0);
  });
});

describe('a user who has left', () => {
  const leave = (userId: number) =>
    new UserConsumer(repository).forget(delivery(envelope('user.deleted', now, { userId, name: 'x' })));
  const told = () => db.database.query('select receiver_id as receiver, actor_id as actor from activities');

  it('is neither told of anything nor told about, before and after', async () => {
    await consumer.tellOfFavorite(delivery(envelope('favorite.placed', now, byTaro)));
    const sold = { productId: 10, productTitle: 'x', ownerId: hanako };
    await consumer.tellOfSale(delivery(envelope('sale.recorded', now, { ...sold, buyerId: taro })));
    await consumer.tellOfSale(delivery(envelope('sale.recorded', now, { ...sold, ownerId: taro, buyerId: jiro })));
    await consumer.tellOfSale(delivery(envelope('sale.recorded', now, { ...sold, buyerId: null })));
    await leave(taro);
    await consumer.tellOfFavorite(delivery(envelope('favorite.placed', now, byTaro)));
    await consumer.tellOfSale(delivery(envelope('sale.recorded', now, { ...sold, ownerId: taro, buyerId: null })));
    expect(await told()).toEqual([{ receiver: hanako, actor: 0 }]);
    await db.database.query('delete from departed_users');
  });
});
