import { events, type EventName, type MaterialResponse } from '#contracts';
import type { z } from 'zod';
import {
  type CatalogStack,
  catalogStack,
  createMaterial,
  mug,
  shirt,
  wantedProduct,
} from '../testing/catalog-stack.js';

let stack: CatalogStack;

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());
beforeEach(() => stack.database.query('delete from outbox'));

type Wanted = Parameters<CatalogStack['materials']['update']>[0];
const create = () =>
  createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt), wantedProduct(mug, { published: false })] });
const update = (materialId: number, wanted: Omit<Wanted, 'viewerId' | 'materialId' | 'language'>) =>
  stack.materials.update({ viewerId: stack.hanako, materialId, language: 'en', ...wanted });

/**
 * Empties the outbox and returns its events of materials and products: name, revision, and the item
 * of a product.
 */
const takeEvents = async () => {
  const rows = await stack.database.query<{ name: EventName; payload: { revision: number; itemId?: number } }>(
    `select name, payload from outbox where name like 'material.%' or name like 'product.%' order by seq`,
  );
  await stack.database.query('delete from outbox');
  for (const { name, payload } of rows)
    expect((events[name].payload as z.ZodObject).strict().parse(payload)).toEqual(payload);
  return rows.map(({ name, payload: { revision, itemId } }) => [name, revision, ...(itemId ? [itemId] : [])]);
};
const publish = (itemId: number, published = true) => ({ products: [{ itemId, published }] });

it('each change of a material and of the visibility of its products has the next revision', async () => {
  const { material }: z.output<typeof MaterialResponse> = await create();
  expect(await takeEvents()).toEqual([
    ['material.created', 1],
    ['product.published', 1, shirt],
  ]);
  await update(material.id, { title: 'Tower' });
  await update(material.id, { title: 'Tower' });
  expect(await takeEvents()).toEqual([['material.updated', 2]]);
  await update(material.id, { products: [...publish(mug).products, ...publish(shirt, false).products] });
  expect(await takeEvents()).toEqual([
    ['material.updated', 3],
    ['product.published', 1, mug],
    ['product.unpublished', 2, shirt],
  ]);
  await stack.materials.violate(material.id, 'not hers');
  await update(material.id, publish(shirt));
  await stack.materials.clear(material.id, 'hers');
  expect(await takeEvents()).toEqual([
    ['material.updated', 4],
    ['product.unpublished', 2, mug],
    ['material.updated', 5],
    ['material.updated', 6],
    ['product.published', 3, shirt],
    ['product.published', 3, mug],
  ]);
  await update(material.id, publish(mug, false));
  await stack.materials.delete(stack.hanako, material.id);
  expect(await takeEvents()).toEqual([
    ['material.updated', 7],
    ['product.unpublished', 4, mug],
    ['material.deleted', 8],
    ['product.unpublished', 4, shirt],
  ]);
});

it('a product that is created with an update is published by it', async () => {
  const { material } = await createMaterial(stack, stack.hanako);
  await takeEvents();
  await update(material.id, publish(mug));
  expect(await takeEvents()).toEqual([
    ['material.updated', 2],
    ['product.published', 1, mug],
  ]);
});

it('concurrent changes have consecutive revisions', async () => {
  const { material } = await create();
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => update(material.id, { title: `Title ${n}`, ...publish(shirt, n % 2 === 0) })),
  );
  const all = await takeEvents();
  const revisionsOf = (prefix: string) =>
    all.filter(([name]) => String(name).startsWith(prefix)).map(([, revision]) => Number(revision));
  const ascending = (values: number[]) => values.sort((a, b) => a - b);
  expect(ascending(revisionsOf('material.'))).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  const ofProduct = ascending(revisionsOf('product.'));
  expect(ofProduct).toEqual(ofProduct.map((_, n) => n + 1));
});
