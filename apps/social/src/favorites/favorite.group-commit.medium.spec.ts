import { problems } from '#contracts';
import { markUserDeleted } from '#persistence';
import { runInCall } from '#request-queue';
import { IdempotencyKeys } from '#idempotency';
import { eventually } from '#testing';
import { bodyOf, lockOutbox, socialStack, type SocialStack } from '../testing/social-stack.js';
import { FavoriteBatcher } from './favorite.batcher.js';
import { FavoriteRepository } from './favorite.repository.js';
import { FavoriteService } from './favorite.service.js';
import { ProductWriteLimiter } from './product-write.limiter.js';

let stack: SocialStack;
const products = Array.from({ length: 12 }, (_, n) => 10 + n);
const [first, second, third, unlisted] = products as [number, number, number, number];
const withoutCounter = 30;
const unknown = 999;

beforeAll(async () => {
  stack = await socialStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.database.query('delete from deleted_users');
  await stack.others.addProducts([...products, withoutCounter], stack.jiro);
  await stack.database.transaction((tx) => stack.products.lock(tx, products));
  await stack.others.publish(unlisted, false);
});

type CreateRequest = Parameters<SocialStack['favorites']['create']>[0];
const placeFavorite = (productId: number, viewerId = stack.taro, more: Partial<CreateRequest> = {}) =>
  stack.favorites.create({ viewerId, productId, anonymous: false, count: 1, ...more });

const totalIn = (reply: Awaited<ReturnType<typeof placeFavorite>>) => bodyOf('favorites.create', reply).meta.totalCount;
const queryOne = async <Row extends object>(sql: string) => (await stack.database.query<Row>(sql))[0]!;
/** Total counts by product, of the products with favorites. */
const totals = async () =>
  Object.fromEntries(
    (
      await stack.database.query<{ id: number; total: number }>(
        'select product_id as id, total_count as total from product_favorites where total_count > 0 order by 1',
      )
    ).map(({ id, total }) => [id, total]),
  );
/** Number of transactions that wrote the favorites. */
const commits = async () =>
  (await queryOne<{ count: number }>('select count(distinct xmin::text) as count from favorites')).count;
const lockWaits = async () =>
  (
    await queryOne<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).count;
const rejectedWith = (code: keyof typeof problems) => expect.objectContaining({ kind: problems[code] });

/** Runs `work` while another session holds the locks that `statement` takes. */
async function whileLocked<Result>(statement: string, work: () => Promise<Result>): Promise<Result> {
  const { owner } = stack.others;
  await owner.query('begin');
  await owner.query(statement);
  try {
    return await work();
  } finally {
    await owner.query('rollback');
  }
}
const lockCounter = (productId: number) =>
  `select from social.product_favorites where product_id = ${productId} for update`;

/** Returns a total count for each placed favorite, and the error of each other one. */
const settled = async (writes: readonly ReturnType<typeof placeFavorite>[]): Promise<unknown[]> =>
  (await Promise.allSettled(writes)).map((it) => (it.status === 'fulfilled' ? totalIn(it.value) : it.reason));

it('commits favorites on different products together, the first of a product alone', async () => {
  await placeFavorite(first, stack.hanako);
  const placed = [first, second, third, withoutCounter];
  expect(await settled(placed.map((id, n) => placeFavorite(id, stack.taro, { count: n + 1 })))).toEqual([2, 2, 3, 4]);
  expect(await totals()).toEqual({ [first]: 2, [second]: 2, [third]: 3, [withoutCounter]: 4 });
  expect(await commits()).toBe(3);
  await settled(placed.map((id) => placeFavorite(id)));
  expect(await commits()).toBe(2);
});

it('places each of several favorites once, and rejects only the invalid ones', async () => {
  await stack.database.transaction((tx) => markUserDeleted(tx, 77));
  const outcomes = await settled([
    placeFavorite(first, stack.taro),
    placeFavorite(first, stack.taro),
    placeFavorite(first, stack.hanako),
    placeFavorite(unknown),
    placeFavorite(unlisted, stack.taro),
    placeFavorite(second, 77),
    placeFavorite(third, stack.jiro, { count: 5 }),
  ]);
  const [notFound, noUser] = [rejectedWith('product.not-found'), rejectedWith('user.not-found')];
  expect(outcomes.slice(0, 3).toSorted()).toEqual([1, 2, 3]);
  expect(outcomes.slice(3)).toEqual([notFound, notFound, noUser, 5]);
  expect(await totals()).toEqual({ [first]: 3, [third]: 5 });
});

it('appends an event for each favorite with the metadata and payload of its request', async () => {
  await Promise.all(
    [first, second].map((id, n) =>
      runInCall({ requestId: `request-${id}` }, () => placeFavorite(id, stack.taro, { count: n + 3 })),
    ),
  );
  const events = await stack.database.query(
    `select metadata ->> 'requestId' as request, payload -> 'productId' as product, payload -> 'count' as count,
       payload -> 'revision' as revision, payload ->> 'productTitle' as title
     from outbox order by payload -> 'productId'`,
  );
  expect(events).toEqual([
    { request: `request-${first}`, product: first, count: 3, revision: 1, title: expect.stringContaining(`${first}`) },
    {
      request: `request-${second}`,
      product: second,
      count: 4,
      revision: 1,
      title: expect.stringContaining(`${second}`),
    },
  ]);
});

it('does not delay favorites by one whose product is locked', async () => {
  await placeFavorite(first);
  let locked: ReturnType<typeof placeFavorite>;
  await whileLocked(lockCounter(first), async () => {
    locked = placeFavorite(first);
    expect(await settled([second, third].map((id) => placeFavorite(id)))).toEqual([1, 1]);
    await eventually('the other favorite waits', async () => (await lockWaits()) === 1);
  });
  expect(totalIn(await locked!)).toBe(2);
  expect(await commits()).toBe(2);
});

it('does not delay favorites by one whose user is being deleted', async () => {
  let deleted: ReturnType<typeof placeFavorite>;
  await stack.database.transaction(async (tx) => {
    await markUserDeleted(tx, 78);
    deleted = placeFavorite(first, 78);
    expect(await settled([second, third].map((id) => placeFavorite(id)))).toEqual([1, 1]);
  });
  await expect(deleted!).rejects.toMatchObject({ kind: problems['user.not-found'] });
  expect(await totals()).toEqual({ [second]: 1, [third]: 1 });
});

it('does not delay favorites by one whose counter another transaction inserts', async () => {
  let blocked: ReturnType<typeof placeFavorite>;
  await whileLocked(`insert into social.product_favorites values (${withoutCounter}, 0)`, async () => {
    blocked = placeFavorite(withoutCounter);
    expect(await settled([first, second].map((id) => placeFavorite(id)))).toEqual([1, 1]);
    await eventually('the other favorite waits', async () => (await lockWaits()) === 1);
  });
  expect(totalIn(await blocked!)).toBe(1);
  expect(await commits()).toBe(2);
});

it('counts exactly beside another process, writes of choices and withdrawals', async () => {
  const repository = new FavoriteRepository(stack.database);
  const keys = new IdempotencyKeys(stack.database);
  const limiter = new ProductWriteLimiter(1_000);
  const processes = [stack.favorites, new FavoriteService(keys, repository, new FavoriteBatcher(repository), limiter)];
  const users = [stack.taro, stack.hanako, stack.jiro];
  const shuffled = () => products.filter((id) => id !== unlisted).toSorted(() => Math.random() - 0.5);
  const expected = { placed: 0, withdrawn: 0 };
  for (let round = 0; round < 15; round += 1) {
    const writes = processes.flatMap((favorites, n) => [
      ...shuffled().map((productId, at) =>
        favorites.create({ viewerId: users[(at + n) % 3]!, productId, anonymous: false, count: 1 }),
      ),
      stack.database.transaction((tx) => stack.products.lock(tx, shuffled().slice(0, 4))),
    ]);
    expected.placed += processes.length * (products.length - 1);
    const withdrawals = shuffled()
      .slice(0, 3)
      .map((productId) => processes[round % 2]!.delete({ viewerId: users[round % 3]!, productId }));
    for (const result of await Promise.allSettled(withdrawals))
      if (result.status === 'fulfilled') expected.withdrawn += result.value.count;
    await Promise.all(writes);
  }
  const sums = await queryOne<object>(
    `select (select sum(count) from favorites)::int as favorites, (select sum(total_count) from product_favorites)::int as totals,
       (select count(*) from outbox where name = 'favorite.placed')::int as events`,
  );
  const left = expected.placed - expected.withdrawn;
  expect(sums).toEqual({ favorites: left, totals: left, events: expected.placed });
});

it('does not place a favorite on a product whose deletion is committed meanwhile', async () => {
  await placeFavorite(first);
  await stack.database.query('update product_favorites set total_count = 0, deleted = true where product_id = $1', [
    first,
  ]);
  expect(await settled([first, second].map((id) => placeFavorite(id)))).toEqual([rejectedWith('product.not-found'), 1]);
});

it('fails only the favorite that violates a constraint', async () => {
  await placeFavorite(first);
  await stack.database.query('update favorites set count = 9007199254740991 where product_id = $1', [first]);
  const outcomes = await settled([first, second].map((id) => placeFavorite(id)));
  expect(outcomes).toEqual([expect.objectContaining({ message: expect.stringContaining('favorites_count_bound') }), 1]);
  expect(await totals()).toEqual({ [first]: 1, [second]: 1 });
});

it('omits a favorite whose caller has stopped waiting', async () => {
  const caller = new AbortController();
  const late = runInCall({ requestId: 'late', signal: caller.signal }, () => placeFavorite(first));
  const writes = [second, third].map((id) => placeFavorite(id));
  caller.abort();
  expect(await settled([late, ...writes])).toEqual([rejectedWith('service.overloaded'), 1, 1]);
  expect(await totals()).toEqual({ [second]: 1, [third]: 1 });
});

it('counts nothing of a batch whose session ended before the commit, and all of its repetition', async () => {
  const idempotency = (id: number) => ({ idempotency: { key: `key-${id}`, fingerprint: '0'.repeat(64) } });
  const placeAll = () => settled(products.slice(4).map((id) => placeFavorite(id, stack.taro, { count: 2 })));
  const outcomes = await whileLocked(lockOutbox, async () => {
    const writes = placeAll();
    await eventually('the batch waits', async () => (await lockWaits()) === 1);
    await stack.others.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return writes;
  });
  expect(new Set(outcomes)).toEqual(new Set([rejectedWith('service.no-answer')]));
  expect(await totals()).toEqual({});
  expect(await placeAll()).toEqual(products.slice(4).map(() => 2));
  // Repeated requests with keys are placed once, also at the same time
  const keyed = products.slice(4).flatMap((id) => [id, id].map(() => placeFavorite(id, stack.taro, idempotency(id))));
  const inProgress = (await settled(keyed)).filter((it) => typeof it !== 'number');
  expect(inProgress).toEqual(inProgress.map(() => rejectedWith('idempotency-key.in-progress')));
  expect(await totals()).toEqual(Object.fromEntries(products.slice(4).map((id) => [id, 3])));
});
