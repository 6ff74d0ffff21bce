import { differencesOf } from './purchase.rules.js';

const recorded = {
  id: 5,
  externalId: 'A-7',
  productId: 3,
  variantId: 11,
  quantity: 2,
  buyerId: 9,
  createdAt: new Date(),
};

describe('differencesOf', () => {
  it('is empty for the same purchase, also without a variant', () => {
    expect(differencesOf(recorded, recorded)).toEqual([]);
    expect(differencesOf(recorded, { ...recorded, variantId: undefined })).toEqual([]);
  });

  it('names each field that differs, and not the other buyer', () => {
    const wanted = { externalId: 'a-7', productId: 4, variantId: 12, quantity: 1, buyerId: null };
    expect(differencesOf(recorded, wanted)).toEqual([
      { path: 'externalId', message: 'the purchase has A-7' },
      { path: 'productId', message: 'the purchase has 3' },
      { path: 'variantId', message: 'the purchase has 11' },
      { path: 'quantity', message: 'the purchase has 2' },
      { path: 'buyerName', message: 'the purchase has another buyer' },
    ]);
  });
});
