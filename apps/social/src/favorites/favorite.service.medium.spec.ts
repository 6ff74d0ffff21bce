import { events, problems } from '#contracts';
import { runInCall } from '#request-queue';
import { FavoriteRepository } from './favorite.repository.js';
import { bodyOf, socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;
const [visible, other, draft] = [10, 11, 12];

beforeAll(async () => {
  stack = await socialStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.others.addProducts([visible, other, 1, 2, 3, 4], stack.jiro);
  await stack.others.addProducts([draft], stack.jiro, { published: false });
});

type CreateRequest = Parameters<SocialStack['favorites']['create']>[0];
const create = async (more: Partial<CreateRequest> = {}) =>
  bodyOf(
    'favorites.create',
    await stack.favorites.create({ viewerId: stack.taro, productId: visible, anonymous: false, count: 1, ...more }),
  );
const withdraw = (more: Partial<CreateRequest> = {}) =>
  stack.favorites.delete({ viewerId: stack.taro, productId: visible, ...more });
const outbox = () => stack.database.query<{ payload: unknown }>('select name, payload from outbox order by seq');
const totals = async () =>
  (
    await stack.database.query<{ total: number; sum: number }>(
      `select total_count as total, coalesce((select sum(count) from favorites f where f.product_id = p.product_id), 0)::int as sum
       from product_favorites p`,
    )
  ).map(({ total, sum }) => [total, sum]);
const notFound = { kind: problems['favorite.not-found'] };

describe('a favorite', () => {
  it('is returned with its count, its stamp and the total count of all users', async () => {
    await create({ viewerId: stack.hanako, count: 3 });
    const { favorite, meta } = await create({ count: 2 });
    expect(meta).toEqual({ totalCount: 5 });
    expect(favorite).toEqual({
      id: expect.any(Number),
      count: 2,
      x: expect.any(Number),
      y: expect.any(Number),
      rotation: expect.any(Number),
    });
  });

  it('adds to the count of an existing favorite, whose id and stamp do not change', async () => {
    const first = await create();
    const second = await create({ count: 100 });
    expect(second).toEqual({ favorite: { ...first.favorite, count: 101 }, meta: { totalCount: 101 } });
  });

  it('counts only for its product', async () => {
    await create();
    expect((await create({ productId: other })).meta.totalCount).toBe(1);
  });

  it('is anonymous when the latest request is', async () => {
    await create();
    await create({ anonymous: true });
    expect(await stack.database.query('select anonymous from favorites')).toEqual([{ anonymous: true }]);
  });

  it('appends favorite.placed with the product, its owner, the user and the new count', async () => {
    await create();
    const { favorite } = await create({ anonymous: true, count: 4 });
    const event = (await outbox())[1]!;
    expect(events['favorite.placed'].payload.strict().parse(event.payload)).toEqual(event.payload);
    expect(event).toEqual({
      name: 'favorite.placed',
      payload: {
        favoriteId: favorite.id,
        productId: visible,
        productTitle: 'Product 10 Mug',
        ownerId: stack.jiro,
        userId: stack.taro,
        anonymous: true,
        count: 5,
        revision: 2,
      },
    });
  });

  it('stores the request id in the metadata of its event, for tracing', async () => {
    const call = { requestId: 'request-1', service: 'social', pattern: 'favorites.create' } as const;
    await runInCall(call, () => create());
    expect(await stack.database.query('select metadata, version from outbox')).toEqual([
      { metadata: { requestId: 'request-1' }, version: events['favorite.placed'].version },
    ]);
  });

  it('is rejected on a product that the viewer may not see, and writes nothing', async () => {
    await expect(create({ productId: draft })).rejects.toMatchObject({ kind: problems['product.not-found'] });
    expect(await stack.database.query('select from favorites union all select from product_favorites')).toEqual([]);
    expect(await outbox()).toEqual([]);
  });

  it('counts each of 200 concurrent requests of one user', async () => {
    const responses = await Promise.all(Array.from({ length: 200 }, () => create()));
    const upTo200 = Array.from({ length: 200 }, (_, n) => n + 1);
    expect(responses.map(({ favorite }) => favorite.count).sort((a, b) => a - b)).toEqual(upTo200);
    expect(responses.map(({ meta }) => meta.totalCount).sort((a, b) => a - b)).toEqual(upTo200);
    expect(new Set(responses.map(({ favorite: { id, x, y, rotation } }) => `${id} ${x} ${y} ${rotation}`)).size).toBe(
      1,
    );
    expect(await totals()).toEqual([[200, 200]]);
    const payloads = (await outbox()).map(({ payload }) => payload as { revision: number; count: number });
    expect(payloads.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(upTo200);
    expect(payloads.every(({ revision, count }) => revision === count)).toBe(true);
  });

  it('counts each of 120 concurrent requests of several users on several products', async () => {
    const users = [stack.hanako, stack.taro, stack.jiro];
    await Promise.all(
      Array.from({ length: 120 }, (_, n) => create({ viewerId: users[n % 3]!, productId: 1 + (n % 4), count: 2 })),
    );
    expect(await totals()).toEqual(Array(4).fill([60, 60]));
  });

  it('is added by the first of several requests for the first one only, in several processes, too', async () => {
    const stamp = { x: 0.5, y: 0.5, rotation: 0 };
    const favorite = { userId: stack.taro, productId: visible, count: 1, anonymous: false, stamp };
    const repository = new FavoriteRepository(stack.database);
    const place = () => repository.placeFirst({ favorite, storeResponse: undefined, metadata: {} });
    await Promise.all(Array.from({ length: 8 }, place));
    const { favorite: first } = await create({ count: 9, onlyFirst: true });
    expect([first.count, await totals(), (await outbox()).length]).toEqual([1, [[1, 1]], 1]);
    expect((await create({ viewerId: stack.hanako, onlyFirst: true })).meta.totalCount).toBe(2);
    await withdraw();
    expect((await create({ onlyFirst: true })).favorite.id).not.toBe(first.id);
    await expect(create({ productId: draft, onlyFirst: true })).rejects.toMatchObject({
      kind: problems['product.not-found'],
    });
  });

  it('is placed once with the same response when the request is retried with its idempotency key', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    const first = await create({ idempotency, count: 5 });
    expect(await create({ idempotency, count: 5 })).toEqual(first);
    expect(await totals()).toEqual([[5, 5]]);
    expect(await outbox()).toHaveLength(1);
  });
});

describe('a withdrawn favorite', () => {
  it('is returned as it was, and the counts of other users do not change', async () => {
    await create({ viewerId: stack.hanako, count: 3 });
    const { favorite } = await create({ count: 4 });
    expect(await withdraw()).toEqual({ id: favorite.id, count: 4, productId: visible });
    expect(await totals()).toEqual([[3, 3]]);
    expect((await create()).meta.totalCount).toBe(4);
  });

  it.each([
    { title: 'its last revision and the owner', ownerId: () => stack.jiro, before: () => Promise.resolve() },
    {
      title: 'no owner when the product is deleted',
      ownerId: () => null,
      before: () => stack.others.deleteProducts([visible]),
    },
  ])('appends favorite.withdrawn with $title', async ({ ownerId, before }) => {
    await create({ anonymous: true });
    const { favorite } = await create();
    await before();
    const call = { requestId: 'request-1', service: 'social', pattern: 'favorites.delete' } as const;
    await runInCall(call, () => withdraw());
    const [event] = await stack.database.query<{ payload: unknown; metadata: unknown }>(
      `select payload, metadata from outbox where name = 'favorite.withdrawn'`,
    );
    expect(events['favorite.withdrawn'].payload.strict().parse(event!.payload)).toEqual({
      favoriteId: favorite.id,
      productId: visible,
      ownerId: ownerId(),
      userId: stack.taro,
      anonymous: false,
      revision: 3,
    });
    expect(event!.metadata).toEqual({ requestId: 'request-1' });
  });

  it('returns favorite.not-found when there is none, on any product', async () => {
    await create({ viewerId: stack.hanako });
    await create({ productId: other });
    for (const productId of [visible, draft, 999, Number.MAX_SAFE_INTEGER])
      await expect(withdraw({ productId })).rejects.toMatchObject(notFound);
    expect(await totals()).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('can be withdrawn from a product that is no longer visible', async () => {
    await create();
    await stack.others.publish(visible, false);
    expect(await withdraw()).toMatchObject({ count: 1 });
  });

  it('can be placed again, with a new id and stamp', async () => {
    const { favorite: first } = await create();
    await withdraw();
    const { favorite: second } = await create();
    expect(second.id).not.toBe(first.id);
    expect(second.count).toBe(1);
    expect([second.x, second.y, second.rotation]).not.toEqual([first.x, first.y, first.rotation]);
  });

  it('is withdrawn once by ten concurrent requests', async () => {
    await create({ count: 7 });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => withdraw()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(notFound);
    expect(await totals()).toEqual([[0, 0]]);
  });

  it('results in exact counts among concurrent placements', async () => {
    let withdrawn = 0;
    const user = async (viewerId: number) => {
      for (let n = 0; n < 20; n++) {
        await create({ viewerId, count: 1 + (n % 5) });
        await withdraw({ viewerId }).then(
          () => withdrawn++,
          (error: unknown) => expect(error).toMatchObject(notFound),
        );
        await create({ viewerId });
      }
    };
    await Promise.all([stack.hanako, stack.taro, stack.taro, stack.hanako].map(user));
    expect(withdrawn).toBeGreaterThan(20);
    const [[total, sum] = []] = await totals();
    expect(total).toBeGreaterThan(0);
    expect(total).toBe(sum);
  });
});
