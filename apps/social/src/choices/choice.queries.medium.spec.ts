import { ChoiceListResponse, problems } from '#contracts';
import { DomainError } from '#kernel';
import { bodyOf, representative, socialStack, type SocialStack } from '../testing/social-stack.js';
import { pageOfChoices } from './choice-page.queries.js';

type ListRequest = Parameters<SocialStack['choiceQueries']['list']>[0];

let stack: SocialStack;
const page = { limit: 20, offset: 0 };

beforeAll(async () => {
  stack = await socialStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.empty();
  await stack.others.addProducts([1, 2, 3, 4], stack.jiro);
});

const create = async (viewerId: number, secret = false, ...productIds: number[]) => {
  const choiceProducts = productIds.map((productId) => ({ productId }));
  const reply = await stack.choices.create({ viewerId, title: 'Light things', secret, choiceProducts });
  return bodyOf('choices.create', reply).choice.id;
};
const list = (viewerId: number, more: Partial<ListRequest> = {}) =>
  stack.choiceQueries.list({ viewerId, ...page, ...more });
const idsOf = async (...request: Parameters<typeof list>) =>
  bodyOf('choices.list', await list(...request)).choices.map(({ id }) => id);
const products = (choiceId: number, more: Partial<ListRequest> = {}) =>
  stack.choiceQueries.products({ viewerId: stack.taro, choiceId, ...page, ...more });
const visibleIn = async (...request: Parameters<typeof products>) =>
  bodyOf('choices.products', await products(...request)).products.map(({ id }) => id);
const nextOffset = ({ headers }: { headers: object }) => (headers as Record<string, string>)['x-next-offset'];

describe('the list of choices', () => {
  it('contains all public choices and the viewer’s own secret ones, newest first', async () => {
    const [a, b, c] = [await create(stack.taro), await create(stack.hanako), await create(stack.taro, true)];
    expect(await idsOf(stack.taro)).toEqual([c, b, a]);
    expect(await idsOf(stack.hanako)).toEqual([b, a]);
    const response = bodyOf('choices.list', await list(stack.taro));
    expect(ChoiceListResponse.strict().parse(response)).toEqual(response);
    expect(response.choices[1]!.user.name).toBe('Hanako-1');
  });

  it('is filtered by owner: by id, by exact name, by both together', async () => {
    const [a, b, c] = [await create(stack.taro), await create(stack.hanako), await create(stack.hanako, true)];
    expect(await idsOf(stack.taro, { userId: stack.hanako })).toEqual([b]);
    expect(await idsOf(stack.hanako, { userId: stack.hanako })).toEqual([c, b]);
    expect(await idsOf(stack.hanako, { userName: 'Hanako-1' })).toEqual([c, b]);
    expect(await idsOf(stack.hanako, { userName: 'taro' })).toEqual([a]);
    expect(await idsOf(stack.taro, { userName: 'hanako-1' })).toEqual([]);
    expect(await idsOf(stack.hanako, { userName: 'Hanako-1', userId: stack.hanako })).toEqual([c, b]);
    expect(await idsOf(stack.hanako, { userName: 'taro', userId: stack.hanako })).toEqual([]);
    expect(await idsOf(stack.taro, { userId: 999 })).toEqual([]);
  });

  it('has pages without gaps or repetitions across ties, and an exact hasNext', async () => {
    await stack.database.query(
      `insert into choices (user_id, title, secret)
       select case when n % 2 = 0 then $1::bigint else $2::bigint end, 'Tie', n % 3 = 0 from generate_series(1, 12) as n`,
      [stack.taro, stack.hanako],
    );
    const all = await idsOf(stack.taro);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    expect(all).toHaveLength(10);
    for (const limit of [1, 3, 9, 10]) {
      const seen: number[] = [];
      for (let offset = 0; offset < all.length; offset += limit) {
        const reply = await list(stack.taro, { limit, offset });
        const { choices, meta } = bodyOf('choices.list', reply);
        seen.push(...choices.map(({ id }) => id));
        expect(meta.hasNext).toBe(offset + limit < all.length);
        expect(nextOffset(reply)).toBe(meta.hasNext ? String(offset + limit) : undefined);
      }
      expect(seen).toEqual(all);
    }
    expect(await idsOf(stack.taro, { offset: 999_999_999 })).toEqual([]);
  });

  it('uses an index in the order of the list for each filter', async () => {
    const filters: [string, Partial<ListRequest>][] = [
      ['choices_public', {}],
      ['choices_secret_of_user', {}],
      ['choices_public_of_user', { userId: stack.hanako }],
      ['choices_public_of_user', { userName: 'taro' }],
      ['choices_secret_of_user', { userName: 'taro' }],
    ];
    for (const [index, more] of filters) {
      const { sql, parameters } = pageOfChoices({ viewerId: stack.taro, ...page, ...more });
      const plan = await stack.database.transaction(async (tx) => {
        // PostgreSQL would scan and sort a table of a few rows
        for (const method of ['seqscan', 'bitmapscan', 'sort']) await tx.query(`set local enable_${method} = off`);
        return JSON.stringify(await tx.query(`explain (format json) ${sql}`, [...parameters]));
      });
      expect({ index, plan }).toEqual({ index, plan: expect.stringContaining(`"Index Name":"${index}"`) });
      expect(plan).not.toContain('"Node Type":"Sort"');
    }
  });
});

describe('one choice', () => {
  it('counts the entries whose products the viewer may see', async () => {
    const id = await create(stack.taro, false, 1, 2, 3, 4);
    await stack.others.publish(2, false);
    await stack.others.deleteProducts([3]);
    const count = async (viewerId: number) =>
      bodyOf('choices.get', await stack.choiceQueries.get(viewerId, id)).choice.productsCount;
    expect(await count(stack.taro)).toBe(2);
    expect(await count(stack.jiro)).toBe(3);
    expect(bodyOf('choices.list', await list(stack.jiro)).choices[0]!.productsCount).toBe(3);
  });

  it('is not found when it is unknown or another user’s secret choice', async () => {
    const id = await create(stack.taro, true, 1);
    const notFound = { kind: problems['choice.not-found'] };
    for (const choiceId of [id, 999, Number.MAX_SAFE_INTEGER]) {
      await expect(stack.choiceQueries.get(stack.hanako, choiceId)).rejects.toMatchObject(notFound);
      await expect(products(choiceId, { viewerId: stack.hanako })).rejects.toMatchObject(notFound);
    }
    expect(await visibleIn(id)).toEqual([1]);
  });
});

describe('the products of a choice', () => {
  it('are in the order of the choice, each in its variant, with the product added last first', async () => {
    const choiceId = await create(stack.taro, false, 3, 1);
    await stack.choices.add({ viewerId: stack.taro, choiceId, productId: 2, itemVariantId: 12 });
    const reply = await products(choiceId);
    expect(JSON.parse(reply.body.toString())).toEqual({
      products: [
        { id: 2, sampleItemVariant: { id: 12 } },
        { id: 3, sampleItemVariant: { id: representative } },
        { id: 1, sampleItemVariant: { id: representative } },
      ],
      meta: { hasNext: false },
    });
    expect([reply.status, nextOffset(reply)]).toEqual([200, undefined]);
  });

  it('have full pages of the products the viewer may see, and an exact hasNext', async () => {
    const choiceId = await create(stack.taro, false, 1, 2, 3, 4);
    await stack.others.publish(2, false);
    await stack.others.deleteProducts([4]);
    const first = await products(choiceId, { limit: 1 });
    expect(bodyOf('choices.products', first)).toMatchObject({ products: [{ id: 1 }], meta: { hasNext: true } });
    expect(nextOffset(first)).toBe('1');
    const second = await products(choiceId, { limit: 1, offset: 1 });
    expect(bodyOf('choices.products', second)).toMatchObject({ products: [{ id: 3 }], meta: { hasNext: false } });
    expect(nextOffset(second)).toBeUndefined();
    expect(await visibleIn(choiceId, { viewerId: stack.jiro })).toEqual([1, 2, 3]);
  });

  it('are returned without a call to the catalog when there are none', async () => {
    const choiceId = await create(stack.taro);
    const reply = await products(choiceId);
    expect(JSON.parse(reply.body.toString())).toEqual({ products: [], meta: { hasNext: false } });
    expect(await visibleIn(choiceId, { offset: 999_999_999 })).toEqual([]);
    expect(stack.catalog.pages).toEqual([]);
  });

  it('are rejected with the error of the catalog', async () => {
    const choiceId = await create(stack.taro, false, 1);
    const down = new DomainError(problems['service.overloaded'], 'Retry later.', undefined, { 'retry-after': '1' });
    stack.catalog.beforePage = () => Promise.reject(down);
    await expect(products(choiceId)).rejects.toMatchObject({
      kind: problems['service.overloaded'],
      headers: { 'retry-after': '1' },
    });
  });
});
