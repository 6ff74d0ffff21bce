import { priceOf } from './price.view.js';

describe('priceOf', () => {
  it('formats yen in the language of the page', () => {
    const price = { priceWithTax: 2_750, discountedPriceWithTax: 2_750 };
    expect(priceOf(price, 'en')).toEqual({ now: '¥2,750', usual: null });
    expect(priceOf(price, 'ja')).toEqual({ now: '￥2,750', usual: null });
  });

  it('includes the regular price during a sale', () => {
    const price = { priceWithTax: 2_750, discountedPriceWithTax: 2_200 };
    expect(priceOf(price, 'en')).toEqual({ now: '¥2,200', usual: '¥2,750' });
  });
});
