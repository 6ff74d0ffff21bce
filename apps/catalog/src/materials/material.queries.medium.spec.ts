import { MaterialListResponse, type PayloadOf, PictureSource, problems, type Services } from '#contracts';
import { catalogStack, type CatalogStack, wantedMaterial, wantedProduct } from '../testing/catalog-stack.js';

let stack: CatalogStack;
const shirt = 1;
const mug = 3;
/** Ids of hanako's materials, oldest first: published, unpublished, without products, violating. */
let ids: number[];

const list = async (viewerId: number, more: Partial<PayloadOf<Services['catalog'], 'materials.list'>> = {}) => {
  const json = await stack.materialQueries.list({ viewerId, userId: undefined, limit: 50, offset: 0, ...more });
  const { materials, meta } = MaterialListResponse.strict().parse(JSON.parse(json));
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
    const json = await stack.materials.create(wantedMaterial(stack.hanako, { products }));
    ids.push((JSON.parse(json) as { material: { id: number } }).material.id);
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

  it('refuses a limit that is no whole number, whatever sent it', async () => {
    await expect(list(stack.hanako, { limit: -5 })).rejects.toThrow(RangeError);
    await expect(list(stack.hanako, { offset: '0; drop table products' as unknown as number })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('what a renderer is told', () => {
  it('is every product of the material with the looks of its item', async () => {
    const source = await stack.pictures.of(ids[0]!);
    expect(PictureSource.strict().parse(source)).toEqual(source);
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
    expect((await stack.pictures.of(ids[0]!, 'mug')).products.map(({ itemName }) => itemName)).toEqual(['mug']);
    expect((await stack.pictures.of(ids[0]!, 'note')).products).toEqual([]);
    expect((await stack.pictures.of(ids[2]!)).products).toEqual([]);
  });

  it('has unpublished products, and nothing of a material that violates the rules', async () => {
    expect((await stack.pictures.of(ids[1]!)).products).toHaveLength(1);
    await expect(stack.pictures.of(ids[3]!)).rejects.toMatchObject({ kind: problems['material.not-found'] });
    await expect(stack.pictures.of(999_999_999)).rejects.toMatchObject({ kind: problems['material.not-found'] });
  });
});
