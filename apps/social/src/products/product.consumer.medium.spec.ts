import { randomUUID } from 'node:crypto';
import { type EventEnvelope, problems } from '#contracts';
import { Inbox } from '#events';
import { eventually } from '#testing';
import { bodyOf, holdOutbox, socialStack, type SocialStack } from '../testing/social-stack.js';
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

const favor = (productId: number, viewerId = stack.taro) =>
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
  consumer.forgetOfDeletedMaterial({
    event,
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => Promise.resolve(),
    ...new Inbox(stack.database, 1).forEvent(event.id),
  });
/** Products of favorites, of counters and of entries. */
const left = async () => {
  const tables = ['favorites', 'product_favorites where not deleted', 'choice_products'];
  const ids = tables.map((table) =>
    stack.database.query<{ id: number }>(`select product_id as id from ${table} order by 1`),
  );
  return (await Promise.all(ids)).map((rows) => rows.map(({ id }) => id));
};
const waiting = async () =>
  (
    await stack.database.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.count;
const productNotFound = { kind: problems['product.not-found'] };

const holdTable = (table: string): string => `lock table ${table} in exclusive mode`;

/** Makes a statement wait in the middle of its transaction until `meanwhile` waits for it. */
async function whileItWaits(hold: string, writer: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
  const { first, second } = await stack.database.transaction(async (tx) => {
    // Held up by a lock of this test, which stands for a slow disk: whatever it has locked itself stays locked
    await tx.query(hold);
    const first = writer();
    await eventually('the writer waits', async () => (await waiting()) === 1);
    const second = meanwhile();
    await eventually('the other one waits too', async () => (await waiting()) === 2);
    return { first, second };
  });
  return Promise.allSettled([first, second]);
}

describe('a deleted material', () => {
  it('takes the favorites, counters and entries of its products with it, and no others', async () => {
    for (const id of [10, 11, 12]) await favor(id);
    await choose(10, 11, 12);
    await deliver(deleted([10, 12]));
    expect(await left()).toEqual([[11], [11], [11]]);
  });

  it('had no products, and nothing is dropped', async () => {
    await favor(10);
    await deliver(deleted([]));
    expect(await left()).toEqual([[10], [10], []]);
  });

  it('that is told twice is the same as told once', async () => {
    await favor(11);
    const event = deleted([10]);
    await Promise.all([deliver(event), deliver(event)]);
    await deliver(deleted([10]));
    expect(await left()).toEqual([[11], [11], []]);
  });

  it('is known to whoever asked the catalog before it was deleted and writes after it', async () => {
    const choiceId = await choose(11);
    // The catalog still answers for product 10: it did so a moment ago
    await deliver(deleted([10]));
    await expect(favor(10)).rejects.toMatchObject(productNotFound);
    await expect(add(choiceId, 10)).rejects.toMatchObject({
      ...productNotFound,
      errors: [{ path: 'body.productId', message: 'is not a product' }],
    });
    await expect(choose(11, 10)).rejects.toMatchObject({
      ...productNotFound,
      errors: [{ path: 'body.choiceProducts.1.productId', message: 'is not a product' }],
    });
    expect(await left()).toEqual([[], [11], [11]]);
  });
});

describe('while a material is being deleted', () => {
  it('a favorite that came first is taken along', async () => {
    const [placed, gone] = await whileItWaits(
      holdOutbox,
      () => favor(10),
      () => deliver(deleted([10])),
    );
    expect([placed.status, gone.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await left()).toEqual([[], [], []]);
  });

  it('a favorite that came second is refused', async () => {
    await favor(10, stack.hanako);
    const [gone, placed] = await whileItWaits(
      holdTable('choice_products'),
      () => deliver(deleted([10])),
      () => favor(10),
    );
    expect(gone.status).toBe('fulfilled');
    expect(placed).toMatchObject({ status: 'rejected', reason: productNotFound });
    expect(await left()).toEqual([[], [], []]);
  });

  it('an entry that came first is taken along', async () => {
    const choiceId = await choose();
    const [added, gone] = await whileItWaits(
      holdTable('choice_products'),
      () => add(choiceId, 10),
      () => deliver(deleted([10])),
    );
    expect([added.status, gone.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await left()).toEqual([[], [], []]);
  });

  it('an entry that came second is refused, of a product that nobody had ever favored', async () => {
    const choiceId = await choose();
    const [gone, added] = await whileItWaits(
      holdTable('favorites'),
      () => deliver(deleted([10])),
      () => add(choiceId, 10),
    );
    expect(gone.status).toBe('fulfilled');
    expect(added).toMatchObject({ status: 'rejected', reason: productNotFound });
    expect(await left()).toEqual([[], [], []]);
  });

  it('nothing is left of its products, whatever many users say of them at once', async () => {
    const choiceIds = await Promise.all([choose(10, 11), choose(12), choose()]);
    const writers = Array.from({ length: 90 }, (_, n) => {
      const productId = 10 + (n % 3);
      if (n === 45) return deliver(deleted([10, 12]));
      if (n % 4 === 0) return favor(productId, n % 8 ? stack.hanako : stack.taro);
      if (n % 4 === 1) return add(choiceIds[n % 3]!, productId);
      if (n % 4 === 2) return stack.favorites.delete({ viewerId: stack.taro, productId });
      const choiceProducts = [{ productId: 12 }, { productId: 10 }, { productId: 11 }];
      return stack.choices.update({ viewerId: stack.taro, choiceId: choiceIds[n % 3]!, choiceProducts });
    });
    for (const end of await Promise.allSettled(writers))
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 404 });
    expect(new Set((await left()).flat())).toEqual(new Set([11]));
  });
});
