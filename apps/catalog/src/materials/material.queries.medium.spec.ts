import {
  MaterialListResponse,
  MaterialResponse,
  nextOffsetHeader,
  type PayloadOf,
  ImageSource,
  problems,
  type Services,
} from '#contracts';
import { bodyOf, catalogStack, type CatalogStack, wantedMaterial, wantedProduct } from '../testing/catalog-stack.js';

let stack: CatalogStack;
const shirt = 1;
const mug = 3;
/** Ids of hanako's materials, oldest first: published, unpublished, without products, violating. */
let ids: number[];

const list = async (viewerId: number, more: Partial<PayloadOf<Services['catalog'], 'materials.list'>> = {}) => {
  const reply = await stack.materialQueries.list({ viewerId, userId: undefined, limit: 50, offset: 0, ...more });
  const { materials, meta } = MaterialListResponse.strict().parse(bodyOf(reply));
  expect(nextOffsetHeader in reply.headers).toBe(meta.hasNext);
  return { ids: materials.map(({ id }) => id), hasNext: meta.hasNext };
};

beforeAll(async () => {
  stack = await catalogStack();
  ids = [];
  for (const products of [
    [wantedProduct(shirt), wantedProduct(mug)],
    [wantedProduct(mug, { published: false })],
    [],
    [wantedProduct(shirt)],
  ]) {
    const reply = await stack.materials.create(wantedMaterial(stack.hanako, { products }));
    ids.push((bodyOf(reply) as { material: { id: number } }).material.id);
  }
  await stack.database.query('update materials set violation = true where id = $1', [ids[3]]);
  await stack.materials.create(wantedMaterial(stack.taro, { products: [wantedProduct(shirt)] }));
});
afterAll(() => stack.close());

describe('the list of materials', () => {
  it('has all of the viewer, newest first, with and without his id', async () => {
    const own = [...ids].reverse();
    expect(await list(stack.hanako)).toEqual({ ids: own, hasNext: false });
    expect(await list(stack.hanako, { userId: stack.hanako })).toEqual({ ids: own, hasNext: false });
  });

  it('has what somebody else shows: one published product at least and no violation', async () => {
    expect(await list(stack.taro, { userId: stack.hanako })).toEqual({ ids: [ids[0]], hasNext: false });
    expect(await list(stack.taro, { userId: 999_999 })).toEqual({ ids: [], hasNext: false });
  });

  it('says exactly whether there is more, also when all were made in the same instant', async () => {
    await stack.database.query('update materials set created_at = now() where user_id = $1', [stack.hanako]);
    const own = [...ids].reverse();
    expect(await list(stack.hanako, { limit: 3 })).toEqual({ ids: own.slice(0, 3), hasNext: true });
    expect(await list(stack.hanako, { limit: 3, offset: 1 })).toEqual({ ids: own.slice(1), hasNext: false });
    expect(await list(stack.hanako, { limit: 4 })).toEqual({ ids: own, hasNext: false });
  });

  it('says where the next page begins', async () => {
    const page = { viewerId: stack.hanako, userId: undefined, limit: 1, offset: 2 };
    expect((await stack.materialQueries.list(page)).headers).toEqual({ [nextOffsetHeader]: '3' });
  });

  it('refuses a limit that is no whole number, whatever sent it', async () => {
    await expect(list(stack.hanako, { limit: -5 })).rejects.toThrow(RangeError);
    await expect(list(stack.hanako, { offset: '0; drop table products' as unknown as number })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('one material', () => {
  const get = async (viewerId: number, id: number) =>
    MaterialResponse.strict().parse(JSON.parse(String(await stack.products.ofMaterial(viewerId, id))));
  const itemsOf = async (viewerId: number, id: number) => (await get(viewerId, id)).products.map(({ item }) => item.id);

  it('comes with all products to its owner, whatever state it is in', async () => {
    expect(await itemsOf(stack.hanako, ids[0]!)).toEqual([shirt, mug]);
    expect(await itemsOf(stack.hanako, ids[1]!)).toEqual([mug]);
    expect(await itemsOf(stack.hanako, ids[2]!)).toEqual([]);
    expect((await get(stack.hanako, ids[3]!)).material.violation).toBe(true);
  });

  it('comes to others with what is published of it', async () => {
    const reply = await stack.materials.create(
      wantedMaterial(stack.hanako, { products: [wantedProduct(shirt, { published: false }), wantedProduct(mug)] }),
    );
    const { id } = MaterialResponse.parse(bodyOf(reply)).material;
    expect(await itemsOf(stack.hanako, id)).toEqual([shirt, mug]);
    expect(await itemsOf(stack.taro, id)).toEqual([mug]);
    await stack.materials.delete(stack.hanako, id);
  });

  it('is not found when it is unknown, and by others when nothing is published or it violates the rules', async () => {
    const notFound = { kind: problems['material.not-found'] };
    for (const id of [ids[1]!, ids[2]!, ids[3]!, 999_999_999])
      await expect(get(stack.taro, id)).rejects.toMatchObject(notFound);
    await expect(get(stack.hanako, 999_999_999)).rejects.toMatchObject(notFound);
  });
});

describe('what a renderer is told', () => {
  it('is every product of the material with the looks of its item', async () => {
    const source = await stack.images.of(ids[0]!);
    expect(ImageSource.strict().parse(source)).toEqual(source);
    expect(source.filePath).toMatch(new RegExp(`^${ids[0]}/\\d+-640x480\\.png$`));
    expect(source.products.map(({ itemName }) => itemName)).toEqual(['t-shirt', 'mug']);
    const [of] = source.products;
    expect(of).toMatchObject({ resizeMode: 'contain', prints: [], defaultPrintPlace: 'front' });
    expect(new Set(of!.colors.map(({ name }) => name)).size).toBe(of!.colors.length);
    expect(new Set(of!.sizes).size).toBe(of!.sizes.length);
    expect(of!.colors.map(({ name }) => name)).toContain(of!.sample.color);
    expect(of!.sizes).toContain(of!.sample.size);
    expect(of!.sample.angle).toBe(of!.essentialAngles[0]);
  });

  it('is one product when an item is named, and none of an item that has no product', async () => {
    expect((await stack.images.of(ids[0]!, 'mug')).products.map(({ itemName }) => itemName)).toEqual(['mug']);
    expect((await stack.images.of(ids[0]!, 'note')).products).toEqual([]);
    expect((await stack.images.of(ids[2]!)).products).toEqual([]);
  });

  it('has unpublished products, and nothing of a material that violates the rules', async () => {
    expect((await stack.images.of(ids[1]!)).products.map(({ published }) => published)).toEqual([false]);
    await expect(stack.images.of(ids[3]!)).rejects.toMatchObject({ kind: problems['material.not-found'] });
    await expect(stack.images.of(999_999_999)).rejects.toMatchObject({ kind: problems['material.not-found'] });
  });
});
