import { MaterialWriteResponse, problems, type PlacementInput } from '#contracts';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  mug,
  outbox,
  shirt,
  type WantedMaterial,
  wantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';

let stack: CatalogStack;

// The image of every material has 640 x 480 pixels
const half: PlacementInput = { scale: 0.5, x: 0.25 };
const shown = { scale: 0.5, x: 0.25, y: 0, rotation: 0, repeat: 'none', spacing: 0 };
/** 300 x 225 mm as fitted into 300 x 400 mm, at half the size, to the right. */
const placed = { matrix: [150, 0, 0, 112.5, 150, 143.75], repeat: 'none', period: { x: 1, y: 1 } };
const grid = { scale: 0.2, repeat: 'grid', spacing: 6 } as const;

const create = async (products: WantedMaterial['products']) =>
  MaterialWriteResponse.parse(bodyOf(await stack.materials.create(wantedMaterial(stack.hanako, { products }))));
const update = async (materialId: number, products: Parameters<CatalogStack['materials']['update']>[0]['products']) =>
  MaterialWriteResponse.parse(
    JSON.parse(String(await stack.materials.update({ viewerId: stack.hanako, materialId, language: 'en', products }))),
  );
const sub = (more: object = {}) => ({
  texture: { kind: 'url' as const, url: 'https://example.com/back.png' },
  printSide: 'back',
  enabled: true,
  ...more,
});
const sourceOf = async (materialId: number) => (await stack.images.imageSourceOf(materialId)).products[0]!;
const countMaterials = async () =>
  (await stack.database.query<{ count: number }>('select count(*)::int as count from materials'))[0]!.count;

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());

describe('a placement', () => {
  it('is stored with its matrix, shown in responses, and used for images', async () => {
    const products = [wantedProduct(shirt, { placement: half, sub_materials: [sub({ placement: grid })] })];
    const { material, products: made } = await create(products);
    expect(made[0]!.placement).toEqual(shown);
    expect(made[0]!.sub_materials).toEqual([
      { printSide: 'back', enabled: true, placement: { ...grid, x: 0, y: 0, rotation: 0 } },
    ]);
    const source = await sourceOf(material.id);
    expect(source.placed).toEqual(placed);
    expect(source.prints[0]!.placed).toMatchObject({ repeat: 'grid', period: { x: 1.1, y: 1 + 6 / 45 } });
  });

  it('changes the addresses and the revision of images, and has an event', async () => {
    const { material, products } = await create([wantedProduct(shirt), wantedProduct(mug)]);
    const source = await sourceOf(material.id);
    expect([source.placed, source.revision]).toEqual([undefined, 0]);
    const changed = await update(material.id, [{ itemId: shirt, placement: half }]);
    expect(changed.products[0]!.placement).toEqual(shown);
    expect(changed.products[0]!.sampleImageUrl).toBe(`${products[0]!.sampleImageUrl}&v=1`);
    expect({ ...changed.products[1], updatedAt: null }).toEqual({ ...products[1], updatedAt: null });
    expect(await sourceOf(material.id)).toMatchObject({ placed, revision: 1 });
    expect((await outbox(stack.database)).at(-1)).toMatchObject({
      name: 'material.updated',
      payload: { materialId: material.id, stale: ['t-shirt'] },
    });
    const same = await update(material.id, [{ itemId: shirt, placement: { ...half, y: 0 }, published: true }]);
    expect(same.products[0]!.sampleImageUrl).toBe(changed.products[0]!.sampleImageUrl);
    const removed = await update(material.id, [{ itemId: shirt, placement: null }]);
    expect(removed.products[0]).toEqual({
      ...products[0],
      updatedAt: expect.any(String) as string,
      imageUrl: `${products[0]!.imageUrl}&v=2`,
      sampleImageUrl: `${products[0]!.sampleImageUrl}&v=2`,
      pngSampleImageUrl: `${products[0]!.pngSampleImageUrl}&v=2`,
      sampleImageUrls: products[0]!.sampleImageUrls.map((url) => `${url}&v=2`),
    });
  });

  it('of another print place is changed without its image', async () => {
    const { material } = await create([wantedProduct(shirt, { sub_materials: [sub()] })]);
    const hash = (await sourceOf(material.id)).prints[0]!.textureHash;
    const changed = await update(material.id, [
      { itemId: shirt, sub_materials: [{ printSide: 'back', placement: half }] },
    ]);
    expect(changed.products[0]!.sub_materials).toEqual([{ printSide: 'back', enabled: true, placement: shown }]);
    const [print] = (await sourceOf(material.id)).prints;
    expect(print).toEqual({ place: 'back', textureHash: hash, placed });
  });

  it('that cannot be printed stores nothing', async () => {
    const before = await countMaterials();
    const code = { kind: problems['placement.invalid'] };
    const wrong = (placement: PlacementInput) => create([wantedProduct(mug), wantedProduct(shirt, { placement })]);
    await expect(wrong({ scale: 1e300 })).rejects.toMatchObject({
      ...code,
      errors: [{ path: 'body.products.1.placement.scale', message: 'must be a number from 0.01 to 100' }],
    });
    await expect(wrong({ x: 1.1 })).rejects.toMatchObject({
      ...code,
      errors: [{ path: 'body.products.1.placement.x', message: 'moves the whole artwork out of the print area' }],
    });
    await expect(wrong({ repeat: 'grid', scale: 0.01 })).rejects.toMatchObject({
      ...code,
      errors: [{ path: 'body.products.1.placement.scale' }],
    });
    expect(await countMaterials()).toBe(before);
    const { material } = await create([wantedProduct(shirt)]);
    await expect(update(material.id, [{ itemId: shirt, published: false, placement: { y: 2 } }])).rejects.toMatchObject(
      {
        ...code,
        errors: [{ path: 'body.products.0.placement.y' }],
      },
    );
    expect(await sourceOf(material.id)).toMatchObject({ published: true, revision: 0 });
  });
});
