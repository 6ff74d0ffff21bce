import { withTax } from '#kernel';
import { mug, shirt } from '../testing/catalog-fixture.js';
import { printedPlaces, productPrice, type ProductPrint, productTitle } from './product.rules.js';

const print = (place: string, enabled = true): ProductPrint => ({ place, enabled, textureHash: 'a'.repeat(64) });

describe('product rules', () => {
  it('compose the title of material title and display name of the item', () => {
    expect(productTitle('Lighthouse', shirt)).toBe('Lighthouse スタンダードTシャツ');
  });

  it('print the default place and enabled sub-materials', () => {
    expect(printedPlaces(shirt, [print('back'), print('left', false)])).toEqual(['front', 'back']);
    expect(printedPlaces(shirt, [])).toEqual(['front']);
  });

  it('add the prices of variant, margin and each printed place', () => {
    const [white, black] = shirt.variants;
    expect(productPrice(white!, 300, ['front'])).toBe(2500);
    expect(productPrice(white!, 300, ['front', 'back', 'left'])).toBe(2200 + 300 + 500 + 300);
    expect(productPrice(black!, 0, ['front', 'back'])).toBe(2400 + 100 + 600);
  });

  it('add no price for a place that the variant does not have', () => {
    expect(productPrice(shirt.variants[1]!, 0, ['front', 'left'])).toBe(2500);
  });

  it('round the tax down for the whole price, not for its parts', () => {
    // 1466 + 5 yen with tax are 1618.1; rounded separately they would be 1612 + 5
    expect(withTax(productPrice(mug.exemplaryVariant, 5, ['front']), 10)).toBe(1618);
  });
});
