import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Event, type EventEnvelope, type PublicEventType } from '#contracts';
import { Inbox } from '#events';
import { testDatabase, type TestDatabase } from '#testing';
import { EventConsumer } from './event.consumer.js';
import { EventEntity } from './event.entity.js';
import { EventQueries } from './event.queries.js';
import { EventRepository } from './event.repository.js';
import { type LoggedName } from './logged-event.rules.js';

let db: TestDatabase;
let events: EventRepository;
let queries: EventQueries;
let consumer: EventConsumer;

beforeAll(async () => {
  db = await testDatabase('webhooks', [EventEntity]);
  events = new EventRepository(db.database);
  queries = new EventQueries(db.database);
  consumer = new EventConsumer(events);
});
afterAll(() => db.close());
beforeEach(async () => {
  for (const table of ['events', 'resources', 'early_events', 'inbox', 'deleted_users'])
    await db.database.query(`delete from ${table}`);
  await db.database.query('update deleted_events set position = 0, last_position = 0, cursor_offset = 0');
});

type Envelope = EventEnvelope<LoggedName>;
const at = (second: number): string => new Date(Date.UTC(2026, 10, 20) + second * 1_000).toISOString();
const envelope = (name: LoggedName, payload: object, second = 0): Envelope =>
  ({ id: randomUUID(), name, version: 1, occurredAt: at(second), metadata: { requestId: 'r1' }, payload }) as Envelope;
const updated = (revision: number, materialId = 5, userId = 1): Envelope =>
  envelope('material.updated', { materialId, userId, stale: [], unpublished: [], changed: ['title'], revision });
const published = (revision: number, productId: number, userId = 1): Envelope =>
  envelope('product.published', { productId, materialId: 5, itemId: 2, userId, revision });
const rendered = (): Envelope => envelope('material.rendered', { materialId: 5, userId: 1, title: 'x', images: 12 });

const deliver = (...batch: readonly Envelope[]) => {
  const inbox = new Inbox(db.database, batch.length);
  return Promise.all(
    batch.map((event) => {
      const { ended, ...once } = inbox.forEvent(event.id);
      const [signal, progress] = [new AbortController().signal, () => Promise.resolve()];
      return consumer.append({ event, attempt: 1, signal, progress, ...once }).finally(ended);
    }),
  );
};
const list = (options: { after?: string; types?: PublicEventType[]; limit?: number; userId?: number } = {}) =>
  queries.list(options.userId ?? 1, options.after, { types: options.types, limit: options.limit ?? 50 });
const sequences = async () => (await list()).events.map(({ type, sequence }) => `${type} ${sequence}`);

describe('the log', () => {
  it('returns events as clients see them', async () => {
    const event = updated(1);
    await deliver(event);
    expect((await list()).events).toEqual([
      {
        id: event.id,
        type: 'material.updated',
        timestamp: '2026-11-20T00:00:00.000Z',
        userId: 1,
        sequence: 1,
        data: { materialId: 5, changed: ['title'] },
      },
    ]);
  });

  it('contains an event once when it is delivered twice, also concurrently', async () => {
    const event = updated(1);
    await Promise.all([deliver(event), deliver(event)]);
    await deliver(event);
    expect((await list()).events).toHaveLength(1);
  });

  it('contains the events of other users for these users only', async () => {
    await deliver(updated(1, 5, 1), updated(1, 6, 2));
    expect((await list({ userId: 2 })).events.map(({ data }) => data.materialId)).toEqual([6]);
  });

  it('contains an event that concerns two users under an id for each', async () => {
    const users = { ownerId: 1, userId: 2, anonymous: false };
    const event = envelope('favorite.placed', { favoriteId: 9, productId: 7, productTitle: 'x', count: 1, ...users });
    await deliver(event);
    const [own] = (await list({ userId: 2 })).events;
    const [ofOwner] = (await list({ userId: 1 })).events;
    expect([Event.parse(own).userId, Event.parse(ofOwner).userId]).toEqual([2, 1]);
    expect(own!.id).toBe(event.id);
    expect(ofOwner!.id).not.toBe(event.id);
    for (const table of ['events', 'inbox', 'resources']) await db.database.query(`delete from ${table}`);
    await deliver(event);
    expect((await list({ userId: 1 })).events).toEqual([ofOwner]);
  });
});

describe('events of one resource', () => {
  it('are appended in their order, in whatever order they arrive', async () => {
    for (const revision of [3, 2, 5]) await deliver(updated(revision));
    expect(await sequences()).toEqual([]);
    await deliver(updated(1));
    expect(await sequences()).toEqual(['material.updated 1', 'material.updated 2', 'material.updated 3']);
    await deliver(updated(4));
    expect(await sequences()).toHaveLength(5);
    expect(await db.database.query('select from early_events')).toEqual([]);
  });

  it('have sequences without gaps, with the rendering after the creation', async () => {
    await deliver(rendered());
    await deliver(updated(2));
    expect(await sequences()).toEqual([]);
    await deliver(envelope('material.created', { materialId: 5, userId: 1, title: 'x', revision: 1 }));
    expect(await sequences()).toEqual(['material.created 1', 'material.rendered 2', 'material.updated 3']);
  });

  it('are appended in their order within a batch, beside those of others', async () => {
    await deliver(published(2, 9));
    await deliver(published(2, 7), updated(2), published(1, 8), updated(1), rendered(), published(1, 9));
    const inOrder = async (...types: PublicEventType[]) =>
      (await list({ types })).events.map(({ data, sequence }) => [data.productId ?? data.materialId, sequence]);
    expect(await inOrder('product.published')).toEqual(
      expect.arrayContaining([
        [8, 1],
        [9, 1],
        [9, 2],
      ]),
    );
    expect(await inOrder('material.updated', 'material.rendered')).toEqual([
      [5, 1],
      [5, 2],
      [5, 3],
    ]);
    expect(await db.database.query('select resource from early_events')).toEqual([{ resource: 'product:7' }]);
    await deliver(published(1, 7), published(3, 8), published(2, 8));
    expect((await inOrder('product.published')).filter(([id]) => id !== 9)).toEqual([
      [8, 1],
      [7, 1],
      [7, 2],
      [8, 2],
      [8, 3],
    ]);
  });

  it('without a revision are appended on arrival', async () => {
    const old = envelope('material.updated', { materialId: 5, userId: 1, stale: [], unpublished: [] });
    await deliver(old);
    await deliver(updated(1));
    expect(await sequences()).toEqual(['material.updated 1', 'material.updated 2']);
  });

  it('are appended without a missing one after an hour', async () => {
    for (const revision of [2, 3]) await deliver(updated(revision));
    await deliver(rendered());
    expect(await events.appendOverdue()).toBe(0);
    await db.database.query("update early_events set arrived_at = now() - interval '61 minutes'");
    expect(await events.appendOverdue()).toBe(3);
    expect(await sequences()).toEqual(['material.rendered 1', 'material.updated 2', 'material.updated 3']);
    await deliver(updated(1));
    expect((await list()).events).toHaveLength(4);
  });

  it('that wait for a further one are not counted as appended', async () => {
    for (const revision of [2, 5]) await deliver(updated(revision));
    await db.database.query("update early_events set arrived_at = now() - interval '61 minutes'");
    expect(await events.appendOverdue()).toBe(1);
    expect(await sequences()).toEqual(['material.updated 1']);
    expect(await db.database.query('select revision from early_events')).toEqual([{ revision: 5 }]);
  });
});

describe('a page', () => {
  it('ends at its limit, and its cursor continues after it', async () => {
    for (let n = 1; n <= 5; n += 1) await deliver(published(1, n));
    const first = await list({ limit: 2 });
    expect(first.meta.hasNext).toBe(true);
    const second = await list({ limit: 3, after: first.meta.cursor });
    expect(second.meta.hasNext).toBe(false);
    expect([...first.events, ...second.events].map(({ data }) => data.productId)).toEqual([1, 2, 3, 4, 5]);
    const third = await list({ after: second.meta.cursor });
    expect(third).toEqual({ events: [], meta: { hasNext: false, cursor: second.meta.cursor } });
  });

  it('of types contains these only, in the order of the log', async () => {
    await deliver(published(1, 1));
    await deliver(updated(1));
    await deliver(rendered());
    await deliver(published(1, 2));
    const { events: found } = await list({ types: ['material.rendered', 'product.published'], limit: 2 });
    expect(found.map(({ type }) => type)).toEqual(['product.published', 'material.rendered']);
  });

  it('from the latest cursor is empty and continues with the next event', async () => {
    await deliver(published(1, 1));
    const { events: none, meta } = await list({ after: 'latest' });
    expect(none).toEqual([]);
    await deliver(published(1, 2));
    expect((await list({ after: meta.cursor })).events.map(({ data }) => data.productId)).toEqual([2]);
  });
});

it('a cursor after the end of the log, from before a recovery to a point in time, has expired', async () => {
  const { meta } = await list({ after: 'latest' });
  await expect(list({ after: String(Number(meta.cursor) + 1) })).rejects.toThrow('no longer contains all events');
});

it('cursors include the offset that a restore sets', async () => {
  const offset = 1_795_000_000_000_000;
  const { meta: before } = await list({ after: 'latest' });
  await db.database.query('update deleted_events set cursor_offset = $1', [offset]);
  await deliver(published(1, 1), updated(1), published(1, 2));
  const types: PublicEventType[] = ['product.published', 'sale.recorded'];
  const first = await list({ types, limit: 1 });
  expect(Number(first.meta.cursor)).toBeGreaterThan(offset);
  const { events: rest, meta: end } = await list({ types, after: first.meta.cursor });
  expect([...first.events, ...rest].map(({ data }) => data.productId)).toEqual([1, 2]);
  const followed = await queries.follow(1, first.meta.cursor, { types, limit: 1 });
  expect(followed.events.map(({ cursor }) => cursor)).toEqual([end.cursor]);
  await expect(list({ after: before.cursor })).rejects.toThrow('no longer contains all events');
  const newest = (after: string) => queries.newest([{ userId: 1, after }]);
  expect(await newest(first.meta.cursor)).toEqual({ userIds: [1], cursor: end.cursor });
  expect(await newest(end.cursor)).toEqual({ userIds: [], cursor: end.cursor });
});

describe('old events', () => {
  const age = (days: number) =>
    db.database.query("update events set logged_at = now() - $1 * interval '1 day' where true", [days]);

  it('are deleted, and a cursor before them has expired', async () => {
    const { meta } = await list({ after: 'latest' });
    await deliver(published(1, 1));
    const { meta: start } = await list();
    await age(31);
    await deliver(published(1, 2));
    expect(await events.deleteOldest(30)).toBe(false);
    expect((await list()).events.map(({ data }) => data.productId)).toEqual([2]);
    expect((await list({ after: start.cursor })).events).toHaveLength(1);
    await expect(list({ after: String(Number(start.cursor) - 1) })).rejects.toThrow('no longer contains all events');
    expect(Number(meta.cursor)).toBeLessThan(Number(start.cursor));
  });

  it('of deleted users are deleted with stored responses, and later ones are not appended', async () => {
    await deliver(published(1, 1), published(1, 2, 2));
    await db.database.query(
      `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until)
       select id, 'webhook-endpoints.create', 'k', repeat('0', 64), gen_random_uuid(), now() from generate_series(1, 2) id`,
      [],
    );
    await events.deleteUserData(1);
    expect(await db.database.query('select user_id as "userId" from idempotency_keys')).toEqual([{ userId: 2 }]);
    await deliver(published(2, 1));
    expect((await list()).events).toEqual([]);
    expect((await list({ userId: 2 })).events).toHaveLength(1);
  });

  it('of a deleted user do not make other cursors expire, also when they are the last of the log', async () => {
    await deliver(published(1, 1, 2), published(1, 2, 1));
    const cursors = [(await list({ userId: 2, limit: 1 })).meta.cursor, (await list({ after: 'latest' })).meta.cursor];
    await events.deleteUserData(1);
    const end = { events: [], meta: { hasNext: false, cursor: cursors[1] } };
    for (const after of [...cursors, 'latest']) expect(await list({ userId: 2, after })).toEqual(end);
    await deliver(published(1, 3, 2));
    for (const after of cursors)
      expect((await list({ userId: 2, after })).events.map(({ data }) => data.productId)).toEqual([3]);
  });
});

describe('the last change of a resource', () => {
  const resources = async () =>
    (await db.database.query<{ resource: string }>('select resource from resources order by 1')).map(
      ({ resource }) => resource,
    );
  const end = () =>
    db.database.query("update resources set ended_at = now() - interval '31 days' where ended_at is not null");
  const deleted = (revision: number, ...productIds: number[]) =>
    envelope('material.deleted', { materialId: 5, userId: 1, productIds, filePath: 'x', textures: [], revision });

  it('is deleted some days after the resource, for a material with its products', async () => {
    await deliver(updated(1), published(1, 7), published(1, 8));
    await deliver(deleted(2, 7));
    expect(await events.deleteEndedResources(30)).toBe(false);
    expect(await resources()).toEqual(['material:5', 'product:7', 'product:8']);
    await end();
    expect(await events.deleteEndedResources(30)).toBe(false);
    expect(await resources()).toEqual(['product:8']);
  });

  it('is deleted for a product whose own events arrive after the deletion of its material', async () => {
    await deliver(updated(1));
    await deliver(deleted(2, 7));
    await deliver(published(2, 7));
    await deliver(published(1, 7));
    expect((await list({ types: ['product.published'] })).events.map(({ sequence }) => sequence)).toEqual([1, 2]);
    await end();
    await events.deleteEndedResources(30);
    expect(await resources()).toEqual([]);
  });

  it('stays for an existing resource without events in the log', async () => {
    await deliver(published(1, 7));
    await db.database.query('delete from events');
    await events.deleteEndedResources(30);
    await deliver(published(2, 7));
    expect((await list()).events.map(({ sequence }) => sequence)).toEqual([2]);
  });

  it('is deleted in batches', async () => {
    await db.database.query(
      `insert into resources select 'product:' || n, 1, 1, now() - interval '31 days' from generate_series(1, 1500) n`,
    );
    expect(await events.deleteEndedResources(30)).toBe(true);
    expect(await resources()).toHaveLength(500);
    expect(await events.deleteEndedResources(30)).toBe(false);
    expect(await resources()).toEqual([]);
  });
});

describe('a follower', () => {
  it('gets events with their cursors, from which it continues', async () => {
    await deliver(published(1, 1), published(1, 2), published(1, 3));
    const first = await queries.follow(1, '0', { types: undefined, limit: 2 });
    expect(first.hasNext).toBe(true);
    expect(first.events.map(({ event }) => event)).toEqual((await list({ limit: 2 })).events);
    expect(first.cursor).toBe(first.events[1]!.cursor);
    const again = await queries.follow(1, first.events[0]!.cursor, { types: undefined, limit: 2 });
    expect(again.events.map(({ event }) => event.data.productId)).toEqual([2, 3]);
    expect(again.hasNext).toBe(false);
  });

  it('is named with the users that have newer events', async () => {
    const { cursor: before } = await queries.newest([]);
    await deliver(published(1, 1, 1), published(1, 2, 2));
    const end = (await queries.follow(1, 'latest', { types: undefined, limit: 1 })).cursor;
    const asked = [
      { userId: 1, after: before },
      { userId: 2, after: end },
      { userId: 3, after: '0' },
    ];
    expect(await queries.newest(asked)).toEqual({ userIds: [1], cursor: end });
    expect(await queries.newest([])).toEqual({ userIds: [], cursor: end });
  });

  it('is named when its cursor has expired, also without events, so that it reads the error', async () => {
    const { cursor } = await queries.newest([]);
    await deliver(published(1, 1));
    await db.database.query('update deleted_events set position = (select max(position) from events)');
    const { cursor: end } = await queries.newest([]);
    const asked = [cursor, end, String(Number(end) + 1)].map((after, index) => ({ userId: 3 + index, after }));
    expect((await queries.newest(asked)).userIds).toEqual([3, 5]);
  });
});

/** Deterministic random numbers from 0 to 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe.each([1, 2, 3])('a reader that follows the log while 8 writers append, seed %i', (seed) => {
  it('sees every event once, and those of a resource in their order', async () => {
    const next = random(seed);
    const all = [1, 2, 3, 4, 5, 6].flatMap((materialId) =>
      Array.from({ length: 20 }, (_, n) => updated(n + 1, materialId)),
    );
    const shuffled = all.map((event) => ({ event, key: next() })).toSorted((one, other) => one.key - other.key);
    const shares = Array.from({ length: 8 }, (_, writer) => shuffled.filter((__, n) => n % 8 === writer));
    let writing = true;
    const writers = Promise.all(
      shares.map(async (share) => {
        for (const { event } of share)
          // Commits after a pause, so that writers overlap
          await db.database.transaction(async (tx) => {
            const inserted = await tx.query<unknown[]>('insert into inbox values ($1) returning 1', [event.id]);
            expect(inserted).toHaveLength(1);
            await sleep(next() * 4);
            const once = async (call: string, parameters: readonly unknown[]) => {
              await tx.query(`select ${call.replace('$events', '$1')}`, [JSON.stringify([[event.id, ...parameters]])]);
              return true;
            };
            await new EventConsumer(events).append({ event, onceCalling: once } as never);
            await sleep(next() * 4);
          });
      }),
    ).finally(() => (writing = false));
    const seen: string[] = [];
    const order = new Map<unknown, number[]>();
    for (let after: string | undefined = '0', last = false; !last;) {
      last = !writing;
      const { events: page, meta } = await list({ after, limit: 1 + Math.floor(next() * 20) });
      for (const { id, data, sequence } of page) {
        seen.push(id);
        order.set(data.materialId, [...(order.get(data.materialId) ?? []), sequence]);
      }
      after = meta.cursor;
      last &&= !meta.hasNext && page.length === 0;
    }
    await writers;
    expect(seen.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
    for (const found of order.values()) expect(found).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });
});
