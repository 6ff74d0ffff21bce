import { jest } from '@jest/globals';
import pg from 'pg';
import { settings } from '../../testing/catalog-fixture.js';
import {
  catalogStack,
  type CatalogStack,
  createMaterial,
  createProductQueries,
  shirt,
  wantedProduct,
} from '../../testing/catalog-stack.js';
import { CacheValidator } from './cache-validator.queries.js';
import { ReplyValidationService } from './reply-validation.service.js';
import { ReplyValidity } from './reply-validity.rules.js';

let stack: CatalogStack;
let service: ReplyValidationService;

const anotherService = (validity = new ReplyValidity(settings)): ReplyValidationService => {
  const { database, catalog, saleCache } = stack;
  return new ReplyValidationService(new CacheValidator(database), catalog, saleCache, validity);
};
const page = { limit: 20, offset: 0, itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };
const validityOfList = async (): Promise<string> =>
  (await stack.products.list({ viewerId: stack.jiro, ...page })).headers['validity']!;
const validate = async (validity: string, ...viewerIds: (number | null)[]): Promise<boolean[]> =>
  service.validate(viewerIds.map((viewerId) => ({ validity, viewerId })));

beforeAll(async () => {
  stack = await catalogStack();
  service = anotherService();
  await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
});
afterAll(() => stack.close());

describe('a cached list', () => {
  it('is valid for viewers without drafts, also of another replica, until a commit', async () => {
    const validity = await validityOfList();
    expect(await validate(validity, stack.jiro, stack.hanako, null, 0)).toEqual([true, true, true, true]);
    const replica = createProductQueries(stack);
    expect((await replica.list({ viewerId: stack.jiro, ...page })).headers['validity']).toBe(validity);
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt, { published: false })] });
    expect(await validate(validity, stack.jiro)).toEqual([false]);
    expect(await validate(await validityOfList(), stack.jiro, stack.hanako)).toEqual([true, false]);
  });

  it('has no validity for a viewer with drafts', async () => {
    const { headers } = await stack.products.list({ viewerId: stack.hanako, ...page });
    expect(headers['validity']).toBeUndefined();
  });

  it('is not valid with other settings, or after the start of a sale', async () => {
    const validity = await validityOfList();
    const reply = { validity, viewerId: stack.jiro };
    const others = new ReplyValidity(Object.assign({}, settings, { baseUrl: 'https://other.example' }));
    expect(await anotherService(others).validate([reply])).toEqual([false]);
    const target = { kind: 'item', itemId: shirt } as const;
    await stack.sales.create({ name: 'Autumn', target, discount: { kind: 'percent', percent: 10 } } as never);
    expect(await validate(validity, stack.jiro)).toEqual([false]);
    expect(await validate(await validityOfList(), stack.jiro)).toEqual([true]);
  });
});

it('a cached product is valid for every viewer until a commit, and a draft has no validity', async () => {
  const products = [wantedProduct(shirt)];
  const made = await createMaterial(stack, stack.taro, { products });
  const id = made.products[0]!.id;
  const validity = (await stack.products.get(stack.jiro, id)).headers['validity']!;
  expect(await validate(validity, stack.jiro, stack.hanako, stack.taro)).toEqual([true, true, true]);
  const hidden = [wantedProduct(shirt, { published: false })];
  await stack.materials.update({
    viewerId: stack.taro,
    materialId: made.material.id,
    language: 'en',
    products: hidden,
  } as never);
  expect(await validate(validity, stack.jiro, stack.taro)).toEqual([false, false]);
  expect((await stack.products.get(stack.taro, id)).headers['validity']).toBeUndefined();
});

it('a cached product stays valid when others change, and not when its own price, title or visibility does', async () => {
  const made = await createMaterial(stack, stack.taro, { products: [wantedProduct(shirt)] });
  const id = made.products[0]!.id;
  const current = async () => (await stack.products.get(stack.jiro, id)).headers['validity']!;
  const before = await current();
  await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
  expect(await validate(before, stack.jiro)).toEqual([true]);
  const change = (more: object) =>
    stack.materials.update({ viewerId: stack.taro, materialId: made.material.id, language: 'en', ...more } as never);
  for (const make of [
    () => change({ price: 777 }),
    () => change({ title: 'Another' }),
    () => change({ products: [wantedProduct(shirt, { published: false })] }),
  ]) {
    const validity = await current();
    await make();
    expect(await validate(validity, stack.jiro)).toEqual([false]);
  }
  expect(await validate(before, stack.jiro)).toEqual([false]);
});

it('a cached product is not valid any more when its user is renamed', async () => {
  const made = await createMaterial(stack, stack.taro, { products: [wantedProduct(shirt)] });
  const validity = (await stack.products.get(stack.jiro, made.products[0]!.id)).headers['validity']!;
  const owner = new pg.Client(stack.ownerUrl);
  await owner.connect();
  await owner.query(`update accounts.users set display_name = 'Taro' where id = $1`, [stack.taro]);
  await owner.end();
  expect(await validate(validity, stack.jiro)).toEqual([false]);
});

it('a cached list of materials is valid for its viewer only, until a commit', async () => {
  const listOf = (viewerId: number) => stack.materialQueries.list({ viewerId, limit: 20, offset: 0 });
  const validity = (await listOf(stack.hanako)).headers['validity']!;
  expect(await validate(validity, stack.hanako, stack.jiro, null)).toEqual([true, false, false]);
  await createMaterial(stack, stack.hanako);
  expect(await validate(validity, stack.hanako)).toEqual([false]);
  expect((await listOf(stack.jiro)).headers['validity']).toBeUndefined();
});

it('no reply has an unknown validity', async () => {
  for (const unknown of ['items x', 'constructor', '', 'viewer 1', 'any  x x x', 'product 1', 'product x y z'])
    expect(await validate(unknown, 1)).toEqual([false]);
});

it('cached items are valid until they change, without a statement', async () => {
  const validity = new ReplyValidity(settings).ofItems(await stack.catalog.current());
  const read = jest.spyOn(stack.database, 'read');
  expect(await validate(validity, 1, null)).toEqual([true, true]);
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  await stack.database.query(`update items set display_order = display_order + 1`);
  stack.catalog.invalidate();
  expect(await validate(validity, 1)).toEqual([false]);
});
