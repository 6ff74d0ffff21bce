import { type Browser, browse, type Opened } from '../../testing/browse.js';
import { baseUrl, GatewayStack } from '../../testing/gateway-stack.js';
import { names, product, variants } from '../../testing/shop-fixture.js';

let stack: GatewayStack;
let url: string;
let browser: Browser;
let sessions: string[];
let writes: string[];
let signedIn: typeof hanako;

const hanako = {
  id: 1,
  name: 'hanako',
  displayName: '花子',
  email: 'hanako@example.com',
  hasPassword: true,
  isRecent: true,
  emailConfirmed: true,
};
const self = {
  id: 1,
  name: 'hanako',
  displayName: '花子',
  email: 'hanako@example.com',
  avatarUrl: null,
  profile: { url: null, body: 'stored text', headerUrl: null },
  identities: [],
  official: false,
};
const itemDetail = {
  variants,
  category: { name: 'c', displayName: 'C' },
  colorsCount: 1,
  printAreas: { front: { pixels: { width: 2_520, height: 3_360 }, millimetres: { width: 300, height: 400 } } },
};
const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const about = '灯台を描いています。\r\n"><b>Lighthouses';
const profile = { displayName: 'Hana', homePage: 'not an address', about, other: 'x'.repeat(50_000) };

beforeAll(async () => {
  const write = (name: string) => () => void writes.push(name);
  stack = await GatewayStack.start({
    'sessions.show': ({ session }: { session: string }) =>
      sessions.includes(session) ? { active: true, user: signedIn } : { active: false },
    'sessions.open': () => {
      sessions.push(String(sessions.length).repeat(43));
      return { session: sessions.at(-1) };
    },
    'sessions.close': () => null,
    'users.self': () => ({ user: self }),
    'users.update': write('users.update'),
    'users.change-password': write('users.change-password'),
    'users.sign-up': write('users.sign-up'),
    'favorites.create': write('favorites.create'),
    'materials.create': write('materials.create'),
    'items.list': () => ({
      items: [1, 2].map((id) => ({ ...product(5).item, ...itemDetail, id, minPriceWithTax: 2_420 })),
    }),
    'items.names': () => names,
  });
  url = await stack.gateway();
});
afterAll(() => stack.close());
beforeEach(() => {
  browser = browse(url);
  sessions = [];
  writes = [];
  signedIn = hanako;
});
afterEach(() => expect(writes).toEqual([]));

const seen = ({ status, headers }: Opened) => [status, headers.get('location')];
const signIn = async (): Promise<void> => {
  const { csrf } = await browser.open('/sign-in');
  await browser.send('/sign-in', { csrf, login: 'hanako', password: 'right' });
};
const expired = 'The form or your session had expired, so nothing was saved.';

describe('a form that was submitted after', () => {
  it('the session had expired leads to the sign-in, and back with its text, once', async () => {
    await signIn();
    const { csrf } = await browser.open('/account/profile');
    sessions.length = 0;
    const rejected = await browser.send('/account/profile', { csrf, ...profile }, sameOrigin);
    expect(seen(rejected)).toEqual([303, '/sign-in?to=%2Faccount%2Fprofile']);
    expect(rejected.headers.getSetCookie().join()).toMatch(
      /^__Host-draft=\d+\.[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const toSignIn = await browser.open('/sign-in?to=%2Faccount%2Fprofile');
    expect(toSignIn.html).toContain('return to the form with the text you entered');
    await signIn();
    const form = await browser.open('/account/profile');
    expect(form.html).toContain('value="Hana"');
    expect(form.html).toContain('value="not an address"');
    expect(form.html).toContain('灯台を描いています。\r\n&quot;&gt;&lt;b&gt;Lighthouses');
    expect(form.html).toContain(expired);
    expect(form.html).not.toContain('stored text');
    const again = await browser.open('/account/profile');
    expect([again.html.includes('stored text'), again.html.includes(expired)]).toEqual([true, false]);
    browser.setSession('x'.repeat(43));
    expect((await browser.open('/sign-in')).html).not.toContain('the text you entered');
  });

  it('the session had expired is not shown to another user', async () => {
    await signIn();
    const { csrf } = await browser.open('/account/profile');
    sessions.length = 0;
    await browser.send('/account/profile', { csrf, ...profile }, sameOrigin);
    signedIn = { ...hanako, id: 2 };
    await signIn();
    expect((await browser.open('/account/profile')).html).not.toContain('not an address');
    signedIn = hanako;
    await signIn();
    expect((await browser.open('/account/profile')).html).toContain('not an address');
  });

  it('the browser had deleted the session cookie leads to the sign-in', async () => {
    const rejected = await browser.send('/account/profile', { csrf: 'x', ...profile }, sameOrigin);
    expect(seen(rejected)).toEqual([303, '/sign-in?to=%2Faccount%2Fprofile']);
    const button = await browser.send('/favorites', { csrf: 'x', add: '5' }, sameOrigin);
    expect(seen(button)).toEqual([303, '/sign-in?to=%2Faccount']);
  });

  it('its token had expired is shown again, to browsers without fetch metadata, too', async () => {
    await signIn();
    for (const headers of [sameOrigin, { origin: baseUrl }]) {
      const rejected = await browser.send('/account/profile', { csrf: 'x', ...profile }, headers);
      expect(seen(rejected)).toEqual([303, '/account/profile']);
      const form = await browser.open('/account/profile');
      expect([form.html.includes('value="Hana"'), form.html.includes(expired)]).toEqual([true, true]);
      expect(form.html).toContain('<title>Error: ');
    }
  });

  it('its token had expired has the same boxes checked, and no file', async () => {
    await signIn();
    const form = new FormData();
    for (const [name, value] of Object.entries({ csrf: 'x', key: 'k', title: 'Sun', price: '5', 'item-2': 'yes' }))
      form.append(name, value);
    form.append('file', new Blob(['an image']), 'sun.png');
    const rejected = await browser.open('/materials/new', sameOrigin, 'POST', form);
    expect(seen(rejected)).toEqual([303, '/materials/new']);
    const { html } = await browser.open('/materials/new');
    expect(html).toContain('value="Sun"');
    expect(html).toMatch(/name="item-2" value="yes" checked/);
    expect(html).not.toMatch(/name="(?:item-1|publish)" value="yes" checked/);
    expect(html).toContain(expired);
    expect(html).toContain('id="file-error">Select the image again.');
  });

  it('the anonymous session had expired has its text and return path, and no password', async () => {
    const login = { login: 'hanako@example.com', password: 'four words of mine', to: '/materials/new' };
    expect(seen(await browser.send('/sign-in', login, sameOrigin))).toEqual([303, '/sign-in']);
    const signInForm = await browser.open('/sign-in');
    expect(signInForm.html).toContain('value="hanako@example.com"');
    expect(signInForm.html).toContain('name="to" value="/materials/new"');
    const names = { name: 'hanako', email: 'h@example.com', newPassword: 'four words of mine', to: '//evil.example' };
    expect(seen(await browser.send('/sign-up', names, sameOrigin))).toEqual([303, '/sign-up']);
    const signUpForm = await browser.open('/sign-up');
    for (const value of ['hanako', 'h@example.com']) expect(signUpForm.html).toContain(`value="${value}"`);
    expect(signUpForm.html).toContain('name="to" value=""');
    for (const { html } of [signInForm, signUpForm]) expect(html).not.toMatch(/four words|evil/);
  });

  it('its token had expired has empty password fields', async () => {
    await signIn();
    const form = { csrf: 'x', password: 'four words', newPassword: 'five words of mine' };
    expect(seen(await browser.send('/account/password', form, sameOrigin))).toEqual([303, '/account/password']);
    const { html } = await browser.open('/account/password');
    expect([html.includes(expired), html.includes('words of mine')]).toEqual([true, false]);
  });
});

describe('no text is preserved', () => {
  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: baseUrl }],
    ['a sibling of the host', { 'sec-fetch-site': 'same-site' }],
    ['another site, by a browser without fetch metadata', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a client that names no origin', {}],
  ])('of a form of %s', async (_, headers) => {
    await signIn();
    const rejected = await browser.send('/account/profile', { csrf: 'x', ...profile }, headers);
    expect([rejected.status, rejected.headers.getSetCookie()]).toEqual([403, []]);
    expect((await browser.open('/account/profile')).html).toContain('stored text');
  });

  it('in another browser, or on another page', async () => {
    await signIn();
    const { headers } = await browser.send('/account/profile', { csrf: 'x', ...profile }, sameOrigin);
    const slot = /draft=(\d+)\./.exec(headers.getSetCookie().join())![1];
    expect((await browser.open('/account/email')).html).not.toContain(expired);
    const other = browse(url);
    other.setSession(browser.cookie()!);
    expect((await other.open('/account/profile')).html).toContain('stored text');
    expect((await browser.open('/account/profile', {}, 'HEAD')).status).toBe(200);
    const guess = { cookie: `__Host-session=${browser.cookie()}; __Host-draft=${slot}.${'x'.repeat(43)}` };
    expect((await browse(url).open('/account/profile', guess)).html).toContain('stored text');
    expect((await browser.open('/account/profile')).html).toContain('value="Hana"');
  });

  it('above 40 KB', async () => {
    await signIn();
    const long = { csrf: 'x', ...profile, about: 'x'.repeat(40_000) };
    expect((await browser.send('/account/profile', long, sameOrigin)).status).toBe(403);
  });
});
