import { buyUrl } from './buy-url.schema.js';

const purchase = { product: '5', item: 't-shirt', size: 's', color: 'white' };

describe('BUY_URL', () => {
  it('is filled with the product and its variant', () => {
    const fill = buyUrl.parse('https://example.com/{item}/{product}?size={size}&color={color}#{product}');
    expect(fill(purchase)).toBe('https://example.com/t-shirt/5?size=s&color=white#5');
  });

  it('has encoded values', () => {
    const fill = buyUrl.parse('https://example.com/?product={product}&size={size}');
    expect(fill({ ...purchase, size: 'a b&c=/{product}' })).toBe(
      'https://example.com/?product=5&size=a%20b%26c%3D%2F%7Bproduct%7D',
    );
  });

  it.each([
    '',
    'example.com/{product}',
    'http://example.com/{product}',
    'javascript:alert({product})',
    'https://example.com/cart',
    'https://example.com/{product}/{variant}',
    'https://example.com/{product}/{',
    'https://example.com/{product}}',
    'https://example.com/{{product}}',
    'https://{item}.example.com/{product}',
    'https://{product}',
    'https://example.com:{size}/{product}',
  ])('cannot be %s', (template) => {
    expect(buyUrl.safeParse(template).error?.issues).toMatchObject([
      { message: expect.stringContaining('must be an https:// URL with {product} behind the host') },
    ]);
  });
});
