import { problems, WrittenMaterialResponse } from '#contracts';
import { DomainError } from '#kernel';
import { bodyOf, catalogStack, type CatalogStack, outbox } from '../testing/catalog-stack.js';

let stack: CatalogStack;
type Wanted = Parameters<CatalogStack['materials']['text']>[0];

const write = async (text: string, more: Partial<Wanted> = {}) =>
  WrittenMaterialResponse.strict().parse(
    bodyOf(
      await stack.materials.text({
        viewerId: stack.hanako,
        text,
        price: 0,
        description: null,
        language: 'en',
        ...more,
      }),
    ),
  );
const materials = async () => {
  const [row] = await stack.database.query<{ count: number }>('select count(*)::int as count from materials');
  return row!.count;
};

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.rendering.written.length = 0;
  stack.rendering.meanwhile = undefined;
});

describe('a material of a text', () => {
  it('has one T-shirt, a white M that is not published, and the first line as its title', async () => {
    const { material, products } = await write('\n 猫 and 犬 \nsecond line');
    expect(material).toMatchObject({ title: ' 猫 and 犬 ', price: 0, published: false, publishedAt: null });
    expect(products).toMatchObject([
      { published: false, resizeMode: null, item: { name: 't-shirt' }, sampleItemVariant: { id: 1002 } },
    ]);
    expect(products[0]!.sampleItemVariant).toMatchObject({ color: { name: 'white' }, size: { name: 'm' } });
    expect((await outbox(stack.database)).at(-1)).toMatchObject({
      name: 'material.created',
      payload: { materialId: material.id, title: ' 猫 and 犬 ' },
    });
  });

  it('takes another variant, whose colour the letters contrast with, and what else is sent', async () => {
    const more = { itemVariantId: 1006, title: 'My text', price: 200, description: 'mine' };
    const { material, products } = await write('Hello', more);
    expect(material).toMatchObject({ title: 'My text', price: 200, description: 'mine' });
    expect(products[0]!.sampleItemVariant).toMatchObject({ id: 1006, isDarkColor: true });
    await write('Hello');
    expect(stack.rendering.written).toEqual([
      { userId: stack.hanako, text: 'Hello', rgb: '#fafafa' },
      { userId: stack.hanako, text: 'Hello', rgb: '#1f2328' },
    ]);
  });

  it('is not made of a variant of another item or a text that cannot be printed', async () => {
    const before = await materials();
    const ofMug = (await stack.catalog.current()).itemByName('mug')!.exemplaryVariant.id;
    for (const itemVariantId of [ofMug, 999_999])
      await expect(write('Hello', { itemVariantId })).rejects.toMatchObject({
        kind: problems['item-variant.not-standard-t-shirt'],
      });
    await expect(write(' \n ')).rejects.toMatchObject({ kind: problems['text.blank'] });
    expect(stack.rendering.written).toEqual([]);
    stack.rendering.meanwhile = () => Promise.reject(new DomainError(problems['text.not-printable'], 'no font has it'));
    await expect(write('Hello')).rejects.toMatchObject({
      kind: problems['text.not-printable'],
      errors: [{ path: 'body.text', message: 'no font has it' }],
    });
    expect(await materials()).toBe(before);
  });

  it('is made once under one key, however often it is asked for', async () => {
    const idempotency = { key: 'text', fingerprint: 'a'.repeat(64) };
    const first = await write('Hello', { idempotency });
    expect(await write('Hello', { idempotency })).toEqual(first);
    expect(stack.rendering.written).toHaveLength(1);
  });
});
