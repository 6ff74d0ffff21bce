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
  await favor(popular);
});

const favor = (productId: number, viewerId = stack.taro) =>
  stack.favorites.create({ viewerId, productId, anonymous: false, count: 1 });
const totalOf = async (productId: number) => (await stack.favoriteQueries.stamps({ productId })).totalCount;

/** Runs `work` while another session has locked the counter of the popular product. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const { owner } = stack.others;
  await owner.query('begin');
  await owner.query('select from social.product_favorites where product_id = $1 for update', [popular]);
  try {
    await work();
  } finally {
    await owner.query('rollback');
  }
}

/** How many statements wait for a lock. Asked outside of a transaction, which would see one snapshot of all sessions. */
const waiting = async (): Promise<number> => {
  const [found] = await stack.database.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found!.count;
};

it('leaves connections to other products and reads while the row of a popular product is locked', async () => {
  let writes: Promise<unknown>[] = [];
  await whileLocked(async () => {
    const users = [stack.taro, stack.hanako, stack.jiro];
    writes = Array.from({ length: 30 }, (_, n) => favor(popular, users[n % 3]));
    writes.push(stack.favorites.delete({ viewerId: stack.hanako, productId: popular }));
    for (const write of writes) write.catch(() => undefined);
    await eventually('two statements wait', async () => (await waiting()) === 2);
    expect(bodyOf('favorites.create', await favor(other)).meta.totalCount).toBe(1);
    expect(await totalOf(popular)).toBe(1);
    expect(await waiting()).toBe(2);
  });
  await Promise.all(writes);
  const [counted] = await stack.database.query<{ sum: number }>(
    'select sum(count)::int as sum from favorites where product_id = $1',
    [popular],
  );
  // The last write withdraws what hanako has placed
  expect([counted!.sum, await totalOf(popular)]).toEqual([21, 21]);
});

it('gives a write up that still waits when its caller stops waiting, and keeps the permits of the others', async () => {
  await whileLocked(async () => {
    const first = [favor(popular), favor(popular)];
    for (const write of first) write.catch(() => undefined);
    await eventually('two statements wait', async () => (await waiting()) === 2);
    const late = runInCall({ requestId: 'late', timeoutMs: 50 }, () => favor(popular, stack.hanako));
    await expect(late).rejects.toMatchObject({ kind: problems['service.overloaded'] });
    await stack.others.owner.query('rollback');
    await Promise.all(first);
  });
  await favor(popular);
  expect(await totalOf(popular)).toBe(4);
});
