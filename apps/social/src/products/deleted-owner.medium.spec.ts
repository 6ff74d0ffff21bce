import { bodyOf, socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;
const page = { limit: 2, offset: 0 };

/**
 * Taro owns products 1 to 3, has the two newest choices and the latest favorite on product 11; jiro
 * owns products 10 to 12.
 */
beforeAll(async () => {
  stack = await socialStack();
  await stack.others.addProducts([1, 2, 3], stack.taro);
  await stack.others.addProducts([10, 11, 12], stack.jiro);
  const placeFavorite = (viewerId: number, productId: number) =>
    stack.favorites.create({ viewerId, productId, anonymous: false, count: 1 });
  for (const productId of [10, 11, 12, 1, 2, 3]) await placeFavorite(stack.hanako, productId);
  await placeFavorite(stack.jiro, 11);
  await placeFavorite(stack.taro, 11);
  const choose = (viewerId: number, ...productIds: number[]) => {
    const choiceProducts = productIds.map((productId) => ({ productId }));
    return stack.choices.create({ viewerId, title: 'Light things', secret: false, choiceProducts });
  };
  await choose(stack.hanako, 1, 2, 3, 10, 11);
  await choose(stack.jiro, 1, 10);
  await choose(stack.taro, 1);
  await choose(stack.taro, 2);
  // The stack's session fires no triggers, see `connectAsOwner`
  await stack.others.owner.query('set session_replication_role = origin');
  await stack.others.owner.query('delete from accounts.users where id = $1', [stack.taro]);
});
afterAll(() => stack.close());

describe('before the event of a deleted user is consumed', () => {
  it('the list of choices contains none of the user and counts no product of the user', async () => {
    const { choices, meta } = bodyOf(
      'choices.list',
      await stack.choiceQueries.list({ viewerId: stack.hanako, ...page }),
    );
    expect(choices.map(({ user, productsCount }) => [user.id, productsCount])).toEqual([
      [stack.jiro, 1],
      [stack.hanako, 2],
    ]);
    expect(meta.hasNext).toBe(false);
  });

  it('the products of a choice contain none of the user', async () => {
    const [choice] = await stack.database.query<{ id: number }>('select min(id) as id from choices');
    const reply = await stack.choiceQueries.products({ viewerId: stack.hanako, choiceId: choice!.id, ...page });
    const { products, meta } = bodyOf('choices.products', reply);
    expect(products.map(({ id }) => id)).toEqual([10, 11]);
    expect(meta.hasNext).toBe(false);
  });

  it('the favorites of a product contain none of the user', async () => {
    const request = { viewerId: stack.hanako, productId: 11, itemId: undefined, ...page };
    const { favorites, meta } = bodyOf('favorites.of-product', await stack.favoriteQueries.ofProduct(request));
    expect(favorites.map(({ user }) => user.id)).toEqual([stack.jiro, stack.hanako]);
    expect(meta.hasNext).toBe(false);
  });

  it('the favorites of another user contain no product of the user, and new favorites of these products are rejected', async () => {
    const request = { viewerId: stack.hanako, userId: stack.hanako, ...page };
    const { favorites, meta } = bodyOf('favorites.of-user', await stack.favoriteQueries.ofUser(request));
    expect(favorites.map(({ product }) => product.id)).toEqual([12, 11]);
    expect(meta.hasNext).toBe(true);
    const favorite = { viewerId: stack.jiro, productId: 1, anonymous: false, count: 1 };
    await expect(stack.favorites.create(favorite)).rejects.toThrow();
  });
});
