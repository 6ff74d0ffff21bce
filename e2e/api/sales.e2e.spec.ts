import { ProductListResponse } from '#contracts';
import { createSale, endSale, listSales, type NewSale, recordSale, operatorError } from '../support/back-office.js';
import { api, eventually, itemsByName, newMaterial, newUsers, type User } from '../support/shop.js';

/** Returns the tax-included price after a sale. */
const discountedPrice = (priceWithTax: number, { percent = 0, amount = 0 }: { percent?: number; amount?: number }) =>
  Math.max(0, Math.floor((priceWithTax * (100 - percent)) / 100) - amount);

describe('a sale', () => {
  let creator: User;
  let buyer: User;
  let items: Record<string, any>;

  /** Result of `beginsAndEnds`, which runs during the other tests, because it mostly waits. */
  let byTheClock: Promise<void>;

  beforeAll(async () => {
    let patient: User;
    [creator, buyer, patient] = (await newUsers(3)) as [User, User, User];
    items = await itemsByName(creator.apiKey);
    byTheClock = beginsAndEnds(patient);
    byTheClock.catch(() => undefined);
  });

  const newProduct = async (user: User = creator, name = 'can-badge', fields: object = {}): Promise<any> =>
    (await newMaterial(user, { price: 117, products: [{ itemId: items[name].id, published: true }], ...fields }))
      .products[0];
  const get = async (id: number, user: User = buyer): Promise<any> =>
    (await api('GET', `/products/${id}`, { token: user.apiKey })).body.product;
  const onSale = async (user: User = buyer): Promise<any[]> => {
    const response = await api('GET', '/products/on_sale?limit=50', { token: user.apiKey });
    expect([response.status, ProductListResponse.safeParse(response.body).error]).toEqual([200, undefined]);
    return response.body.products;
  };
  /** Waits for a price, because replicas are notified of a sale asynchronously. */
  const priced = (id: number, price: number) =>
    eventually(
      () => get(id),
      (it) => it.discountedPriceWithTax === price,
    );
  const isOnSale = (id: number, expected: boolean) =>
    eventually(onSale, (products) => products.some((it) => it.id === id) === expected);

  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

  const hasPriceBefore = async (atMs: number, id: number, price: number): Promise<boolean> => {
    while (Date.now() < atMs) if ((await get(id)).discountedPriceWithTax === price) return true;
    return false;
  };

  /**
   * Tests a sale that starts soon and one that ends soon. Repeats the test with twice the time if
   * the machine was too slow.
   */
  const beginsAndEnds = async (user: User, afterMs = 10_000): Promise<void> => {
    const [begun, ended] = await Promise.all([newProduct(user), newProduct(user)]);
    const { id } = begun;
    const at = Date.now() + afterMs;
    const [later, soon, short] = await Promise.all([
      createSale({ product: id, percent: 20, starts: inMs(3_600_000) }),
      createSale({ product: id, percent: 40, starts: new Date(at).toISOString(), ends: inMs(3_600_000) }),
      createSale({ product: ended.id, percent: 40, ends: new Date(at).toISOString() }),
    ]);
    const dear = await get(id);
    const isCheap = await hasPriceBefore(at, ended.id, discountedPrice(ended.priceWithTax, { percent: 40 }));
    if (Date.now() >= at) return beginsAndEnds(user, 2 * afterMs);
    expect([later.state, soon.state, short.state]).toEqual(['upcoming', 'upcoming', 'running']);
    expect([dear.discountedPriceWithTax, isCheap]).toEqual([begun.priceWithTax, true]);
    await Promise.all([
      priced(id, discountedPrice(begun.priceWithTax, { percent: 40 })),
      priced(ended.id, ended.priceWithTax),
    ]);
    await isOnSale(ended.id, false);
    await Promise.all([later, soon].map((sale) => endSale(sale.id)));
  };

  it('of a product lowers its price by percent until it is ended', async () => {
    const product = await newProduct();
    expect(product.discountedPriceWithTax).toBe(product.priceWithTax);
    const sale = await createSale({ product: product.id, percent: 15, name: '夏のセール' });
    expect(sale).toMatchObject({
      name: '夏のセール',
      target: { kind: 'product', productId: product.id },
      state: 'running',
      endsAt: null,
      discount: { kind: 'percent', percent: 15 },
    });
    const price = discountedPrice(product.priceWithTax, { percent: 15 });
    const found = await priced(product.id, price);
    expect(found).toMatchObject({ price: product.price, priceWithTax: product.priceWithTax });
    expect(found.discountedPrice).toBeLessThan(found.price);
    const listed = (await isOnSale(product.id, true)).find((it) => it.id === product.id);
    expect(listed.discountedPriceWithTax).toBe(price);
    expect(await endSale(sale.id)).toMatchObject({ id: sale.id, state: 'ended' });
    await priced(product.id, product.priceWithTax);
    await isOnSale(product.id, false);
    const { sales } = await listSales();
    expect(sales.find((it: any) => it.id === sale.id).state).toBe('ended');
  });

  it('of a user applies to all products of the user, including later ones, and to no others', async () => {
    const [before, others] = await Promise.all([newProduct(), newProduct(buyer)]);
    const sale = await createSale({ user: creator.name, amount: 100 });
    await priced(before.id, discountedPrice(before.priceWithTax, { amount: 100 }));
    const after = await newProduct();
    await priced(after.id, discountedPrice(after.priceWithTax, { amount: 100 }));
    expect((await get(others.id)).discountedPriceWithTax).toBe(others.priceWithTax);
    await endSale(sale.id);
    await priced(before.id, before.priceWithTax);
  });

  it('of an item applies to all products of the item, and to no others', async () => {
    const [cushion, badge] = await Promise.all([newProduct(creator, 'cushion'), newProduct()]);
    const sale = await createSale({ item: items['cushion'].id, percent: 50 });
    await priced(cushion.id, discountedPrice(cushion.priceWithTax, { percent: 50 }));
    expect((await get(badge.id)).discountedPriceWithTax).toBe(badge.priceWithTax);
    await endSale(sale.id);
    await priced(cushion.id, cushion.priceWithTax);
  });

  it('never lowers a price below zero', async () => {
    const product = await newProduct();
    const sale = await createSale({ product: product.id, amount: 1_000_000 });
    expect((await priced(product.id, 0)).discountedPrice).toBe(0);
    await endSale(sale.id);
  });

  it('with several sales the lowest price applies', async () => {
    const product = await newProduct();
    const sales = await Promise.all([
      createSale({ product: product.id, percent: 10 }),
      createSale({ product: product.id, percent: 30 }),
      createSale({ product: product.id, amount: 5 }),
    ]);
    await priced(product.id, discountedPrice(product.priceWithTax, { percent: 30 }));
    await Promise.all(sales.map(({ id }) => endSale(id)));
  });

  it('that is invalid is rejected with a reason', async () => {
    const product = await newProduct();
    const rejection = (sale: NewSale) => operatorError(createSale(sale));
    expect(await rejection({ product: 999_999_999, percent: 10 })).toMatch(/^product\.not-found|^sale\.invalid/);
    expect(await rejection({ product: product.id, percent: 101 })).toMatch(/percent/);
    expect(await rejection({ product: product.id, percent: 0 })).toMatch(/percent/);
    expect(await rejection({ product: product.id, amount: 0 })).toMatch(/amount/);
    expect(await rejection({ product: product.id })).toMatch(/percent|amount/);
    expect(await rejection({ percent: 10 })).toMatch(/item|user|product/);
    const ends = { starts: '2030-01-02T00:00:00Z', ends: '2030-01-01T00:00:00Z' };
    expect(await rejection({ product: product.id, percent: 10, ...ends })).toMatch(/end/i);
    expect(await rejection({ product: product.id, percent: 10, starts: 'tomorrow' })).toMatch(/date/);
    expect(await operatorError(endSale(999_999_999))).toMatch(/^sale\.not-found/);
  });

  it('that is recorded creates an activity for the owner, with the buyer if named', async () => {
    const product = await newProduct();
    expect(await recordSale(product.id, buyer.name)).toMatchObject({
      productId: product.id,
      ownerName: creator.name,
      buyerName: buyer.name,
      title: product.title,
    });
    await recordSale(product.id);
    const { body } = await eventually(
      () => api('GET', '/activities', { token: creator.apiKey }),
      ({ body }) => body.activities.filter((it: any) => it.eventType === 'sale').length === 2,
    );
    const sales = body.activities.filter((it: any) => it.eventType === 'sale');
    expect(sales.map((it: any) => it.eventAction)).toEqual(['provide', 'provide']);
    expect(sales.map((it: any) => it.sender.name).sort()).toEqual(['anonymous', buyer.name].sort());
    for (const sale of sales) {
      expect(sale.message).toContain(product.title);
      expect(sale.receiver.id).toBe(creator.id);
    }
    expect(await operatorError(recordSale(999_999_999))).toMatch(/^product\.not-found/);
  });

  it('starts and ends at its times', () => byTheClock);
});
