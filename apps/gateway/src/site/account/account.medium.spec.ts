import { randomBytes } from 'node:crypto';
import { problems, type SessionUser } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;

const password = 'four words of mine';
const initialHanako: SessionUser = {
  id: 1,
  name: 'hanako',
  displayName: '花子',
  email: 'hanako@example.com',
  hasPassword: true,
  isRecent: true,
  emailConfirmed: true,
};
let hanako: SessionUser;
let sessions: Set<string>;
/** Fields of the messages that the pages send. */
interface Payload {
  readonly session: string;
  readonly name: string;
  readonly email: string;
  readonly password: string | null;
  readonly newPassword: string;
}
let calls: { readonly name: string; readonly payload: Payload }[];

const rejection = (code: keyof typeof problems) => new DomainError(problems[code], 'No.');
const openSession = () => {
  const session = randomBytes(32).toString('base64url');
  sessions.add(session);
  return { session };
};

/** Fake of the accounts service with one user. */
const accounts: Record<string, (payload: Payload) => unknown> = {
  'sessions.show': ({ session }) => (sessions.has(session) ? { active: true, user: hanako } : { active: false }),
  'users.sign-up': ({ name, email }) => {
    if (name === 'taro') throw rejection('user.name-taken');
    if (email === 'taken@example.com') throw rejection('user.email-taken');
    hanako = { ...hanako, name, email, displayName: null };
    return openSession();
  },
  'users.check-sign-up': ({ name }) => {
    if (name === 'taro') throw rejection('user.name-taken');
    return null;
  },
  'users.self': () => ({
    user: {
      id: 1,
      name: hanako.name,
      displayName: hanako.displayName,
      avatarUrl: null,
      email: hanako.email,
      profile: { url: 'https://example.com/', body: 'I draw\n<cats>.', headerUrl: null },
      identities: [],
      official: false,
    },
  }),
  'users.update': (it) => accounts['users.self']!(it),
  'users.change-email': (it) => {
    if (hanako.hasPassword && it.password !== password) throw rejection('password.wrong');
    if (it.email === 'taken@example.com') throw rejection('user.email-taken');
    return null;
  },
  'users.check-passwords': (it) => {
    if (it.password === 'wrong') throw rejection('password.wrong');
    if (it.newPassword === 'password123') throw rejection('password.easy-to-guess');
    return null;
  },
  'users.change-password': (it) => {
    if (hanako.hasPassword && it.password !== password) throw rejection('password.wrong');
    if (it.newPassword === 'password123') throw rejection('password.easy-to-guess');
    sessions.clear();
    return openSession();
  },
  'users.delete-account': (it) => {
    if (hanako.hasPassword && it.password !== password) throw rejection('password.wrong');
    sessions.clear();
    return null;
  },
};

beforeAll(async () => {
  const recorded = Object.entries(accounts).map(([name, handle]) => [
    name,
    (payload: Payload) => {
      if (name !== 'sessions.show') calls.push({ name, payload });
      return handle(payload);
    },
  ]);
  stack = await GatewayStack.start(Object.fromEntries(recorded) as typeof accounts);
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  hanako = initialHanako;
  sessions = new Set();
  calls = [];
  browser.clearCookies();
});

const signIn = () => browser.setSession(openSession().session);

/** Opens the page of a form and submits the form with these values. */
const fill = async (path: string, form: Record<string, string>) => {
  const { csrf } = await browser.open(path);
  return browser.send(path, { csrf, ...form });
};
const see = (to: string) => ({ status: 303, location: to });
const seen = ({ status, headers }: { status: number; headers: Headers }) => ({
  status,
  location: headers.get('location'),
});

/** Returns the error text of a field. */
const errorAt = (html: string, id: string) => new RegExp(`id="${id}-error">([^<]*)<`).exec(html)?.[1];

describe('sign-up form', () => {
  const form = { name: 'hana-2', email: 'hana@example.com', newPassword: password };

  it('creates an account, signs in and redirects to the return path', async () => {
    const done = await fill('/sign-up', { ...form, name: ' hana-2 ', email: 'hana@example.com ', to: '/search?q=cat' });
    expect(seen(done)).toEqual(see('/search?q=cat'));
    expect(calls).toEqual([
      {
        name: 'users.sign-up',
        payload: {
          name: 'hana-2',
          email: 'hana@example.com',
          password,
          visitor: { address: '127.0.0.1', userAgent: expect.any(String), language: 'en' },
        },
      },
    ]);
    expect((await browser.open('/account')).html).toContain('hana@example.com');
  });

  it('leads to the upload form unless a page asked for the sign-in', async () => {
    const linkToSignUp = async (page: string) =>
      /href="(\/sign-up[^"]*)">New/.exec((await browser.open(page)).html)?.[1];
    expect(await linkToSignUp('/sign-in')).toBe('/sign-up');
    expect(await linkToSignUp('/sign-in?to=/search%3Fq=cat')).toBe('/sign-up?to=%2Fsearch%3Fq%3Dcat');
    const { html } = await browser.open('/sign-up');
    expect(html).toMatch(/href="\/sign-in">Already/);
    expect(html).toMatch(/name="to" value=""/);
    expect(seen(await fill('/sign-up', { ...form, to: '' }))).toEqual(see('/materials/new'));
  });

  it('sets the autocomplete attributes and ignores values in the query', async () => {
    const { html } = await browser.open('/sign-up?name=planted&email=planted@example.com&newPassword=planted&to=/x');
    expect(html).not.toContain('value="planted');
    expect(html).toMatch(/name="to" value="\/x"/);
    expect(html).toMatch(/name="name"[^>]*autocomplete="username"/);
    expect(html).toMatch(/name="email"[^>]*autocomplete="email"/);
    expect(html).toMatch(/name="newPassword" type="password"[^>]*autocomplete="new-password"/);
    expect(html).toContain('https://shop.example.com/hanako');
  });

  it('shows an error beside each invalid field and all values except the password', async () => {
    const empty = await fill('/sign-up', { name: '花子', email: 'no address', newPassword: 'short' });
    expect(empty.status).toBe(422);
    for (const field of ['name', 'email', 'newPassword']) {
      expect(errorAt(empty.html, field)).toBeTruthy();
      expect(empty.html).toMatch(new RegExp(`name="${field}"[^>]*aria-invalid="true"[^>]*${field}-error"`));
      expect(empty.html).toContain(`<a href="#${field}">`);
    }
    expect(empty.html).toContain('value="花子"');
    expect(empty.html).not.toContain('short"');
    expect(empty.html).toContain('<title>Error: Create account');
    expect(calls).toEqual([]);
    const taken = await fill('/sign-up', { ...form, name: 'taro' });
    expect([taken.status, errorAt(taken.html, 'name')]).toEqual([409, 'This user name is taken. Choose another one.']);
    const known = await fill('/sign-up', { ...form, email: 'taken@example.com' });
    expect(errorAt(known.html, 'email')).toBe('An account with this email address already exists.');
  });

  it('shows the errors of valid fields together with those of invalid ones', async () => {
    const given = { name: ' taro ', email: 'no address', newPassword: 'short' };
    const errors = {
      name: 'This user name is taken. Choose another one.',
      email: 'Enter an email address in the format name@example.com.',
      newPassword: 'Enter a password of 10 to 1,000 characters.',
    };
    const { html } = await fill('/sign-up', given);
    const summary = [...html.matchAll(/<li><a href="#(\w+)">([^<]*)</g)].map(([, field, text]) => [field, text]);
    expect(summary).toEqual(Object.entries(errors));
    expect(errorAt(html, 'name')).toBe(errors.name);
    expect(calls).toEqual([{ name: 'users.check-sign-up', payload: { name: 'taro', visitor: expect.anything() } }]);
  });

  it('redirects a signed-in user to the account page', async () => {
    signIn();
    expect(seen(await browser.open('/sign-up?to=/x'))).toEqual(see('/account'));
    expect(seen(await fill('/account/email', {}))).toEqual({ status: 422, location: null });
    const { csrf } = await browser.open('/account');
    expect(seen(await browser.send('/sign-up', { csrf, ...form }))).toEqual(see('/account'));
    expect(calls).toEqual([]);
  });

  it('redirects to the authorization endpoint by a page, which form-action cannot block', async () => {
    const to = '/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fapp.example%2F';
    const done = await fill('/sign-up', { ...form, to });
    expect([done.status, done.headers.get('location')]).toEqual([200, null]);
    expect(done.html).toContain(`content="0;url=${to.replaceAll('&', '&amp;')}"`);
  });
});

describe('account page', () => {
  it('shows the user and links to the other account pages', async () => {
    signIn();
    const { html, headers } = await browser.open('/account');
    for (const text of ['hanako', '花子', 'hanako@example.com']) expect(html).toContain(text);
    for (const path of ['/hanako', '/applications', '/account/applications', '/account/identities', '/account/delete'])
      expect(html).toContain(`href="${path}"`);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['', '/profile', '/email', '/password', '/delete'])(
    '/account%s redirects anonymous users to the sign-in',
    async (path) => {
      const toSignIn = see(`/sign-in?to=${encodeURIComponent(`/account${path}`)}`);
      expect(seen(await browser.open(`/account${path}`))).toEqual(toSignIn);
      if (path === '') return;
      const { csrf } = await browser.open('/sign-in');
      expect(seen(await browser.send(`/account${path}`, { csrf }))).toEqual(see('/sign-in?to=%2Faccount'));
      expect((await browser.send(`/account${path}`, {})).status).toBe(403);
      expect(calls).toEqual([]);
    },
  );

  it('shows only known confirmations', async () => {
    signIn();
    expect((await browser.open('/account?done=email')).html).toContain('Your email address has been changed.');
    for (const done of ['%3Cb%3Eplanted', 'toString', '__proto__', 'email&done=email'])
      expect((await browser.open(`/account?done=${done}`)).html).not.toMatch(/role="status"|<b>|native/);
  });
});

describe('profile form', () => {
  it('shows the saved values and stores empty fields as null', async () => {
    signIn();
    const { html } = await browser.open('/account/profile');
    expect(html).toContain('I draw\n&lt;cats&gt;.</textarea>');
    const images = { avatar: 'HTTPS://Example.com/1.png ', header: '' };
    const texts = { displayName: ' Hana ', homePage: ' ', about: 'One\r\nTwo\r\n' };
    const done = await fill('/account/profile', { ...images, ...texts });
    expect(seen(done)).toEqual(see('/account?done=profile'));
    expect(calls.at(-1)).toEqual({
      name: 'users.update',
      payload: {
        viewerId: 1,
        displayName: 'Hana',
        avatarUrl: 'https://example.com/1.png',
        profile: { url: null, body: 'One\nTwo', headerUrl: null },
      },
    });
  });

  it('shows rejected values of its own fields only', async () => {
    signIn();
    const planted = { body: '<h1>planted', head: '/layout', t: 'x', context: 'x', base: '//evil.example' };
    for (const more of [planted, { title: 'planted', user: 'x', __blocks: 'x', constructor: 'x' }] as object[]) {
      const { status, html } = await fill('/account/profile', { homePage: 'no address', ...more });
      expect([status, errorAt(html, 'homePage')]).toEqual([422, expect.stringContaining('https://')]);
      expect(html).toContain('value="no address"');
      expect(html).not.toMatch(/planted|evil/);
    }
  });

  it('names the field in each of its Japanese errors of an address', async () => {
    signIn();
    const { csrf } = await browser.open('/account/profile');
    const form = { csrf, displayName: '', about: '', avatar: 'x', header: 'x', homePage: 'x' };
    const { html } = await browser.send('/account/profile', form, { 'accept-language': 'ja' });
    const texts = ['avatar', 'header', 'homePage'].map((field) => errorAt(html, field)?.split('は')[0]);
    expect(texts).toEqual(['アバター画像', 'ヘッダー画像', 'ウェブサイト']);
  });

  it.each(['homePage', 'avatar', 'header'])('rejects a javascript: URL: %s', async (field) => {
    signIn();
    const form = { displayName: '<b>', avatar: '', header: '', about: '<i>', homePage: '' };
    const { status, html } = await fill('/account/profile', { ...form, [field]: 'javascript:alert(1)' });
    expect([status, errorAt(html, field)]).toEqual([422, expect.stringContaining('https://')]);
    for (const text of ['value="&lt;b&gt;"', '&lt;i&gt;</textarea>']) expect(html).toContain(text);
  });
});

describe('email form', () => {
  it('changes the email address with the right password', async () => {
    signIn();
    const wrong = await fill('/account/email', { email: 'new@example.com', password: 'wrong' });
    expect([wrong.status, errorAt(wrong.html, 'password')]).toEqual([422, 'Incorrect password. Try again.']);
    expect(wrong.html).toContain('value="new@example.com"');
    const taken = await fill('/account/email', { email: 'taken@example.com', password });
    expect(errorAt(taken.html, 'email')).toBe('An account with this email address already exists.');
    const done = await fill('/account/email', { email: 'new@example.com', password });
    expect(seen(done)).toEqual(see('/account?done=email'));
  });

  it('changes the email address of a user without a password', async () => {
    hanako = { ...hanako, hasPassword: false };
    signIn();
    expect((await browser.open('/account/email')).html).not.toContain('type="password"');
    const done = await fill('/account/email', { email: 'new@example.com' });
    expect(seen(done)).toEqual(see('/account?done=email'));
    expect(calls.at(-1)!.payload).toMatchObject({ userId: 1, email: 'new@example.com', password: null });
  });
});

describe('password form', () => {
  it('changes the password and moves the browser to a new session', async () => {
    signIn();
    const before = browser.cookie();
    const wrong = await fill('/account/password', { password: '', newPassword: 'short' });
    expect([errorAt(wrong.html, 'password'), errorAt(wrong.html, 'newPassword')]).toEqual([
      'Enter your password.',
      'Enter a password of 10 to 1,000 characters.',
    ]);
    const easy = await fill('/account/password', { password, newPassword: 'password123' });
    expect(errorAt(easy.html, 'newPassword')).toContain('easy to guess');
    expect((await browser.open('/account/password')).html).toMatch(/name="endAccess" value="yes"(?![^>]*checked)/);
    const done = await fill('/account/password', { password, newPassword: 'four other words', endAccess: 'yes' });
    expect(calls.at(-1)!.payload).toMatchObject({ endAccess: true });
    expect(seen(done)).toEqual(see('/account?done=password'));
    expect(browser.cookie()).not.toBe(before);
    expect((await browser.open('/account')).status).toBe(200);
    browser.setSession(before!);
    expect((await browser.open('/account')).status).toBe(303);
  });

  it('sets a first password without a current one', async () => {
    hanako = { ...hanako, hasPassword: false };
    signIn();
    const { html } = await browser.open('/account/password');
    expect(html).toContain('Set a password');
    expect(html).not.toContain('current-password');
    const done = await fill('/account/password', { password: 'ignored', newPassword: 'four other words' });
    expect(seen(done)).toEqual(see('/account?done=password'));
    expect(calls.at(-1)!.payload).toMatchObject({ password: null, endAccess: false });
  });
});

it.each(['email', 'password', 'delete'])(
  '/account/%s rejects a user without a password whose sign-in is old',
  async (page) => {
    hanako = { ...hanako, hasPassword: false, isRecent: false };
    signIn();
    const form = { email: 'new@example.com', newPassword: 'four other words', confirmation: 'hanako' };
    const { status, html } = await fill(`/account/${page}`, form);
    expect([status, html.includes('You signed in more than 10 minutes ago')]).toEqual([422, true]);
    expect(calls).toEqual([]);
  },
);

it.each([
  ['email', { email: 'no address' }, 'email'],
  ['password', { newPassword: 'short' }, 'newPassword'],
  ['delete', { confirmation: 'taro' }, 'confirmation'],
])('/account/%s shows a wrong password together with an invalid %j', async (page, given, field) => {
  signIn();
  const { status, html } = await fill(`/account/${page}`, { ...given, password: 'wrong' });
  expect([status, errorAt(html, 'password')]).toEqual([422, 'Incorrect password. Try again.']);
  expect(errorAt(html, field)).toMatch(/^Enter/);
  const payload = { userId: 1, password: 'wrong', visitor: expect.anything() };
  expect(calls).toEqual([{ name: 'users.check-passwords', payload }]);
});

it('/account/password shows a new password that is easy to guess together with a missing password', async () => {
  signIn();
  const { html } = await fill('/account/password', { password: '', newPassword: 'password123' });
  expect([errorAt(html, 'password'), errorAt(html, 'newPassword')]).toEqual([
    'Enter your password.',
    expect.stringContaining('easy to guess'),
  ]);
});

describe('account deletion', () => {
  it('names what is lost', async () => {
    signIn();
    const { html } = await browser.open('/account/delete');
    expect(html).toContain('<li>Your lists, favorites and notifications</li>');
    expect(html).toContain('<li>Your webhook endpoints, with their events and deliveries</li>');
  });

  it('requires the user name and the password, deletes the account and signs out', async () => {
    signIn();
    const wrong = await fill('/account/delete', { confirmation: 'Hanako', password });
    expect([wrong.status, errorAt(wrong.html, 'confirmation')]).toEqual([422, expect.stringContaining('exactly')]);
    expect(calls.map(({ name }) => name)).toEqual(['users.check-passwords']);
    const rejected = await fill('/account/delete', { confirmation: 'hanako', password: 'wrong' });
    expect(errorAt(rejected.html, 'password')).toBe('Incorrect password. Try again.');
    expect(seen(await browser.open('/account/deleted'))).toEqual(see('/account'));
    const done = await fill('/account/delete', { confirmation: 'hanako', password });
    expect(seen(done)).toEqual(see('/account/deleted'));
    expect(browser.cookie()).toBeUndefined();
    const confirmation = await browser.open('/account/deleted');
    expect([
      confirmation.status,
      confirmation.html.includes('has been deleted'),
      confirmation.html.includes('花子'),
    ]).toEqual([...[200, true, false]]);
  });

  it('requires only the user name of a user without a password', async () => {
    hanako = { ...hanako, hasPassword: false };
    signIn();
    expect(seen(await fill('/account/delete', { confirmation: 'hanako' }))).toEqual(see('/account/deleted'));
    expect(calls.at(-1)!.payload).toMatchObject({ userId: 1, name: 'hanako', password: null });
  });
});
