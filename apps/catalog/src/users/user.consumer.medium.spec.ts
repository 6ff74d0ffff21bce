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

const leave = (userId: number, signal = new AbortController().signal) => {
  const id = randomUUID();
  const payload = { userId, name: 'taro' };
  return consumer.forget({
    event: { id, name: 'user.deleted', version: 1, occurredAt: new Date().toISOString(), payload, metadata: {} },
    attempt: 1,
    signal,
    progress: () => Promise.resolve(),
    ...new Inbox(stack.database, 1).of(id),
  });
};
const products = [wantedProduct(shirt), wantedProduct(mug)];
const left = async () =>
  (await stack.database.query<{ id: number }>('select user_id as id from materials order by 1')).map(({ id }) => id);

it('deletes the materials of a user who has left, each said once, also after an interruption', async () => {
  for (let n = 0; n < 3; n++) await createMaterial(stack, stack.taro, { products });
  await createMaterial(stack, stack.hanako, { products });
  await stack.sales.create({
    name: 'taro',
    target: { kind: 'user', userName: 'taro' },
    discount: { kind: 'percent', percent: 10 },
  });
  await stack.database.query('delete from outbox');
  await expect(leave(stack.taro, AbortSignal.abort())).rejects.toThrow();
  await Promise.all([leave(stack.taro), leave(stack.taro)]);
  expect(await left()).toEqual([stack.hanako]);
  const said = await outbox(stack.database);
  expect(said.map(({ name }) => name).sort()).toEqual([
    ...Array<string>(3).fill('material.deleted'),
    'sales.changed',
    // Once by each delivery that came to the end
    'user.materials-deleted',
    'user.materials-deleted',
  ]);
  expect(said.find(({ name }) => name === 'material.deleted')!.payload).toMatchObject({
    userId: stack.taro,
    productIds: [expect.any(Number), expect.any(Number)],
  });
});

it('makes nothing for a user who has left, though the gateway may believe the token for a moment', async () => {
  await leave(stack.jiro);
  await expect(createMaterial(stack, stack.jiro)).rejects.toMatchObject({ kind: problems['user.not-found'] });
  expect(await left()).not.toContain(stack.jiro);
});
