import { type Choice, externalImagePath, problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { names, product } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
const calls: { name: string; payload: Record<string, unknown> }[] = [];
const payloadsOf = (name: string) => calls.filter((it) => it.name === name).map(({ payload }) => payload);

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };
const owner = { id: 1, name: 'Hanako', displayName: '花子', avatarUrl: null };
const summer: Choice = {
  id: 3,
  title: 'Summer <b>',
  description: 'Light\nthings.',
  secret: false,
  bannerUrl: null,
  productsCount: 1,
  user: owner,
};
let choice: Choice;
let products = [product(5)];
let failure: DomainError | undefined;
const reply = (name: string, body: () => unknown) => (payload: Record<string, unknown>) => {
  calls.push({ name, payload });
  if (failure) throw failure;
  return body();
};

beforeAll(async () => {
  const one = (name: string) => [name, reply(name, () => ({ choice }))] as const;
  stack = await GatewayStack.start({
    'choices.list': reply('choices.list', () => ({ choices: [choice], meta: { hasNext: false } })),
    'choices.products': reply('choices.products', () => ({ products, meta: { hasNext: false } })),
    'choices.delete': reply('choices.delete', () => null),
    ...Object.fromEntries(
      ['choices.get', 'choices.create', 'choices.update', 'choices.add', 'choices.remove', 'choices.move-first'].map(
        one,
      ),
    ),
    'favorites.own': () => ({ productIds: [] }),
    'items.names': () => names,
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  calls.length = 0;
  [choice, failure, products] = [summer, undefined, [product(5)]];
  browser.clearCookies();
  browser.setSession(session);
});

const submit = async (path: string, form: Record<string, string>) => {
  const { csrf } = await browser.open('/choices/new');
  calls.length = 0;
  return browser.send(path, { csrf, ...form });
};

it('the page of lists shows those of the user, and marks secret ones', async () => {
  choice = { ...summer, secret: true };
  const { html } = await browser.open('/choices?done=deleted');
  expect(payloadsOf('choices.list')).toEqual([{ viewerId: 1, userId: 1, limit: 24, offset: 0 }]);
  expect(html).toMatch(/href="\/choices\/3">Summer &lt;b&gt;<\/a> <span class="badge">Secret/);
  expect(html).toContain('The list has been deleted.');
});

it('the page of lists adds a product to each of them', async () => {
  const { html } = await browser.open('/choices?product=5&variant=2');
  expect(html).toContain('<h1>Add to a list</h1>');
  expect(html).toContain('href="/choices/new?product=5&amp;variant=2"');
  for (const [name, value] of [
    ['product', 5],
    ['variant', 2],
    ['choice', 3],
  ])
    expect(html).toContain(`name="${name}" value="${value}"`);
  for (const path of ['/choices', '/choices?product=x'])
    expect((await browser.open(path)).html).not.toContain('name="choice"');
});

describe('the page of a list', () => {
  it('shows its products to its owner, with buttons to remove them', async () => {
    const { status, html } = await browser.open('/choices/3');
    expect([status, html.includes('Light\nthings.')]).toEqual([200, true]);
    expect(html).toMatch(/formaction="\/choices\/3\/remove" name="entry" value="5-1"/);
    expect(html).toContain('href="/choices/3/edit"');
  });

  it('shows two variants of a product, each with its own button, and one place to return to', async () => {
    const other = product(5);
    products = [other, { ...other, sampleItemVariant: { ...other.sampleItemVariant, id: 2 } }];
    const { html } = await browser.open('/choices/3');
    expect(html.match(/ id="product-5"/g)).toHaveLength(1);
    expect([...html.matchAll(/\/remove" name="entry" value="([^"]*)"/g)].map(([, entry]) => entry)).toEqual([
      '5-1',
      '5-2',
    ]);
  });

  it('confirms a change once', async () => {
    const { html } = await browser.open('/choices/3?offset=24&done=added');
    expect(html).toContain('The product has been added to the list.');
    expect(html).toContain('name="to" value="/choices/3?offset=24"');
    expect(html).toContain('/language/ja?to=%2Fchoices%2F3%3Foffset%3D24"');
  });

  it('can be shared: other users see it without these buttons, and sites show a preview', async () => {
    browser.clearCookies();
    const { status, html, headers } = await browser.open('/choices/3');
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect(html).toContain('<link rel="canonical" href="https://shop.example.com/choices/3">');
    expect(html).toContain('<meta property="og:image" content="https://shop.example.com/images/');
    expect(html).not.toMatch(/\/choices\/3\/(?:remove|move-first|edit|delete)/);
  });

  it('shows a copy of its banner', async () => {
    const url = 'https://elsewhere.example.com/banner.png';
    choice = { ...summer, bannerUrl: url };
    const { html } = await browser.open('/choices/3');
    expect(html).toContain(`src="${externalImagePath({ userId: 1, kind: 'choice', id: 3, url })}"`);
    expect(html).not.toContain('elsewhere.example.com');
  });

  it('is neither stored nor indexed if it is secret', async () => {
    choice = { ...summer, secret: true };
    const { html, headers } = await browser.open('/choices/3');
    expect([headers.get('cache-control'), html.includes('content="noindex"')]).toEqual(['no-store', true]);
  });

  it.each(['3x', '0', '99999999999999999999'])('is not found for the id %s', async (id) => {
    expect([(await browser.open(`/choices/${id}`)).status, payloadsOf('choices.get')]).toEqual([404, []]);
  });
});

describe('the form of a list', () => {
  it('creates a list, with a first product in a variant', async () => {
    const { html } = await browser.open('/choices/new?product=5&variant=2');
    expect(html).toMatch(/name="product" value="5">\s*<input type="hidden" name="variant" value="2"/);
    const form = { title: ' Winter ', description: 'a\r\nb', banner: ' ', secret: 'yes', product: '5', variant: '2' };
    const { status, headers } = await submit('/choices/new', form);
    expect([status, headers.get('location')]).toEqual([303, '/choices/3?done=created']);
    const choiceProducts = [{ productId: 5, itemVariantId: 2 }];
    expect(payloadsOf('choices.create')).toEqual([
      {
        viewerId: 1,
        title: 'Winter',
        description: 'a\nb',
        secret: true,
        choiceProducts,
        idempotency: expect.anything(),
      },
    ]);
  });

  it('does not repeat invalid parameters of its address', async () => {
    expect((await browser.open('/choices/new?product=%3Cb%3E')).html).not.toContain('name="product"');
  });

  it('changes title, description, banner and secrecy', async () => {
    choice = { ...summer, bannerUrl: 'https://example.com/1.png' };
    const { html } = await browser.open('/choices/3/edit');
    expect(html).toContain('value="Summer &lt;b&gt;"');
    expect(html).toContain('name="banner" type="url" value="https://example.com/1.png"');
    const banner = 'https://example.com/2.png';
    expect((await submit('/choices/3/edit', { title: 'Summer', description: '', banner })).status).toBe(303);
    const changed = { title: 'Summer', description: null, bannerUrl: banner, secret: false };
    expect(payloadsOf('choices.update')).toEqual([{ viewerId: 1, choiceId: 3, ...changed }]);
  });

  it.each(['/choices/new', '/choices/3/edit'])('is shown again with its values and errors: %s', async (path) => {
    const { status, html } = await submit(path, { title: ' ', description: '"x"', banner: 'x.png', secret: 'yes' });
    expect([status, html.includes('id="title-error"'), html.includes('id="banner-error"')]).toEqual([422, true, true]);
    expect(html).toContain('&quot;x&quot;</textarea>');
    expect(html).toMatch(/name="secret" value="yes"[^>]* checked/);
  });

  it('shows a rejection of the service', async () => {
    const { csrf } = await browser.open('/choices/new');
    failure = new DomainError(problems['choice.too-many'], 'Too many.');
    const { status, html } = await browser.send('/choices/new', { csrf, title: 'x', description: '', banner: '' });
    expect([status, html.includes('You can have at most 1,000 lists.')]).toEqual([422, true]);
  });

  it.each(['edit', 'delete'])('is not shown to another user: %s', async (page) => {
    choice = { ...summer, user: { ...owner, id: 2 } };
    expect((await browser.open(`/choices/3/${page}`)).status).toBe(403);
    if (page === 'edit')
      expect((await submit('/choices/3/edit', { title: 'x', description: '', banner: '' })).status).toBe(403);
    expect(payloadsOf('choices.update')).toEqual([]);
  });
});

it('the form of a new list says that its product has not the variant', async () => {
  failure = new DomainError(problems['item-variant.not-of-item'], 'No.');
  const form = { title: 'x', description: '', banner: '', product: '5', variant: '9' };
  const { html } = await submit('/choices/new', form);
  expect(html).toContain('<li>This product does not have this color and size.</li>');
});

describe('products of a list', () => {
  it('are added, removed and moved to the top', async () => {
    const added = await submit('/choices/add', { choice: '3', product: '5', variant: '2' });
    expect([added.status, added.headers.get('location')]).toEqual([303, '/choices/3?done=added']);
    expect(payloadsOf('choices.add')).toEqual([{ viewerId: 1, choiceId: 3, productId: 5, itemVariantId: 2 }]);
    const removed = await submit('/choices/3/remove', { entry: '5-2' });
    expect([removed.status, removed.headers.get('location')]).toEqual([303, '/choices/3?done=removed']);
    expect(payloadsOf('choices.remove')).toEqual([{ viewerId: 1, choiceId: 3, productId: 5, itemVariantId: 2 }]);
    const moved = await submit('/choices/3/move-first', { entry: '5-2' });
    expect([moved.status, moved.headers.get('location')]).toEqual([303, '/choices/3?done=moved']);
    expect(payloadsOf('choices.move-first')).toEqual([{ viewerId: 1, choiceId: 3, productId: 5, itemVariantId: 2 }]);
  });

  it('have words for a full list, and for a deleted product', async () => {
    const { csrf } = await browser.open('/choices/new');
    for (const [code, words] of [
      ['choice.full', 'A list can have at most 500 products.'],
      ['product.not-found', 'Product not found'],
    ] as const) {
      failure = new DomainError(problems[code], 'Internal.');
      const { html } = await browser.send('/choices/add', { csrf, choice: '3', product: '5' });
      expect(html).toContain(words);
    }
  });

  it.each<[string, Record<string, string>, number]>([
    ['/choices/add', { choice: 'x', product: '5' }, 404],
    ['/choices/add', { product: '5' }, 404],
    ['/choices/add', { choice: '3' }, 400],
    ['/choices/3/remove', { entry: '-1' }, 400],
    ['/choices/3/remove', { entry: '5' }, 400],
    ['/choices/3/remove', { entry: '5-2-1' }, 400],
    ['/choices/3/move-first', {}, 400],
  ])('are not changed by an invalid form: %s %j', async (path, form, status) => {
    expect([(await submit(path, form)).status, calls]).toEqual([status, []]);
  });
});

it('a list is deleted once when its form is submitted twice', async () => {
  failure = new DomainError(problems['choice.not-found'], 'Deleted.');
  const { status, headers } = await submit('/choices/3/delete', {});
  expect([status, headers.get('location')]).toEqual([303, '/choices?done=deleted']);
});

it('a list is deleted after a confirmation that names it', async () => {
  const { html } = await browser.open('/choices/3/delete');
  expect(html).toContain('The list “Summer &lt;b&gt;” with 1 product will be deleted.');
  const { headers } = await submit('/choices/3/delete', {});
  expect([headers.get('location'), payloadsOf('choices.delete')]).toEqual([
    '/choices?done=deleted',
    [{ viewerId: 1, choiceId: 3 }],
  ]);
});
