import { problems } from '#contracts';
import { runInCall } from '#request-queue';
import { eventually } from '#testing';
import { bodyOf, socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;
const [popular, other] = [10, 11];

beforeAll(async () => {
  stack = await socialStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.others.addProducts([popular, other], stack.jiro);
  await placeFavorite(popular);
});

type CreateRequest = Parameters<SocialStack['favorites']['create']>[0];
const placeFavorite = (productId: number, viewerId = stack.taro, more: Partial<CreateRequest> = {}) =>
  stack.favorites.create({ viewerId, productId, anonymous: false, count: 1, ...more });
/** Returns ids of users without rows in accounts. */
const users = (count: number): number[] => Array.from({ length: count }, (_, n) => 1_000 + n);
const totalOf = async (productId: number) => (await stack.favoriteQueries.stamps({ productId })).totalCount;
const queryOne = async <Row extends object>(sql: string) => (await stack.database.query<Row>(sql))[0]!;
const sumAndCommits = () =>
  queryOne<object>('select sum(count)::int as sum, count(distinct xmin::text) as commits from favorites');

/**
 * Locks the counter of the popular product in another session, places a favorite of `firstUser`,
 * which waits for the lock, and runs `work`. Returns the outcomes of that favorite and of the
 * writes that `work` adds.
 */
async function whileLocked(
  work: (writes: Promise<unknown>[]) => unknown,
  firstUser = stack.hanako,
): Promise<unknown[]> {
  const { owner } = stack.others;
  const writes: Promise<unknown>[] = [];
  await owner.query('begin');
  await owner.query('select from social.product_favorites where product_id = $1 for update', [popular]);
  try {
    writes.push(placeFavorite(popular, firstUser));
    await eventually('a statement waits', async () => (await countLockWaits()) === 1);
    await work(writes);
    expect(await countLockWaits()).toBe(1);
  } finally {
    await owner.query('rollback');
  }
  return (await Promise.allSettled(writes)).map((result) => (result.status === 'fulfilled' ? 'done' : result.reason));
}

/**
 * Returns how many statements wait for a lock. Not run in a transaction, which would see one
 * snapshot of all sessions.
 */
const countLockWaits = async (): Promise<number> => {
  const sql = `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await queryOne<{ count: number }>(sql)).count;
};
const done = (count: number): string[] => Array.from({ length: count }, () => 'done');

it('commits all waiting additions to a product together, using one connection of the pool', async () => {
  const outcomes = await whileLocked(async (writes) => {
    writes.push(...users(30).map((id) => placeFavorite(popular, id)));
    expect(bodyOf('favorites.create', await placeFavorite(other)).meta.totalCount).toBe(1);
    expect(await totalOf(popular)).toBe(1);
  });
  expect(outcomes).toEqual(done(31));
  expect(await totalOf(popular)).toBe(32);
  // The favorites of beforeEach and of the other product, the one that waited in the database, and
  // the batch
  expect(await sumAndCommits()).toEqual({ sum: 33, commits: 4 });
});

it('returns for each addition of a batch the total after its favorite', async () => {
  const placed: ReturnType<typeof placeFavorite>[] = [];
  await stack.others.publish(popular, false);
  await whileLocked((writes) => {
    placed.push(...[stack.taro, stack.jiro].map((id, n) => placeFavorite(popular, id, { count: n + 2 })));
    writes.push(...placed);
  }, stack.jiro);
  const [hidden, last] = await Promise.allSettled(placed);
  expect(hidden).toMatchObject({ reason: { kind: problems['product.not-found'] } });
  expect(last).toMatchObject({ status: 'fulfilled' });
  await stack.others.publish(popular, true);
  placed.length = 0;
  await whileLocked((writes) => {
    placed.push(...users(3).map((id, n) => placeFavorite(popular, id, { count: n + 1 })));
    writes.push(...placed);
  });
  // The total before the batch is 6: 1 of beforeEach, 1 and 3 of jiro, and 1 of hanako, which
  // waited for the lock
  const totals = (await Promise.all(placed)).map((reply) => bodyOf('favorites.create', reply).meta.totalCount);
  expect(totals).toEqual([7, 9, 12]);
});

it('commits additions with idempotency keys together', async () => {
  const idempotency = (id: number) => ({ idempotency: { key: `key-${id}`, fingerprint: '0'.repeat(64) } });
  const outcomes = await whileLocked(async (writes) => {
    writes.push(...users(3).map((id) => placeFavorite(popular, id, idempotency(id))));
    await eventually('the keys are claimed', async () => {
      return (await queryOne<{ count: number }>('select count(*) as count from idempotency_keys')).count === 3;
    });
  });
  expect(outcomes).toEqual(done(4));
  // The favorite of beforeEach, the one that waited in the database, and the batch
  expect(await sumAndCommits()).toEqual({ sum: 5, commits: 3 });
});

it('appends an event for each favorite of a batch with the metadata and payload of its request', async () => {
  await whileLocked((writes) => {
    for (const [n, id] of users(2).entries())
      writes.push(
        runInCall({ requestId: `request-${id}` }, () => placeFavorite(popular, id, { count: n + 3, anonymous: n > 0 })),
      );
  });
  const events = await stack.database.query(
    `select metadata ->> 'requestId' as request, (payload ->> 'userId')::int as user, (payload ->> 'count')::int as count,
       (payload ->> 'anonymous')::boolean as anonymous
     from outbox where metadata ? 'requestId' order by 2`,
  );
  const [first, second] = users(2);
  expect(events).toEqual([
    { request: `request-${first}`, user: first, count: 3, anonymous: false },
    { request: `request-${second}`, user: second, count: 4, anonymous: true },
  ]);
});

it('commits additions of one user one by one, and rejects only invalid additions of a batch', async () => {
  await stack.others.publish(popular, false);
  const notFound = expect.objectContaining({ kind: problems['product.not-found'] });
  const outcomes = await whileLocked((writes) => {
    for (const user of [stack.taro, stack.jiro, stack.jiro]) writes.push(placeFavorite(popular, user));
    writes.push(stack.favorites.delete({ viewerId: stack.taro, productId: popular }));
  }, stack.jiro);
  expect(outcomes).toEqual(['done', notFound, 'done', 'done', 'done']);
  // Only the owner sees the product; the last write withdraws the favorite of beforeEach
  expect([await totalOf(popular), await sumAndCommits()]).toEqual([3, { sum: 3, commits: 1 }]);
});

it('stores the responses of a batch, and fails only a write whose key was claimed by another request', async () => {
  const idempotency = (key: string) => ({ idempotency: { key, fingerprint: '0'.repeat(64) } });
  const [first, second, third] = users(3);
  const outcomes = await whileLocked(async (writes) => {
    writes.push(
      placeFavorite(popular, first, idempotency('a')),
      placeFavorite(popular, second, idempotency('b')),
      placeFavorite(popular, third),
    );
    await eventually('the keys are claimed', async () => {
      return (await queryOne<{ count: number }>('select count(*) as count from idempotency_keys')).count === 2;
    });
    await stack.database.query(`update idempotency_keys set claim = gen_random_uuid() where key = 'b'`);
  });
  const inProgress = expect.objectContaining({ kind: problems['idempotency-key.in-progress'] });
  expect(outcomes).toEqual(['done', 'done', inProgress, 'done']);
  expect(await totalOf(popular)).toBe(4);
  const again = await placeFavorite(popular, first, idempotency('a'));
  expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
  expect(await sumAndCommits()).toMatchObject({ sum: 4 });
});

it('drops a waiting write when its caller’s deadline passes', async () => {
  const outcomes = await whileLocked(async (writes) => {
    writes.push(placeFavorite(popular));
    const late = runInCall({ requestId: 'late', timeoutMs: 50 }, () => placeFavorite(popular, stack.hanako));
    await expect(late).rejects.toMatchObject({ kind: problems['service.overloaded'] });
  });
  expect(outcomes).toEqual(done(2));
  await placeFavorite(popular);
  expect(await totalOf(popular)).toBe(4);
});
