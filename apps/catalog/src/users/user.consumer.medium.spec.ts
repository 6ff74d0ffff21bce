import { randomUUID } from 'node:crypto';
import { problems } from '#contracts';
import { Inbox } from '#events';
import {
  type CatalogStack,
  catalogStack,
  createMaterial,
  mug,
  outbox,
  shirt,
  wantedProduct,
} from '../testing/catalog-stack.js';
import { UserConsumer } from './user.consumer.js';
import { UserRepository } from './user.repository.js';

let stack: CatalogStack;
let consumer: UserConsumer;

beforeAll(async () => {
  stack = await catalogStack();
  consumer = new UserConsumer(new UserRepository(stack.database), stack.materials);
});
afterAll(() => stack.close());

const consumeDeletion = (userId: number, signal = new AbortController().signal) => {
  const id = randomUUID();
  const payload = { userId, name: 'taro' };
  return consumer.deleteUserData({
    event: { id, name: 'user.deleted', version: 1, occurredAt: new Date().toISOString(), payload, metadata: {} },
    attempt: 1,
    signal,
    progress: () => Promise.resolve(),
    ...new Inbox(stack.database, 1).forEvent(id),
  });
};
const products = [wantedProduct(shirt), wantedProduct(mug)];
const materialOwners = async () =>
  (await stack.database.query<{ id: number }>('select user_id as id from materials order by 1')).map(({ id }) => id);

it('deletes the materials of a deleted user with one event each, also after an interruption', async () => {
  for (let n = 0; n < 3; n++) await createMaterial(stack, stack.taro, { products });
  await createMaterial(stack, stack.hanako, { products });
  await stack.sales.create({
    name: 'taro',
    target: { kind: 'user', userName: 'taro' },
    discount: { kind: 'percent', percent: 10 },
  });
  await stack.database.query('delete from outbox');
  await expect(consumeDeletion(stack.taro, AbortSignal.abort())).rejects.toThrow();
  await Promise.all([consumeDeletion(stack.taro), consumeDeletion(stack.taro)]);
  expect(await materialOwners()).toEqual([stack.hanako]);
  const events = await outbox(stack.database);
  expect(events.map(({ name }) => name).sort()).toEqual([
    ...Array<string>(3).fill('material.deleted'),
    'sales.changed',
    // One for each delivery that was completed
    'user.materials-deleted',
    'user.materials-deleted',
  ]);
  expect(events.find(({ name }) => name === 'material.deleted')!.payload).toMatchObject({
    userId: stack.taro,
    productIds: [expect.any(Number), expect.any(Number)],
  });
});

it('retains the purchases of a deleted user without the user', async () => {
  for (const buyer of [stack.taro, stack.hanako])
    await stack.database.query(
      'insert into purchases (product_id, variant_id, quantity, buyer_id) values (1, 1, 1, $1)',
      [buyer],
    );
  await consumeDeletion(stack.taro);
  expect(await stack.database.query('select buyer_id as "buyerId" from purchases order by id')).toEqual([
    { buyerId: null },
    { buyerId: stack.hanako },
  ]);
});

it('rejects creations of a deleted user, whose token the gateway may still accept', async () => {
  await consumeDeletion(stack.jiro);
  await expect(createMaterial(stack, stack.jiro)).rejects.toMatchObject({ kind: problems['user.not-found'] });
  expect(await materialOwners()).not.toContain(stack.jiro);
});
