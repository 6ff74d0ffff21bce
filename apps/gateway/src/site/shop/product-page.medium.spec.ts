import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { names, product, variants } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let shop: Browser;
let shopWithoutSetting: Browser;
let shown = product(5);

beforeAll(async () => {
  stack = await GatewayStack.start({
    'products.find': () => ({ products: shown, product: shown }),
    'products.list': () => ({ products: [], meta: { hasNext: false } }),
    'items.names': () => names,
    'favorites.stamps': () => {
      throw new DomainError(problems['service.unavailable'], 'Down.');
    },
  });
  const BUY_URL = 'https://cart.example.com/?id={product}&item={item}&size={size}&color={color}';
  shop = browse(await stack.gateway({ BUY_URL }));
  shopWithoutSetting = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  shown = product(5);
});

const open = async (browser: Browser, headers = {}) => (await browser.open('/Hanako/7/t-shirt/s/white', headers)).html;

describe('print sizes on the product page', () => {
  it('are in millimetres, for each place of the item, without a line break within a size', async () => {
    const sizesIn = async (language: string) =>
      /<dt>(?:Print size|印刷サイズ)<.dt><dd>(.*?)<.dd>/.exec(await open(shop, { 'accept-language': language }))![1];
    expect(await sizesIn('en')).toBe('Front: 300\u00a0×\u00a0400\u00a0mm, Back: 73.5\u00a0×\u00a01,490\u00a0mm');
    expect(await sizesIn('ja')).toContain('Front 300\u00a0×\u00a0400\u00a0mm、Back');
  });

  it('are missing for an item without them', async () => {
    shown = product(5, { item: { ...product(5).item, name: 'cap' } });
    expect(await open(shop)).not.toContain('Print size');
  });
});

describe('button of the product page that leads to the shop', () => {
  it('names the product and its variant', async () => {
    const href = 'https://cart.example.com/?id=5&amp;item=t-shirt&amp;size=s&amp;color=white';
    expect(await open(shop)).toContain(`<a class="button" href="${href}">Buy</a>`);
    expect(await open(shop, { 'accept-language': 'ja' })).toContain(`<a class="button" href="${href}">購入する</a>`);
  });

  it('is missing without the setting', async () => {
    expect(await open(shopWithoutSetting)).not.toContain('class="button"');
  });

  it('is missing for variants that are not sold, and products that are not public', async () => {
    shown = product(5, { sampleItemVariant: { ...variants[0]!, enabled: false } });
    expect(await open(shop)).not.toContain('cart.example.com');
    shown = product(5, { published: false });
    expect(await open(shop)).not.toContain('cart.example.com');
    shown = product(5, {}, { violation: true });
    expect(await open(shop)).not.toContain('cart.example.com');
  });
});

it('shows words instead of the withdrawn images of a violating material', async () => {
  const productImage = /<img src="\/images\/v1\/\d|class="stamps"/;
  expect(await open(shop)).toMatch(productImage);
  shown = product(5, {}, { violation: true });
  const html = await open(shop);
  expect(html).toContain('<span class="no-image">The image has been withdrawn.</span>');
  expect(html).not.toMatch(productImage);
});
