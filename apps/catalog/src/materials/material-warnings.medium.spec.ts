import { type PrintWarning, MaterialWriteResponse } from '#contracts';
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
  return MaterialWriteResponse.strict().parse(bodyOf(reply));
};
const update = async (materialId: number, wanted: Partial<Wanted> = {}) => {
  const json = await stack.materials.update({ viewerId: stack.hanako, materialId, language: 'en', ...wanted });
  return MaterialWriteResponse.strict().parse(JSON.parse(String(json)));
};
const summaryOf = ({ warnings }: { readonly warnings: readonly PrintWarning[] }) =>
  warnings.map(({ itemId, printPlace, code }) => `${itemId} ${printPlace} ${code}`);

beforeAll(async () => {
  stack = await catalogStack();
  stack.rendering.textureFieldsOf = (source) => {
    const name = JSON.stringify(source);
    if (name.includes('animated')) return { width: 6_000, height: 6_000, animated: true };
    if (name.includes('large')) return { width: 6_000, height: 6_000 };
    return name.includes('transparent') ? { width: 4_000, height: 4_000, dominantRgb: null } : {};
  };
});
afterAll(() => stack.close());

describe('warnings in responses to creations and updates', () => {
  it('list problems of the prints of every product, and are empty without problems', async () => {
    const created = await create({ products: [wantedProduct(mug), wantedProduct(phoneCase)] });
    expect(summaryOf(created)).toEqual(['4 back cropped']);
    expect(summaryOf(await create({ products: [wantedProduct(mug)] }))).toEqual([]);
    expect(summaryOf(await create({ texture: url('small') }))).toEqual([]);
    const small = await create({ texture: url('small'), products: [wantedProduct(shirt)] });
    expect(summaryOf(small)).toEqual(['1 front low-resolution']);
    expect(small.warnings[0]!.message).toBe(
      '54 dpi on the front (300 x 400 mm); 150 dpi or more prints sharply. Send at least 1772 x 1329 pixels.',
    );
  });

  it('are in Japanese on request', async () => {
    const created = await create({ texture: url('transparent'), products: [wantedProduct(shirt)], language: 'ja' });
    const message = '画像が完全に透明なため、前面（300 x 400 mm）には何も印刷されません。';
    expect(created.warnings).toEqual([{ itemId: shirt, printPlace: 'front', code: 'fully-transparent', message }]);
    expect((await update(created.material.id, { language: 'ja' })).warnings).toEqual(created.warnings);
    const english = 'The image is fully transparent: nothing is printed on the front (300 x 400 mm).';
    expect((await update(created.material.id)).warnings).toEqual([{ ...created.warnings[0], message: english }]);
    const request = { viewerId: stack.hanako, materialId: created.material.id, language: 'ja' as const };
    const described = MaterialWriteResponse.parse(JSON.parse(String(await stack.products.withWarnings(request))));
    expect(described.warnings).toEqual(created.warnings);
  });

  it('include the images of additional print places, also after later updates', async () => {
    const products = [
      wantedProduct(shirt, { sub_materials: [back('transparent')] }),
      wantedProduct(15, { sub_materials: [back('small', false)] }),
      wantedProduct(100, { sub_materials: [back('small')] }),
    ];
    const created = await create({ products });
    const expected = ['1 back fully-transparent', '100 back low-resolution'];
    expect(summaryOf(created)).toEqual(expected);
    expect(summaryOf(await update(created.material.id, { title: 'Tower' }))).toEqual(expected);
  });

  it('say that only the first frame of an animation is printed, also after later updates', async () => {
    const products = [wantedProduct(shirt, { sub_materials: [back('animated')] }), wantedProduct(mug)];
    const created = await create({ texture: url('animated, too'), products });
    const expected = ['1 front first-frame', '1 back first-frame', '3 outside first-frame'];
    expect(summaryOf(created)).toEqual(expected);
    expect(created.warnings[0]!.message).toBe(
      'Only the first frame of the animation is printed on the front (300 x 400 mm), with 508 dpi.',
    );
    expect(summaryOf(await update(created.material.id, { title: 'Tower' }))).toEqual(expected);
  });

  it('omit an additional print that was stored without its artwork', async () => {
    const created = await create({ products: [wantedProduct(shirt, { sub_materials: [back('small')] })] });
    expect(summaryOf(created)).toEqual(['1 back low-resolution']);
    await stack.database.query(
      `update products set prints = jsonb_build_array(prints->0 #- '{artwork}') where material_id = $1`,
      [created.material.id],
    );
    expect(summaryOf(await update(created.material.id))).toEqual([]);
  });

  it('depend on the resize mode, and include products created by an update', async () => {
    const { id } = (await create({ products: [wantedProduct(phoneCase)] })).material;
    const setMode = async (resizeMode: 'contain' | 'cover' | null) =>
      summaryOf(await update(id, { products: [{ itemId: phoneCase, resizeMode }] }));
    expect(await setMode('contain')).toEqual([]);
    expect(await setMode('cover')).toEqual(['4 back cropped']);
    expect(await setMode('contain')).toEqual([]);
    expect(await setMode(null)).toEqual(['4 back cropped']);
    expect(summaryOf(await update(id, { products: [{ itemId: note, resizeMode: 'cover' }, { itemId: mug }] }))).toEqual(
      ['4 back cropped', '10 front cropped'],
    );
  });

  it('are returned for materials created from a text', async () => {
    const wanted = {
      viewerId: stack.hanako,
      text: 'Hello',
      price: 0,
      description: null,
      published: false,
      language: 'en',
    } as const;
    const created = MaterialWriteResponse.strict().parse(bodyOf(await stack.materials.createFromText(wanted)));
    expect(summaryOf(created)).toEqual(['1 front low-resolution']);
  });

  it('are replayed for the same idempotency key, even in another language', async () => {
    const idempotency = { key: 'warnings', fingerprint: 'a'.repeat(64) };
    const wanted = { texture: url('small'), products: [wantedProduct(shirt)], idempotency };
    const first = await create({ ...wanted, language: 'ja' });
    expect(first.warnings.map(({ message }) => message.slice(-1))).toEqual(['。']);
    for (const language of ['ja', 'en'] as const) expect(await create({ ...wanted, language })).toEqual(first);
  });

  it('are not part of a material that is read later', async () => {
    const { material } = await create({ texture: url('small'), products: [wantedProduct(shirt)] });
    for (const viewerId of [stack.hanako, stack.taro])
      expect(Object.keys(JSON.parse(String(await stack.products.ofMaterial(viewerId, material.id))))).toEqual([
        'material',
        'products',
      ]);
  });
});
