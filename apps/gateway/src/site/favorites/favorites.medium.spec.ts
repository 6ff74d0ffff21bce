import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { frontHandlers, product } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let browser: Browser;
let favoriteIds: ReadonlySet<number>;
let isSocialDown = false;
const calls: { name: string; payload: object }[] = [];
const recorded = (name: string, reply: unknown) => (payload: object) => {
  calls.push({ name, payload });
  return reply;
};

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };
const created = { favorite: { id: 1, count: 1, rotation: 0, x: 0, y: 0 }, meta: { totalCount: 1 } };

beforeAll(async () => {
  stack = await GatewayStack.start({
    ...frontHandlers,
    'products.newest': () => ({ products: [product(5), product(6)], meta: { hasNext: false } }),
    'favorites.of-user': recorded('favorites.of-user', {
      favorites: [{ id: 1, count: 2, product: product(5) }],
      meta: { hasNext: false },
    }),
    'favorites.own': ({ productIds }: { productIds: number[] }) => {
      if (isSocialDown) throw new DomainError(problems['service.unavailable'], 'Down.');
      return { productIds: productIds.filter((id) => favoriteIds.has(id)) };
    },
    'favorites.create': recorded('favorites.create', created),
    'favorites.delete': ({ productId, ...more }: { productId: number }) => {
      calls.push({ name: 'favorites.delete', payload: { productId, ...more } });
      if (!favoriteIds.has(productId)) throw new DomainError(problems['favorite.not-found'], 'No favorite.');
      return { id: 1, count: 1, productId };
    },
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  calls.length = 0;
  [favoriteIds, isSocialDown] = [new Set([6]), false];
  browser.clearCookies();
  browser.setSession(session);
});

const buttonsOf = (html: string) =>
  [...html.matchAll(/<button class="favorite[^>]* name="(\w+)" value="(\d+)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
const press = async (form: Record<string, string>) => {
  const { csrf } = await browser.open('/');
  calls.length = 0;
  return browser.send('/favorites', { csrf, to: '/?offset=24', ...form });
};

describe('the favorite buttons of a list', () => {
  it('add or remove, depending on the favorites of the user', async () => {
    expect(buttonsOf((await browser.open('/')).html)).toEqual([
      ['add', '5'],
      ['remove', '6'],
    ]);
  });

  it('are links to the sign-in for anonymous users, and return to the page', async () => {
    browser.clearCookies();
    const { html, headers } = await browser.open('/?offset=24');
    expect(html).toContain('<a class="favorite" href="/sign-in?to=%2F%3Foffset%3D24"');
    expect([buttonsOf(html), headers.get('set-cookie')]).toEqual([[], null]);
  });

  it('add favorites while the social service is unavailable', async () => {
    isSocialDown = true;
    const { status, html } = await browser.open('/');
    expect([status, buttonsOf(html)]).toEqual([200, [['add', '5'], ['add', '6']]]); // prettier-ignore
  });
});

describe('a favorite button', () => {
  it('adds one favorite, and returns to the product on the page', async () => {
    const { status, headers } = await press({ add: '5' });
    expect([status, headers.get('location')]).toEqual([303, '/?offset=24#product-5']);
    expect(calls).toEqual([
      {
        name: 'favorites.create',
        payload: { viewerId: 1, productId: 5, anonymous: false, count: 1, onlyFirst: true },
      },
    ]);
  });

  it('removes the favorite, also when it is removed already', async () => {
    for (const id of ['6', '5']) expect((await press({ remove: id })).status).toBe(303);
    expect(calls).toEqual([{ name: 'favorites.delete', payload: { viewerId: 1, productId: 5 } }]);
  });

  it.each([
    ['/favorites', '/favorites?done=removed'],
    ['/favorites?offset=24', '/favorites?offset=24&done=removed'],
  ])('that removes an entry of %s returns to the list, which has a notice', async (to, path) => {
    const { headers } = await press({ remove: '6', to });
    expect(headers.get('location')).toBe(path);
    expect((await browser.open(path)).html).toContain(
      '<p class="notice good" role="status">The product has been removed from your favorites.</p>',
    );
    expect((await press({ add: '6', to })).headers.get('location')).toBe(`${to}#product-6`);
  });

  it.each<Record<string, string>>([{}, { add: 'x' }, { add: '0' }, { remove: '5,6' }])(
    'rejects the form %j',
    async (form) => {
      expect([(await press(form)).status, calls]).toEqual([400, []]);
    },
  );

  it('does not redirect to another site', async () => {
    const { headers } = await press({ add: '5', to: '//evil.example' });
    expect(headers.get('location')).toBe('/favorites#product-5');
  });

  it('requires the CSRF token and a sign-in, which returns to the page of the form', async () => {
    expect((await browser.send('/favorites', { add: '5' })).status).toBe(403);
    browser.clearCookies();
    const { csrf } = await browser.open('/sign-in');
    const { status, headers } = await browser.send('/favorites', { csrf, add: '5' });
    expect([status, headers.get('location'), calls]).toEqual([303, '/sign-in?to=%2Faccount', []]);
    const referer = 'https://shop.example.com/search?q=x';
    const returned = await browser.send('/favorites', { csrf, add: '5' }, { referer });
    expect(returned.headers.get('location')).toBe('/sign-in?to=%2Fsearch%3Fq%3Dx');
    const other = await browser.send('/favorites', { csrf, add: '5' }, { referer: 'https://evil.example/x' });
    expect(other.headers.get('location')).toBe('/sign-in?to=%2Faccount');
  });
});

describe('the page of favorites', () => {
  it('lists the favorites of the user, including anonymous ones', async () => {
    favoriteIds = new Set([5]);
    const { status, html } = await browser.open('/favorites');
    expect([status, calls[0]?.payload]).toEqual([200, { viewerId: 1, userId: 1, limit: 24, offset: 0 }]);
    expect(html).toContain('<span class="title">Lighthouse</span>');
    expect(buttonsOf(html)).toEqual([['remove', '5']]);
  });

  it('redirects from an empty page to the first one, and does not say that there are none', async () => {
    const stored = stack.handlers['favorites.of-user']!;
    stack.handlers['favorites.of-user'] = () => ({ favorites: [], meta: { hasNext: false } });
    const { status, headers } = await browser.open('/favorites?offset=24');
    expect([status, headers.get('location')]).toEqual([303, '/favorites']);
    stack.handlers['favorites.of-user'] = stored;
  });

  it('explains how to add favorites when there are none', async () => {
    stack.handlers['favorites.of-user'] = () => ({ favorites: [], meta: { hasNext: false } });
    expect((await browser.open('/favorites')).html).toContain('You have no favorites yet.');
  });
});
