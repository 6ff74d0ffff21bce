import { randomUUID } from 'node:crypto';
import { type EventEnvelope, events, problems } from '#contracts';
import { Inbox } from '#events';
import { eventually } from '#testing';
import { bodyOf, lockOutbox, socialStack, type SocialStack } from '../testing/social-stack.js';
import { ProductConsumer } from './product.consumer.js';

let stack: SocialStack;
let consumer: ProductConsumer;

beforeAll(async () => {
  stack = await socialStack();
  consumer = new ProductConsumer(stack.products);
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.others.addProducts([10, 11, 12], stack.jiro);
});

const placeFavorite = (productId: number, viewerId = stack.taro) =>
  stack.favorites.create({ viewerId, productId, anonymous: false, count: 1 });
const choose = async (...productIds: number[]) => {
  const choiceProducts = productIds.map((productId) => ({ productId }));
  const reply = await stack.choices.create({ viewerId: stack.taro, title: 'Light things', choiceProducts });
  return bodyOf('choices.create', reply).choice.id;
};
const add = (choiceId: number, productId: number) => stack.choices.add({ viewerId: stack.taro, choiceId, productId });
const deleted = (productIds: number[]): EventEnvelope<'material.deleted'> => ({
  id: randomUUID(),
  name: 'material.deleted',
  version: 1,
  occurredAt: new Date().toISOString(),
  payload: { materialId: 5, userId: stack.jiro, productIds, filePath: '5/1-1x1.png', textures: [] },
  metadata: {},
});
const deliver = (event: EventEnvelope<'material.deleted'>) =>
  consumer.deleteProducts({
    event,
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => Promise.resolve(),
    ...new Inbox(stack.database, 1).forEvent(event.id),
  });
/** Returns the ids of products with favorites, with counters and with entries. */
const storedProducts = async () => {
  const tables = ['favorites', 'product_favorites where not deleted', 'choice_products'];
  const ids = tables.map((table) =>
    stack.database.query<{ id: number }>(`select product_id as id from ${table} order by 1`),
  );
  return (await Promise.all(ids)).map((rows) => rows.map(({ id }) => id));
};
const countLockWaits = async () =>
  (
    await stack.database.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.count;
const productNotFound = { kind: problems['product.not-found'] };

const lockTable = (table: string): string => `lock table ${table} in exclusive mode`;

/**
 * Blocks `firstWrite` by a lock in the middle of its transaction until `secondWrite` waits for that
 * transaction.
 */
async function runWhileBlocked(lock: string, firstWrite: () => Promise<unknown>, secondWrite: () => Promise<unknown>) {
  const { first, second } = await stack.database.transaction(async (tx) => {
    // A lock of this test blocks the write, like a slow disk: what the write has locked stays
    // locked
    await tx.query(lock);
    const first = firstWrite();
    await eventually('the first write waits', async () => (await countLockWaits()) === 1);
    const second = secondWrite();
    await eventually('the second write waits, too', async () => (await countLockWaits()) === 2);
    return { first, second };
  });
  return Promise.allSettled([first, second]);
}

describe('a deleted material', () => {
  it('deletes the favorites, counters and entries of its products, and no others', async () => {
    for (const id of [10, 11, 12]) await placeFavorite(id);
    await choose(10, 11, 12);
    await deliver(deleted([10, 12]));
    expect(await storedProducts()).toEqual([[11], [11], [11]]);
  });

  it('appends the event of each deleted favorite and of each choice that loses entries', async () => {
    for (const id of [10, 11]) await placeFavorite(id);
    const both = await choose(10, 11, 12);
    await choose(11);
    await stack.database.query('delete from outbox');
    await deliver(deleted([10, 12]));
    const rows = await stack.database.query<{ name: 'favorite.withdrawn' | 'choice.updated'; payload: unknown }>(
      'select name, payload from outbox order by seq',
    );
    for (const { name, payload } of rows) expect(events[name].payload.strict().parse(payload)).toEqual(payload);
    const ofUser = { userId: stack.taro, revision: 2 };
    expect(rows).toEqual([
      {
        name: 'favorite.withdrawn',
        payload: { ...ofUser, favoriteId: expect.any(Number), productId: 10, ownerId: null, anonymous: false },
      },
      { name: 'choice.updated', payload: { ...ofUser, choiceId: both, changed: ['choiceProducts'] } },
    ]);
    await stack.choices.remove({ viewerId: stack.taro, choiceId: both, productId: 11 });
    const [last] = await stack.database.query('select payload from outbox order by seq desc limit 1');
    expect(last).toMatchObject({ payload: { choiceId: both, revision: 3 } });
  });

  it('deletes nothing when it had no products', async () => {
    await placeFavorite(10);
    await deliver(deleted([]));
    expect(await storedProducts()).toEqual([[10], [10], []]);
  });

  it('deletes its products once when the event is delivered again', async () => {
    await placeFavorite(11);
    const event = deleted([10]);
    await Promise.all([deliver(event), deliver(event)]);
    await deliver(deleted([10]));
    expect(await storedProducts()).toEqual([[11], [11], []]);
  });

  it('rejects writes that the catalog approved before the deletion', async () => {
    const choiceId = await choose(11);
    // The fake catalog still returns product 10, as it did before the deletion
    await deliver(deleted([10]));
    await expect(placeFavorite(10)).rejects.toMatchObject(productNotFound);
    await expect(add(choiceId, 10)).rejects.toMatchObject({
      ...productNotFound,
      errors: [{ path: 'body.productId', message: 'is not a product' }],
    });
    await expect(choose(11, 10)).rejects.toMatchObject({
      ...productNotFound,
      errors: [{ path: 'body.choiceProducts.1.productId', message: 'is not a product' }],
    });
    expect(await storedProducts()).toEqual([[], [11], [11]]);
  });
});

describe('the concurrent deletion of a material', () => {
  it('deletes a favorite placed first', async () => {
    const [placed, deletion] = await runWhileBlocked(
      lockOutbox,
      () => placeFavorite(10),
      () => deliver(deleted([10])),
    );
    expect([placed.status, deletion.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await storedProducts()).toEqual([[], [], []]);
  });

  it('rejects a favorite placed second', async () => {
    await placeFavorite(10, stack.hanako);
    const [deletion, placed] = await runWhileBlocked(
      lockTable('choice_products'),
      () => deliver(deleted([10])),
      () => placeFavorite(10),
    );
    expect(deletion.status).toBe('fulfilled');
    expect(placed).toMatchObject({ status: 'rejected', reason: productNotFound });
    expect(await storedProducts()).toEqual([[], [], []]);
  });

  it('deletes an entry added first', async () => {
    const choiceId = await choose();
    const [added, deletion] = await runWhileBlocked(
      lockTable('choice_products'),
      () => add(choiceId, 10),
      () => deliver(deleted([10])),
    );
    expect([added.status, deletion.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await storedProducts()).toEqual([[], [], []]);
  });

  it('rejects an entry added second, also of a product without a counter', async () => {
    const choiceId = await choose();
    const [deletion, added] = await runWhileBlocked(
      lockTable('favorites'),
      () => deliver(deleted([10])),
      () => add(choiceId, 10),
    );
    expect(deletion.status).toBe('fulfilled');
    expect(added).toMatchObject({ status: 'rejected', reason: productNotFound });
    expect(await storedProducts()).toEqual([[], [], []]);
  });

  it('deletes all data of its products among 90 concurrent writes', async () => {
    const choiceIds = await Promise.all([choose(10, 11), choose(12), choose()]);
    const writes = Array.from({ length: 90 }, (_, n) => {
      const productId = 10 + (n % 3);
      if (n === 45) return deliver(deleted([10, 12]));
      if (n % 4 === 0) return placeFavorite(productId, n % 8 ? stack.hanako : stack.taro);
      if (n % 4 === 1) return add(choiceIds[n % 3]!, productId);
      if (n % 4 === 2) return stack.favorites.delete({ viewerId: stack.taro, productId });
      const choiceProducts = [{ productId: 12 }, { productId: 10 }, { productId: 11 }];
      return stack.choices.update({ viewerId: stack.taro, choiceId: choiceIds[n % 3]!, choiceProducts });
    });
    for (const result of await Promise.allSettled(writes))
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 404 });
    expect(new Set((await storedProducts()).flat())).toEqual(new Set([11]));
  });
});
