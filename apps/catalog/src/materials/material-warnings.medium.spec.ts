import { type PrintWarning, WrittenMaterialResponse } from '#contracts';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  type WantedMaterial,
  wantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';

const shirt = 1;
const mug = 3;
const phoneCase = 4;
const note = 10;

let stack: CatalogStack;
type Wanted = Parameters<CatalogStack['materials']['update']>[0];

const url = (name: string) => ({ kind: 'url', url: `https://example.com/${name}.png` }) as const;
const back = (name: string, enabled = true) => ({ texture: url(name), printSide: 'back', enabled });
const create = async (more: Partial<WantedMaterial>) => {
  const reply = await stack.materials.create(wantedMaterial(stack.hanako, { texture: url('large'), ...more }));
  return WrittenMaterialResponse.strict().parse(bodyOf(reply));
};
const update = async (materialId: number, wanted: Partial<Wanted> = {}) => {
  const json = await stack.materials.update({ viewerId: stack.hanako, materialId, language: 'en', ...wanted });
  return WrittenMaterialResponse.strict().parse(JSON.parse(String(json)));
};
const told = ({ warnings }: { readonly warnings: readonly PrintWarning[] }) =>
  warnings.map(({ itemId, printPlace, code }) => `${itemId} ${printPlace} ${code}`);

beforeAll(async () => {
  stack = await catalogStack();
  stack.rendering.looks = (source) => {
    const name = JSON.stringify(source);
    if (name.includes('large')) return { width: 6_000, height: 6_000 };
    return name.includes('unseen') ? { width: 4_000, height: 4_000, dominantRgb: null } : {};
  };
});
afterAll(() => stack.close());

describe('the answer to who makes or changes a material', () => {
  it('warns of the prints of every product, and of nothing when all print well', async () => {
    const made = await create({ products: [wantedProduct(mug), wantedProduct(phoneCase)] });
    expect(told(made)).toEqual(['4 back cropped']);
    expect(told(await create({ products: [wantedProduct(mug)] }))).toEqual([]);
    expect(told(await create({ texture: url('small') }))).toEqual([]);
    const small = await create({ texture: url('small'), products: [wantedProduct(shirt)] });
    expect(told(small)).toEqual(['1 front low-resolution', '1 front upscaled']);
    expect(small.warnings[0]!.message).toBe(
      '54 dpi on the front of 300 x 400 mm; 150 dpi or more prints sharp. Send at least 1772 x 1329 pixels.',
    );
  });

  it('warns in Japanese when that is asked for', async () => {
    const made = await create({ texture: url('unseen'), products: [wantedProduct(shirt)], language: 'ja' });
    const message = '画像が完全に透明なため、前面（300 x 400 mm）には何も印刷されません。';
    expect(made.warnings).toEqual([{ itemId: shirt, printPlace: 'front', code: 'fully-transparent', message }]);
    expect((await update(made.material.id, { language: 'ja' })).warnings).toEqual(made.warnings);
    const english = 'The image is fully transparent: nothing is printed on the front of 300 x 400 mm.';
    expect((await update(made.material.id)).warnings).toEqual([{ ...made.warnings[0], message: english }]);
  });

  it('knows the images of further sides, also long after they were sent', async () => {
    const products = [
      wantedProduct(shirt, { sub_materials: [back('unseen')] }),
      wantedProduct(15, { sub_materials: [back('small', false)] }),
      wantedProduct(100, { sub_materials: [back('small')] }),
    ];
    const made = await create({ products });
    const expected = ['1 back fully-transparent', '100 back low-resolution', '100 back upscaled'];
    expect(told(made)).toEqual(expected);
    expect(told(await update(made.material.id, { title: 'Tower' }))).toEqual(expected);
  });

  it('says nothing of a further side that was stored without its measures', async () => {
    const made = await create({ products: [wantedProduct(shirt, { sub_materials: [back('small')] })] });
    expect(told(made)).toHaveLength(2);
    await stack.database.query(
      `update products set prints = jsonb_build_array(prints->0 #- '{artwork}') where material_id = $1`,
      [made.material.id],
    );
    expect(told(await update(made.material.id))).toEqual([]);
  });

  it('follows the resize mode, and the products that are made by a change', async () => {
    const { id } = (await create({ products: [wantedProduct(phoneCase)] })).material;
    const laid = async (resizeMode: 'contain' | 'cover' | null) =>
      told(await update(id, { products: [{ itemId: phoneCase, resizeMode }] }));
    expect(await laid('contain')).toEqual([]);
    expect(await laid('cover')).toEqual(['4 back cropped']);
    expect(await laid('contain')).toEqual([]);
    expect(await laid(null)).toEqual(['4 back cropped']);
    expect(told(await update(id, { products: [{ itemId: note, resizeMode: 'cover' }, { itemId: mug }] }))).toEqual([
      '4 back cropped',
      '10 front cropped',
    ]);
  });

  it('warns of a text as of an image', async () => {
    const wanted = { viewerId: stack.hanako, text: 'Hello', price: 0, description: null, language: 'en' } as const;
    const made = WrittenMaterialResponse.strict().parse(bodyOf(await stack.materials.text(wanted)));
    expect(told(made)).toEqual(['1 front low-resolution', '1 front upscaled']);
  });

  it('is the same when it is asked for again under its key, also in another language', async () => {
    const idempotency = { key: 'warned', fingerprint: 'a'.repeat(64) };
    const wanted = { texture: url('small'), products: [wantedProduct(shirt)], idempotency };
    const first = await create({ ...wanted, language: 'ja' });
    expect(first.warnings.map(({ message }) => message.slice(-1))).toEqual(['。', '。']);
    for (const language of ['ja', 'en'] as const) expect(await create({ ...wanted, language })).toEqual(first);
  });

  it('is not what others are answered: they read the material without warnings', async () => {
    const { material } = await create({ texture: url('small'), products: [wantedProduct(shirt)] });
    for (const viewerId of [stack.hanako, stack.taro])
      expect(Object.keys(JSON.parse(String(await stack.products.ofMaterial(viewerId, material.id))))).toEqual([
        'material',
        'products',
      ]);
  });
});
