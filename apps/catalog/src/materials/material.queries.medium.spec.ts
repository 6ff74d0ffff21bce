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

describe('MaterialQueries.list', () => {
  it('returns all materials of the viewer, newest first, with and without the user id', async () => {
    const own = [...ids].reverse();
    expect(await list(stack.hanako)).toEqual({ ids: own, hasNext: false });
    expect(await list(stack.hanako, { userId: stack.hanako })).toEqual({ ids: own, hasNext: false });
  });

  it('returns only materials of another user that have a published product and no violation', async () => {
    expect(await list(stack.taro, { userId: stack.hanako })).toEqual({ ids: [ids[0]], hasNext: false });
    expect(await list(stack.taro, { userId: 999_999 })).toEqual({ ids: [], hasNext: false });
  });

  it('sets hasNext exactly, also for equal creation times', async () => {
    await stack.database.query('update materials set created_at = now() where user_id = $1', [stack.hanako]);
    const own = [...ids].reverse();
    expect(await list(stack.hanako, { limit: 3 })).toEqual({ ids: own.slice(0, 3), hasNext: true });
    expect(await list(stack.hanako, { limit: 3, offset: 1 })).toEqual({ ids: own.slice(1), hasNext: false });
    expect(await list(stack.hanako, { limit: 4 })).toEqual({ ids: own, hasNext: false });
  });

  it('returns the offset of the next page', async () => {
    const page = { viewerId: stack.hanako, userId: undefined, limit: 1, offset: 2 };
    expect((await stack.materialQueries.list(page)).headers).toMatchObject({ [nextOffsetHeader]: '3' });
  });

  it('rejects a limit or offset that is not a non-negative integer', async () => {
    await expect(list(stack.hanako, { limit: -5 })).rejects.toThrow(RangeError);
    await expect(list(stack.hanako, { offset: '0; drop table products' as unknown as number })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('MaterialQueries.find', () => {
  const find = async (userName: string, limit = 50, offset = 0) => {
    const { materials, nextOffset } = await stack.materialQueries.find({ userName, limit, offset });
    return [materials.map(({ id, violation }) => [id, violation]), nextOffset];
  };

  it('returns all materials of a user, newest first, in pages', async () => {
    const own = ids.map((id, place) => [id, place === 3]).reverse();
    expect(await find('HANAKO-1')).toEqual([own, null]);
    expect(await find('Hanako-1', 3)).toEqual([own.slice(0, 3), 3]);
    expect(await find('Hanako-1', 3, 3)).toEqual([own.slice(3), null]);
  });

  it('rejects an unknown user and the built-in one', async () => {
    for (const name of ['unknown', 'anonymous'])
      await expect(find(name)).rejects.toMatchObject({ kind: problems['user.not-found'] });
  });
});

describe('ProductQueries.ofMaterial', () => {
  const get = async (viewerId: number, id: number) =>
    MaterialResponse.strict().parse(JSON.parse(String(await stack.products.ofMaterial(viewerId, id))));
  const itemsOf = async (viewerId: number, id: number) => (await get(viewerId, id)).products.map(({ item }) => item.id);

  it('returns all products to the owner in every state', async () => {
    expect(await itemsOf(stack.hanako, ids[0]!)).toEqual([shirt, mug]);
    expect(await itemsOf(stack.hanako, ids[1]!)).toEqual([mug]);
    expect(await itemsOf(stack.hanako, ids[2]!)).toEqual([]);
    expect((await get(stack.hanako, ids[3]!)).material.violation).toBe(true);
  });

  it('returns only published products to other users', async () => {
    const reply = await stack.materials.create(
      wantedMaterial(stack.hanako, { products: [wantedProduct(shirt, { published: false }), wantedProduct(mug)] }),
    );
    const { id } = MaterialResponse.parse(bodyOf(reply)).material;
    expect(await itemsOf(stack.hanako, id)).toEqual([shirt, mug]);
    expect(await itemsOf(stack.taro, id)).toEqual([mug]);
    await stack.materials.delete(stack.hanako, id);
  });

  it('rejects an unknown material, and for other users an unpublished or violating one', async () => {
    const notFound = { kind: problems['material.not-found'] };
    for (const id of [ids[1]!, ids[2]!, ids[3]!, 999_999_999])
      await expect(get(stack.taro, id)).rejects.toMatchObject(notFound);
    await expect(get(stack.hanako, 999_999_999)).rejects.toMatchObject(notFound);
  });
});

describe('ImageSourceQueries', () => {
  it('returns every product of the material with the variants and angles of its item', async () => {
    const source = await stack.images.imageSourceOf(ids[0]!);
    expect(ImageSource.strict().parse(source)).toEqual(source);
    expect(source.filePath).toMatch(new RegExp(`^${ids[0]}/\\d+-640x480\\.png$`));
    expect(source.products.map(({ itemName }) => itemName)).toEqual(['t-shirt', 'mug']);
    const [product] = source.products;
    expect(product).toMatchObject({ resizeMode: 'contain', prints: [], defaultPrintPlace: 'front' });
    expect(new Set(product!.colors.map(({ name }) => name)).size).toBe(product!.colors.length);
    expect(new Set(product!.sizes).size).toBe(product!.sizes.length);
    expect(product!.colors.map(({ name }) => name)).toContain(product!.sample.color);
    expect(product!.sizes).toContain(product!.sample.size);
    expect(product!.sample.angle).toBe(product!.essentialAngles[0]);
  });

  it('returns the product of a given item, and none if the item has no product', async () => {
    expect((await stack.images.imageSourceOf(ids[0]!, 'mug')).products.map(({ itemName }) => itemName)).toEqual([
      'mug',
    ]);
    expect((await stack.images.imageSourceOf(ids[0]!, 'note')).products).toEqual([]);
    expect((await stack.images.imageSourceOf(ids[2]!)).products).toEqual([]);
  });

  it('has the layers and a later revision for a version that another process has imported', async () => {
    const mugOf = async () => (await stack.images.imageSourceOf(ids[0]!, 'mug')).products[0]!;
    const before = await mugOf();
    expect(before.layers).toBeNull();
    const layers = 'a'.repeat(64);
    const importMug = `update items set version = 3, bundle_hash = 'any', layers = '${layers}' where name = 'mug'`;
    await stack.database.query(importMug);
    expect(await mugOf()).toMatchObject({ layers, revision: before.revision + 2 });
    await stack.database.query(`update items set version = 0, bundle_hash = null, layers = null where name = 'mug'`);
    stack.catalog.invalidate();
  });

  it('contains the print places in CMYK, of which soft proofs have other colors', async () => {
    const [sticker, badge] = [11, 17];
    const products = [wantedProduct(shirt), wantedProduct(sticker), wantedProduct(badge)];
    const reply = await stack.materials.create(wantedMaterial(stack.hanako, { products }));
    const { id } = MaterialResponse.parse(bodyOf(reply)).material;
    const source = await stack.images.imageSourceOf(id);
    expect(source.products.map(({ itemName, cmykPlaces }) => [itemName, cmykPlaces])).toEqual([
      ['t-shirt', []],
      ['sticker', ['front']],
      ['can-badge', ['front']],
    ]);
    await stack.materials.delete(stack.hanako, id);
  });

  it('includes unpublished products, and rejects a material with a violation', async () => {
    expect((await stack.images.imageSourceOf(ids[1]!)).products.map(({ published }) => published)).toEqual([false]);
    await expect(stack.images.imageSourceOf(ids[3]!)).rejects.toMatchObject({ kind: problems['material.not-found'] });
    await expect(stack.images.imageSourceOf(999_999_999)).rejects.toMatchObject({
      kind: problems['material.not-found'],
    });
  });
});
