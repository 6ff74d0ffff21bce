import { randomUUID } from 'node:crypto';
import { problems } from '#contracts';
import { Inbox } from '#events';
import { eventually } from '#testing';
import { FavoriteRepository } from '../favorites/favorite.repository.js';
import { lockOutbox, socialStack, type SocialStack } from '../testing/social-stack.js';
import { UserConsumer } from './user.consumer.js';
import { UserRepository } from './user.repository.js';

let stack: SocialStack;
let consumer: UserConsumer;

beforeAll(async () => {
  stack = await socialStack();
  consumer = new UserConsumer(new UserRepository(stack.database), new FavoriteRepository(stack.database));
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.database.query('delete from deleted_users');
  await stack.others.addProducts([10, 11, 12], stack.jiro);
});

const placeFavorite = (productId: number, viewerId: number) =>
  stack.favorites.create({ viewerId, productId, anonymous: false, count: 3 });
const choose = (viewerId: number) => stack.choices.create({ viewerId, title: 'Light things', choiceProducts: [] });
const deleteUser = (userId: number) => {
  const id = randomUUID();
  const payload = { userId, name: 'taro' };
  return consumer.deleteUserData({
    event: { id, name: 'user.deleted', version: 1, occurredAt: new Date().toISOString(), payload, metadata: {} },
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => Promise.resolve(),
    ...new Inbox(stack.database, 1).forEvent(id),
  });
};
const totals = () =>
  stack.database.query('select product_id as id, total_count as n from product_favorites order by 1');
const owners = async () =>
  (await stack.database.query<{ id: number }>('select user_id as id from choices order by 1')).map(({ id }) => id);

/** Returns the payloads of the deletions of choices in the outbox, without the ids. */
const deletedChoices = async () =>
  (
    await stack.database.query<{ payload: object }>(
      `select payload - 'choiceId' as payload from outbox where name = 'choice.updated' and payload -> 'changed' ? 'deleted'`,
    )
  ).map(({ payload }) => payload);

describe('a deleted user', () => {
  it('loses favorites, their counts, choices and stored responses; data of others stays', async () => {
    for (const id of [10, 11]) await placeFavorite(id, stack.taro);
    await placeFavorite(11, stack.hanako);
    for (const id of [stack.taro, stack.hanako]) await choose(id);
    await stack.favorites.create({
      viewerId: stack.taro,
      productId: 12,
      anonymous: false,
      count: 1,
      idempotency: { key: 'k', fingerprint: 'f'.repeat(64) },
    });
    await deleteUser(stack.taro);
    expect(await totals()).toEqual([
      { id: 10, n: 0 },
      { id: 11, n: 3 },
      { id: 12, n: 0 },
    ]);
    expect(await owners()).toEqual([stack.hanako]);
    expect(await deletedChoices()).toEqual([{ userId: stack.taro, changed: ['deleted'], revision: 2 }]);
    expect(await stack.database.query('select from idempotency_keys')).toEqual([]);
  });

  it('is deleted once when the event is delivered again, concurrently or later', async () => {
    await placeFavorite(10, stack.taro);
    await Promise.all([deleteUser(stack.taro), deleteUser(stack.taro)]);
    await deleteUser(stack.taro);
    expect(await totals()).toEqual([{ id: 10, n: 0 }]);
  });

  it('cannot create favorites and choices, although the gateway may still accept the token', async () => {
    await deleteUser(stack.taro);
    const userNotFound = { kind: problems['user.not-found'] };
    await expect(placeFavorite(10, stack.taro)).rejects.toMatchObject(userNotFound);
    await expect(choose(stack.taro)).rejects.toMatchObject(userNotFound);
    expect([await totals(), await owners()]).toEqual([[], []]);
  });

  it('is deleted after a write in flight, and the write’s favorite is deleted too', async () => {
    const { writing, deleting } = await stack.database.transaction(async (tx) => {
      // A lock of this test blocks the write, like a slow disk
      await tx.query(lockOutbox);
      const writing = placeFavorite(10, stack.taro);
      const isWaiting = `datname = current_database() and wait_event_type = 'Lock'`;
      const countLockWaits = async () =>
        (await stack.database.query(`select from pg_stat_activity where ${isWaiting}`)).length;
      await eventually('the favorite waits', async () => (await countLockWaits()) === 1);
      const deleting = deleteUser(stack.taro);
      await eventually('the deletion waits', async () => (await countLockWaits()) === 2);
      return { writing, deleting };
    });
    await Promise.all([writing, deleting]);
    expect(await totals()).toEqual([{ id: 10, n: 0 }]);
  });
});
