import { problems, MaterialWriteResponse } from '#contracts';
import { DomainError } from '#kernel';
import { bodyOf, catalogStack, type CatalogStack, outbox } from '../testing/catalog-stack.js';

let stack: CatalogStack;
type Wanted = Parameters<CatalogStack['materials']['createFromText']>[0];

const createFromText = async (text: string, more: Partial<Wanted> = {}) =>
  MaterialWriteResponse.strict().parse(
    bodyOf(
      await stack.materials.createFromText({
        viewerId: stack.hanako,
        text,
        price: 0,
        description: null,
        published: false,
        language: 'en',
        ...more,
      }),
    ),
  );
const countMaterials = async () => {
  const [row] = await stack.database.query<{ count: number }>('select count(*)::int as count from materials');
  return row!.count;
};

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.rendering.renderedTexts.length = 0;
  stack.rendering.beforeReply = undefined;
});

describe('MaterialService.createFromText', () => {
  it('creates an unpublished white M T-shirt, with the first line as title', async () => {
    const { material, products } = await createFromText('\n 猫 and 犬 \nsecond line');
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

  it('uses the variant and fields of the request, with letters in a contrasting color', async () => {
    const more = { itemVariantId: 1006, title: 'My text', price: 200, description: 'mine' };
    const { material, products } = await createFromText('Hello', more);
    expect(material).toMatchObject({ title: 'My text', price: 200, description: 'mine' });
    expect(products[0]!.sampleItemVariant).toMatchObject({ id: 1006, isDarkColor: true });
    await createFromText('Hello');
    expect(stack.rendering.renderedTexts).toEqual([
      { userId: stack.hanako, text: 'Hello', rgb: '#fafafa' },
      { userId: stack.hanako, text: 'Hello', rgb: '#1f2328' },
    ]);
  });

  it('publishes the T-shirt of a request that wants it', async () => {
    const { material, products } = await createFromText('Hello', { published: true });
    expect([material.published, products[0]!.published]).toEqual([true, true]);
  });

  it('rejects a variant of another item and a text that cannot be printed', async () => {
    const before = await countMaterials();
    const mugVariantId = (await stack.catalog.current()).itemByName('mug')!.exemplaryVariant.id;
    for (const itemVariantId of [mugVariantId, 999_999])
      await expect(createFromText('Hello', { itemVariantId })).rejects.toMatchObject({
        kind: problems['item-variant.not-standard-t-shirt'],
      });
    await expect(createFromText(' \n ')).rejects.toMatchObject({ kind: problems['text.blank'] });
    expect(stack.rendering.renderedTexts).toEqual([]);
    stack.rendering.beforeReply = () =>
      Promise.reject(new DomainError(problems['text.not-printable'], 'no font has it'));
    await expect(createFromText('Hello')).rejects.toMatchObject({
      kind: problems['text.not-printable'],
      errors: [{ path: 'body.text', message: 'no font has it' }],
    });
    expect(await countMaterials()).toBe(before);
  });

  it('creates a material once per idempotency key', async () => {
    const idempotency = { key: 'text', fingerprint: 'a'.repeat(64) };
    const first = await createFromText('Hello', { idempotency });
    expect(await createFromText('Hello', { idempotency })).toEqual(first);
    expect(stack.rendering.renderedTexts).toHaveLength(1);
  });
});
