import pg from 'pg';
import { type PayloadOf, problems, type Services } from '#contracts';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  outbox,
  wantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';

const shirt = 1;
const title = 'Lighthouse スタンダードTシャツ';
let stack: CatalogStack;
/** Draft of hanako. */
let productId: number;
/** Variants of shirts: the representative one first. */
let variants: number[];
let otherVariant: number;

type Request = PayloadOf<Services['catalog'], 'sales.record'>;
const record = (more: Partial<Request> = {}) => stack.purchases.record({ productId, quantity: 1, ...more });
const rowCount = async () => (await stack.database.query('select from purchases')).length;

beforeAll(async () => {
  stack = await catalogStack();
  const created = await stack.materials.create(
    wantedMaterial(stack.hanako, { products: [wantedProduct(shirt, { published: false })] }),
  );
  const [product] = (bodyOf(created) as { products: { id: number }[] }).products;
  productId = product!.id;
  const catalog = await stack.catalog.current();
  const [{ representative }] = (await stack.database.query<{ representative: number }>(
    'select exemplary_variant_id as representative from products',
  )) as [{ representative: number }];
  const ids = catalog.item(shirt)!.variants.map(({ id }) => id);
  variants = [representative, ...ids.filter((id) => id !== representative)];
  otherVariant = catalog.item(3)!.variants[0]!.id;
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.database.query('delete from purchases');
  await stack.database.query('delete from outbox');
});

describe('PurchaseService.record', () => {
  const event = (buyerId: number | null) => ({
    name: 'sale.recorded',
    payload: { productId, productTitle: title, ownerId: stack.hanako, buyerId },
  });

  const events = async (...names: string[]) =>
    (await outbox(stack.database)).filter(({ name }) => names.includes(name));
  const sales = () => events('sale.recorded');

  it('appends an event with everything that its production needs', async () => {
    const { purchaseId } = await record({ variantId: variants[1]!, quantity: 3, externalId: 'A-1' });
    const [{ createdAt }] = (await stack.database.query('select created_at as "createdAt" from purchases')) as [
      { createdAt: Date },
    ];
    expect(await events('production.requested')).toEqual([
      {
        name: 'production.requested',
        payload: {
          purchaseId,
          externalId: 'A-1',
          quantity: 3,
          recordedAt: createdAt.toISOString(),
          order: expect.objectContaining({
            productId,
            userId: stack.hanako,
            title,
            variant: expect.objectContaining({ id: variants[1] }) as object,
            places: [expect.objectContaining({ place: 'front', printing: expect.any(Object) as object })],
          }) as object,
        },
      },
    ]);
  });

  it('rejects a product with a print on a place that its item no longer has', async () => {
    const prints = JSON.stringify([{ place: 'gone', textureHash: 'a'.repeat(64), enabled: true, artwork: null }]);
    await stack.database.query('update products set prints = $1 where id = $2', [prints, productId]);
    try {
      await expect(record()).rejects.toMatchObject({
        kind: problems['print-place.not-of-item'],
        errors: [{ path: 'productId', message: `product ${productId} cannot be printed on gone` }],
      });
      expect([await rowCount(), await outbox(stack.database)]).toEqual([0, []]);
    } finally {
      await stack.database.query(`update products set prints = '[]' where id = $1`, [productId]);
    }
  });

  it('returns the purchase, and appends an event with the owner, title and buyer', async () => {
    const purchase = { productId, title, ownerName: 'Hanako-1', isRepeated: false };
    expect(await record({ buyerName: 'taro', variantId: variants[1]!, quantity: 3, externalId: 'A-1' })).toEqual({
      ...purchase,
      purchaseId: expect.any(Number) as number,
      externalId: 'A-1',
      variantId: variants[1],
      quantity: 3,
      buyerName: 'taro',
    });
    expect(await sales()).toEqual([event(stack.taro)]);
  });

  it('has the representative variant by default, and is recorded each time without an external id', async () => {
    const [one, two] = [await record(), await record()];
    expect(one).toMatchObject({ externalId: null, variantId: variants[0], quantity: 1, buyerName: null });
    expect(two).toMatchObject({ isRepeated: false });
    expect(two.purchaseId).toBeGreaterThan(one.purchaseId);
    expect(await sales()).toEqual([event(null), event(null)]);
  });

  it('records an external id once, also of 20 concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => record({ externalId: 'A-1', quantity: 2 })));
    expect(replies.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
    expect(new Set(replies.map((reply) => JSON.stringify({ ...reply, isRepeated: true }))).size).toBe(1);
    expect([await rowCount(), await sales(), (await outbox(stack.database)).length]).toEqual([1, [event(null)], 2]);
  });

  it('rejects a different purchase with the same external id, and names what differs', async () => {
    await record({ externalId: 'A-1', quantity: 2, variantId: variants[0]! });
    for (const externalId of ['A-1', 'a-1'])
      await expect(record({ externalId, buyerName: 'taro', variantId: variants[1]! })).rejects.toMatchObject({
        kind: problems['purchase.external-id-reused'],
        errors: [
          ...(externalId === 'a-1' ? [{ path: 'externalId', message: 'the purchase has A-1' }] : []),
          { path: 'variantId', message: `the purchase has ${variants[0]}` },
          { path: 'quantity', message: 'the purchase has 2' },
          { path: 'buyerName', message: 'the purchase has another buyer' },
        ],
      });
    expect([await rowCount(), await sales(), (await outbox(stack.database)).length]).toEqual([1, [event(null)], 2]);
  });

  it('returns a repeated purchase of a product that was deleted since', async () => {
    const created = await stack.materials.create(wantedMaterial(stack.taro, { products: [wantedProduct(shirt)] }));
    const { material, products } = bodyOf(created) as { material: { id: number }; products: { id: number }[] };
    const bought = { productId: products[0]!.id, externalId: 'A-2' };
    const { purchaseId } = await record(bought);
    await stack.materials.delete(stack.taro, material.id);
    expect(await record(bought)).toMatchObject({ purchaseId, title: null, ownerName: null, isRepeated: true });
    await expect(record({ ...bought, externalId: 'A-3' })).rejects.toMatchObject({
      kind: problems['product.not-found'],
    });
  });

  it('accepts a disabled variant, and rejects one of another item', async () => {
    await expect(record({ variantId: otherVariant })).rejects.toMatchObject({
      kind: problems['item-variant.not-of-item'],
      errors: [{ path: 'variantId', message: `product ${productId} has no variant ${otherVariant}` }],
    });
    await stack.database.query('update item_variants set enabled = false where id = $1', [variants[1]]);
    stack.catalog.invalidate();
    expect(await record({ variantId: variants[1]! })).toMatchObject({ variantId: variants[1] });
  });

  it('returns a repeated purchase of a buyer whose name has changed since', async () => {
    const bought = { externalId: 'A-9', buyerName: 'taro' };
    const { purchaseId } = await record(bought);
    const owner = new pg.Client(stack.ownerUrl);
    await owner.connect();
    try {
      await owner.query(`update accounts.users set name = 'taro-2' where name = 'taro'`);
      expect(await record(bought)).toMatchObject({ purchaseId, isRepeated: true });
      await expect(record({ ...bought, externalId: 'A-10' })).rejects.toMatchObject({
        kind: problems['user.not-found'],
      });
    } finally {
      await owner.query(`update accounts.users set name = 'taro' where name = 'taro-2'`);
      await owner.end();
    }
  });

  it('rejects an unknown product and an unknown buyer', async () => {
    await expect(record({ productId: 999_999 })).rejects.toMatchObject({ kind: problems['product.not-found'] });
    await expect(record({ buyerName: 'unknown' })).rejects.toMatchObject({ kind: problems['user.not-found'] });
    expect([await rowCount(), await outbox(stack.database)]).toEqual([0, []]);
  });
});
