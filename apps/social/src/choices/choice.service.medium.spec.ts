import { limits, problems, type RequestOf, type Services } from '#contracts';
import { bodyOf, foreignVariant, representative, socialStack, type SocialStack } from '../testing/social-stack.js';

type Messages = Services['social'];

let stack: SocialStack;
const page = { limit: 20, offset: 0 };
const [draft, unknown] = [90, 99];

beforeAll(async () => {
  stack = await socialStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.others.addProducts([1, 2, 3, 4, 5], stack.jiro);
  await stack.others.addProducts([draft], stack.jiro, { published: false });
});

const create = async (more: Partial<RequestOf<Messages, 'choices.create'>> = {}) => {
  const request = { viewerId: stack.taro, title: 'Light things', choiceProducts: [], ...more };
  return bodyOf('choices.create', await stack.choices.create(request)).choice;
};
const update = async (choiceId: number, more: Partial<RequestOf<Messages, 'choices.update'> & object> = {}) =>
  bodyOf('choices.update', await stack.choices.update({ viewerId: stack.taro, choiceId, ...more })).choice;
const add = async (choiceId: number, productId?: number, itemVariantId?: number, viewerId = stack.taro) =>
  bodyOf('choices.add', await stack.choices.add({ viewerId, choiceId, productId, itemVariantId })).choice;
const remove = async (choiceId: number, productId?: number, itemVariantId?: number, viewerId = stack.taro) =>
  bodyOf('choices.remove', await stack.choices.remove({ viewerId, choiceId, productId, itemVariantId })).choice;
const moveFirst = async (choiceId: number, productId: number, itemVariantId?: number, viewerId = stack.taro) =>
  bodyOf('choices.move-first', await stack.choices.moveFirst({ viewerId, choiceId, productId, itemVariantId })).choice;
const get = async (choiceId: number, viewerId = stack.taro) =>
  bodyOf('choices.get', await stack.choiceQueries.get(viewerId, choiceId)).choice;
/** Returns pairs of product and variant, in the order of the choice. */
const entriesOf = async (choiceId: number) =>
  (
    await stack.database.query<{ pair: string }>(
      `select product_id || ' ' || item_variant_id as pair from choice_products where choice_id = $1 order by position`,
      [choiceId],
    )
  ).map(({ pair }) => pair);
const products = (...ids: number[]) => ids.map((productId) => ({ productId }));
const in11 = (...ids: number[]) => ids.map((id) => `${id} ${representative}`);
const notFound = { kind: problems['choice.not-found'] };
const notOwned = { kind: problems['choice.not-owned'] };

describe('a new choice', () => {
  it('is returned in the same form as when it is read later', async () => {
    const choice = await create({
      title: 'Light 猫',
      description: 'things',
      bannerUrl: 'https://example.com/b.png',
      secret: true,
      choiceProducts: products(2, 1),
    });
    expect(choice).toEqual({
      id: expect.any(Number),
      title: 'Light 猫',
      description: 'things',
      secret: true,
      bannerUrl: 'https://example.com/b.png',
      productsCount: 2,
      user: { id: stack.taro, name: 'taro', displayName: null, avatarUrl: null },
    });
    expect(await get(choice.id)).toEqual(choice);
  });

  it('requires only a title', async () => {
    expect(await create()).toMatchObject({ description: null, secret: false, bannerUrl: null, productsCount: 0 });
  });

  it('has distinct entries in request order, in the representative variant by default', async () => {
    const choiceProducts = [
      { productId: 3 },
      { productId: 1, itemVariantId: 12 },
      { productId: 3, itemVariantId: representative },
      { productId: 1 },
      { productId: 1, itemVariantId: 12 },
    ];
    const { id, productsCount } = await create({ choiceProducts });
    expect(productsCount).toBe(3);
    expect(await entriesOf(id)).toEqual(['3 11', '1 12', '1 11']);
  });

  it('is rejected with the path of an invisible product or of a variant of another item', async () => {
    for (const productId of [draft, unknown])
      await expect(create({ choiceProducts: products(1, productId) })).rejects.toMatchObject({
        kind: problems['product.not-found'],
        errors: [{ path: 'body.choiceProducts.1.productId' }],
      });
    await expect(create({ choiceProducts: [{ productId: 1, itemVariantId: foreignVariant }] })).rejects.toMatchObject({
      kind: problems['item-variant.not-of-item'],
      errors: [{ path: 'body.choiceProducts.0.itemVariantId' }],
    });
    expect(await stack.database.query('select from choices')).toEqual([]);
  });

  it('is created once when the request is retried with its idempotency key', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    const first = await create({ idempotency });
    const again = await stack.choices.create({ viewerId: stack.taro, title: 'Other', choiceProducts: [], idempotency });
    expect(bodyOf('choices.create', again).choice).toEqual(first);
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(await stack.database.query('select from choices')).toHaveLength(1);
  });
});

describe('the choices of a user', () => {
  const insertChoices = (count: number): Promise<object[]> =>
    stack.database.query(
      `insert into choices (user_id, title, secret) select $1, 'n ' || n, n % 2 = 0 from generate_series(1, $2::int) n`,
      [stack.taro, count],
    );

  it('are at most 1,000, also when they are created concurrently', async () => {
    await insertChoices(limits.choicesPerUser - 3);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create()));
    const failures = outcomes.flatMap((it) => (it.status === 'rejected' ? [it.reason as unknown] : []));
    expect(failures).toEqual(
      Array.from({ length: 5 }, () => expect.objectContaining({ kind: problems['choice.too-many'] })),
    );
    expect(await stack.database.query('select from choices')).toHaveLength(limits.choicesPerUser);
  });

  it('do not count for other users, nor after they are deleted', async () => {
    await insertChoices(limits.choicesPerUser);
    await expect(create({ viewerId: stack.jiro })).resolves.toMatchObject({ title: 'Light things' });
    const [{ id }] = (await stack.database.query<{ id: number }>('select id from choices where user_id = $1 limit 1', [
      stack.taro,
    ])) as [{ id: number }];
    await expect(create()).rejects.toMatchObject({ kind: problems['choice.too-many'] });
    await stack.choices.delete({ viewerId: stack.taro, choiceId: id });
    await expect(create()).resolves.toMatchObject({ title: 'Light things' });
  });
});

describe('a changed choice', () => {
  it('retains fields and entries that are not in the request', async () => {
    const choice = await create({ description: 'things', secret: true, choiceProducts: products(1, 2) });
    expect(await update(choice.id)).toEqual(choice);
    expect(await update(choice.id, { title: 'Dark things' })).toEqual({ ...choice, title: 'Dark things' });
    expect(await update(choice.id, { description: null, secret: false })).toEqual({
      ...choice,
      title: 'Dark things',
      description: null,
      secret: false,
    });
    expect(await entriesOf(choice.id)).toEqual(in11(1, 2));
  });

  it('has exactly the entries of the request, in their order, or none', async () => {
    const { id } = await create({ choiceProducts: products(1, 2, 3) });
    expect((await update(id, { choiceProducts: products(4, 2, 4) })).productsCount).toBe(2);
    expect(await entriesOf(id)).toEqual(in11(4, 2));
    expect((await update(id, { choiceProducts: [] })).productsCount).toBe(0);
  });

  it('is unchanged when an entry is rejected', async () => {
    const { id } = await create({ choiceProducts: products(1) });
    await expect(update(id, { title: 'Other', choiceProducts: products(2, unknown) })).rejects.toMatchObject({
      errors: [{ path: 'body.choiceProducts.1.productId' }],
    });
    expect(await get(id)).toMatchObject({ title: 'Light things', productsCount: 1 });
  });
});

describe('products that are added and removed', () => {
  it('are inserted first, and do not move when they are added again', async () => {
    const { id } = await create({ choiceProducts: products(1, 2) });
    await add(id, 3);
    expect((await add(id, 4, 12)).productsCount).toBe(4);
    expect((await add(id, 2)).productsCount).toBe(4);
    expect(await entriesOf(id)).toEqual(['4 12', ...in11(3, 1, 2)]);
  });

  it('are removed in one variant, or in all of them', async () => {
    const choiceProducts = [
      ...products(1, 2),
      { productId: 1, itemVariantId: 12 },
      { productId: 1, itemVariantId: 13 },
    ];
    const { id } = await create({ choiceProducts });
    expect((await remove(id, 1, 12)).productsCount).toBe(3);
    expect((await remove(id, 1, 12)).productsCount).toBe(3);
    expect((await remove(id, 1)).productsCount).toBe(1);
    expect(await entriesOf(id)).toEqual(in11(2));
  });

  it('do not change the choice when the request names no product', async () => {
    const choice = await create({ choiceProducts: products(1) });
    expect(await add(choice.id)).toEqual(choice);
    expect(await add(choice.id, undefined, 12)).toEqual(choice);
    expect(await remove(choice.id)).toEqual(choice);
    expect(await remove(choice.id, undefined, representative)).toEqual(choice);
  });

  it('can be removed but not added when they are not visible', async () => {
    const { id } = await create({ choiceProducts: products(1) });
    await stack.others.publish(1, false);
    expect((await get(id)).productsCount).toBe(0);
    await remove(id, 1);
    expect(await entriesOf(id)).toEqual([]);
    await expect(add(id, 1)).rejects.toMatchObject({
      kind: problems['product.not-found'],
      errors: [{ path: 'body.productId' }],
    });
    await expect(add(id, 2, foreignVariant)).rejects.toMatchObject({ errors: [{ path: 'body.itemVariantId' }] });
  });

  it('are limited to 500 entries, also when they are added concurrently', async () => {
    const ids = Array.from({ length: limits.choiceProducts + 5 }, (_, n) => 1_000 + n);
    await stack.others.addProducts(ids, stack.jiro);
    const { id } = await create({ choiceProducts: products(...ids.slice(0, limits.choiceProducts - 2)) });
    const results = await Promise.allSettled(
      ids.slice(limits.choiceProducts - 2).map((productId) => add(id, productId)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ kind: problems['choice.full'] });
    expect(await entriesOf(id)).toHaveLength(limits.choiceProducts);
    // An existing entry does not count again
    expect((await add(id, ids[0])).productsCount).toBe(limits.choiceProducts);
  });

  it('are one entry when one pair is added 20 times concurrently', async () => {
    const { id } = await create();
    await Promise.all(Array.from({ length: 20 }, () => add(id, 1)));
    expect(await entriesOf(id)).toEqual(in11(1));
  });

  it('are added once when the request is retried with its idempotency key', async () => {
    const { id: choiceId } = await create();
    const request = {
      viewerId: stack.taro,
      choiceId,
      productId: 1,
      idempotency: { key: 'a', fingerprint: 'b'.repeat(64) },
    };
    const first = await stack.choices.add(request);
    await stack.choices.remove({ viewerId: stack.taro, choiceId, productId: 1 });
    expect((await stack.choices.add(request)).body).toEqual(first.body);
    expect(await entriesOf(choiceId)).toEqual([]);
  });
});

describe('a product that is moved to the top', () => {
  it('comes before the others in the variant of the request', async () => {
    const choiceProducts = [...products(1), { productId: 3, itemVariantId: 12 }, ...products(3, 4)];
    const { id } = await create({ choiceProducts });
    for (const variant of [11, 11, 13]) await moveFirst(id, 3, variant);
    expect(await entriesOf(id)).toEqual([...in11(3, 1), '3 12', ...in11(4)]);
  });

  it('comes before the others in all its variants, in their order, without a variant', async () => {
    const choiceProducts = [...products(1, 2), { productId: 3, itemVariantId: 12 }, ...products(3, 4)];
    const { id } = await create({ choiceProducts });
    expect((await moveFirst(id, 3)).productsCount).toBe(5);
    expect(await entriesOf(id)).toEqual(['3 12', '3 11', ...in11(1, 2, 4)]);
    for (const productId of [4, 4, 5]) await moveFirst(id, productId);
    expect(await entriesOf(id)).toEqual([...in11(4), '3 12', '3 11', ...in11(1, 2)]);
  });

  it('is in one order after concurrent moves', async () => {
    const { id } = await create({ choiceProducts: products(1, 2, 3, 4, 5) });
    await Promise.all([1, 2, 3, 4, 5, 5, 4, 3].map((productId) => moveFirst(id, productId)));
    expect((await entriesOf(id)).sort()).toEqual(in11(1, 2, 3, 4, 5));
  });
});

describe('the choice of another user', () => {
  it.each(['public', 'secret'] as const)('cannot be changed when it is %s', async (kind) => {
    const { id } = await create({ secret: kind === 'secret', choiceProducts: products(1) });
    const viewerId = stack.hanako;
    const rejection = kind === 'secret' ? notFound : notOwned;
    await expect(stack.choices.update({ viewerId, choiceId: id, title: 'Mine' })).rejects.toMatchObject(rejection);
    await expect(stack.choices.delete({ viewerId, choiceId: id })).rejects.toMatchObject(rejection);
    await expect(add(id, 2, undefined, viewerId)).rejects.toMatchObject(rejection);
    await expect(remove(id, 1, undefined, viewerId)).rejects.toMatchObject(rejection);
    await expect(moveFirst(id, 1, undefined, viewerId)).rejects.toMatchObject(rejection);
    await expect(add(id, undefined, undefined, viewerId)).rejects.toMatchObject(rejection);
    expect(await get(id)).toMatchObject({ title: 'Light things', productsCount: 1 });
  });
});

describe('a deleted choice', () => {
  it('returns 204 without a body, loses its entries, and is not found afterwards', async () => {
    const { id } = await create({ choiceProducts: products(1, 2) });
    const { status, body } = await stack.choices.delete({ viewerId: stack.taro, choiceId: id });
    expect([status, body.length]).toEqual([204, 0]);
    expect(await entriesOf(id)).toEqual([]);
    await expect(stack.choices.delete({ viewerId: stack.taro, choiceId: id })).rejects.toMatchObject(notFound);
    await expect(get(id)).rejects.toMatchObject(notFound);
    await expect(add(id, 1)).rejects.toMatchObject(notFound);
    await expect(stack.choiceQueries.products({ viewerId: stack.taro, choiceId: id, ...page })).rejects.toMatchObject(
      notFound,
    );
  });

  it('is deleted once by concurrent requests; concurrent changes succeed or get not-found', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ choiceProducts: products(1, 2, 3) });
      const deleteChoice = () => stack.choices.delete({ viewerId: stack.taro, choiceId: id });
      const writes = [
        add(id, 4),
        deleteChoice(),
        add(id, 5),
        remove(id, 1),
        deleteChoice(),
        update(id, { choiceProducts: products(5) }),
      ];
      const results = await Promise.allSettled(writes);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(notFound);
      expect([results[1], results[4]].filter((result) => result!.status === 'fulfilled')).toHaveLength(1);
    }
    expect(await stack.database.query('select from choices')).toEqual([]);
    expect(await stack.database.query('select from choice_products')).toEqual([]);
  });
});
