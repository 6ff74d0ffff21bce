import { OAuthStack, pkce, type TestApplication } from '../testing/oauth-stack.js';

let stack: OAuthStack;
let ownerId: number;
let userId: number;
let shop: TestApplication;
let phone: TestApplication;

const { challenge } = pkce();
const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };
const requestFor = (app: TestApplication) => ({
  response_type: 'code',
  client_id: app.clientId,
  redirect_uri: app.redirectUri,
  scope: 'read',
  state: 'xyz',
});
/** Returns the parameters of the redirect to the application. */
const redirectParameters = async (request: ReturnType<OAuthStack['authorize']>) => {
  const result = await request;
  if (result.next !== 'redirect') throw new Error(`not redirected: ${JSON.stringify(result)}`);
  return Object.fromEntries(new URL(result.to).searchParams);
};
const codes = async () => (await stack.db.database.query('select from authorization_codes')).length;

beforeAll(async () => {
  stack = await OAuthStack.start();
  [ownerId, userId] = [await stack.addUser('creator'), await stack.addUser('hanako')];
  shop = await stack.addApplication(ownerId);
  phone = await stack.addApplication(ownerId, { public: true, redirectUri: 'com.example.app:/callback' });
});
afterAll(() => stack.db.close());
beforeEach(() => stack.db.database.query('delete from consents'));

describe('an untrusted request is rejected and never redirected', () => {
  it.each<[string, Record<string, string | undefined>, string[]?]>([
    ['without a client', { client_id: undefined }],
    ['with an empty client', { client_id: '' }],
    ['of an unknown client', { client_id: 'unknown' }],
    ['of a client with control characters', { client_id: 'a\0b' }],
    ['with two clients', {}, ['client_id']],
    ['without a redirect URI', { redirect_uri: undefined }],
    ['with two redirect URIs', {}, ['redirect_uri']],
    ['with another redirect URI', { redirect_uri: 'https://evil.example/' }],
    [
      'with a redirect URI that has the right one as a prefix',
      { redirect_uri: 'https://app.example.com/callback.evil' },
    ],
    ['with a redirect URI that contains ..', { redirect_uri: 'https://app.example.com/callback/../x' }],
    ['with a relative redirect URI', { redirect_uri: '//app.example.com/callback' }],
    ['with a javascript: redirect URI', { redirect_uri: 'javascript:alert(1)' }],
    ['with a redirect URI of another application', { redirect_uri: 'com.example.app:/callback' }],
    [
      'with other errors beside the redirect URI',
      { redirect_uri: 'https://evil.example/', response_type: 'token' },
      ['scope'],
    ],
  ])('%s', async (_, change, repeated = []) => {
    const result = await stack.authorize({ ...requestFor(shop), ...change }, { userId, decision: 'allow', repeated });
    expect(result).toMatchObject({ next: 'reject' });
  });
});

describe('an error is sent to the application', () => {
  it.each<[string, string, Record<string, string | undefined>]>([
    ['no response type', 'invalid_request', { response_type: undefined }],
    ['an obsolete response type', 'unsupported_response_type', { response_type: 'token' }],
    [
      'a response type that is a property of Object.prototype',
      'unsupported_response_type',
      { response_type: 'constructor' },
    ],
    ['an unknown scope', 'invalid_scope', { scope: 'read admin' }],
    ['the scope of a printer', 'invalid_scope', { scope: 'read production' }],
    ['a scope of blanks', 'invalid_scope', { scope: '  ' }],
    ['a scope with control characters', 'invalid_scope', { scope: 'read\0' }],
    ['a state with control characters', 'invalid_request', { state: 'a\r\nb' }],
    ['a challenge that is too short', 'invalid_request', { ...s256, code_challenge: challenge.slice(1) }],
    ['a challenge that is too long', 'invalid_request', { ...s256, code_challenge: `${challenge}a` }],
    ['a challenge of other characters', 'invalid_request', { ...s256, code_challenge: `${challenge.slice(1)}~` }],
    ['a plain challenge', 'invalid_request', { ...s256, code_challenge_method: 'plain' }],
    ['a challenge without a method, which would be plain', 'invalid_request', { code_challenge: challenge }],
    ['an unknown method', 'invalid_request', { ...s256, code_challenge_method: '<b>evil</b>' }],
    ['a method without a challenge', 'invalid_request', { code_challenge_method: 'S256' }],
  ])('for %s', async (_, error, change) => {
    const request = { ...requestFor(shop), ...change };
    const result = await redirectParameters(stack.authorize(request, { userId, decision: 'allow' }));
    expect(result).toEqual({
      error,
      error_description: expect.stringMatching(/^[ !#-[\]-~]+$/),
      state: request.state,
    });
    expect(result['error_description']).not.toContain('evil');
  });

  it('for a repeated parameter', async () => {
    expect(await redirectParameters(stack.authorize(requestFor(shop), { repeated: ['scope'] }))).toMatchObject({
      error: 'invalid_request',
      state: 'xyz',
    });
    expect(await redirectParameters(stack.authorize(requestFor(shop), { repeated: ['state'] }))).not.toHaveProperty(
      'state',
    );
  });

  it('for a public client without PKCE', async () => {
    expect(await redirectParameters(stack.authorize(requestFor(phone)))).toMatchObject({ error: 'invalid_request' });
    expect(await stack.authorize({ ...requestFor(phone), ...s256 })).toEqual({ next: 'sign-in' });
  });

  it('for a scope that is not registered', async () => {
    const reader = await stack.addApplication(ownerId, { scopes: ['read'] });
    const result = await redirectParameters(stack.authorize({ ...requestFor(reader), scope: 'read write' }));
    expect(result).toMatchObject({ error: 'invalid_scope' });
    const writer = await stack.addApplication(ownerId, { scopes: ['write'] });
    expect(await redirectParameters(stack.authorize({ ...requestFor(writer), scope: undefined }))).toMatchObject({
      error: 'invalid_scope',
    });
  });
});

describe('a user', () => {
  it('must sign in first, even with a decision', async () => {
    for (const decision of [null, 'allow', 'deny'] as const)
      expect(await stack.authorize(requestFor(shop), { decision })).toEqual({ next: 'sign-in' });
  });

  it('sees the consent page, and no code is issued', async () => {
    const before = await codes();
    expect(await stack.authorize({ ...requestFor(shop), scope: 'write read write' }, { userId })).toEqual({
      next: 'consent',
      application: { name: 'Cat Shirts', description: 'Shirts with cats.', homePage: null, ownerName: 'creator' },
      scopes: ['read', 'write'],
      granted: [],
      redirectUri: shop.redirectUri,
    });
    expect(await codes()).toBe(before);
  });

  it('is prompted for read by default', async () => {
    const result = await stack.authorize({ ...requestFor(shop), scope: undefined }, { userId });
    expect(result).toMatchObject({ next: 'consent', scopes: ['read'] });
  });

  it('denies the request', async () => {
    const before = await codes();
    expect(await redirectParameters(stack.authorize(requestFor(shop), { userId, decision: 'deny' }))).toMatchObject({
      error: 'access_denied',
      state: 'xyz',
    });
    expect(await codes()).toBe(before);
  });

  it('allows the request, and the application receives a code with its state', async () => {
    const state = 'a b&code=evil%00+"\\<';
    const result = await redirectParameters(
      stack.authorize({ ...requestFor(shop), state }, { userId, decision: 'allow' }),
    );
    expect(result).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), state });
  });

  it('still has to decide when the application sends parameters that look like a decision', async () => {
    const request = { ...requestFor(shop), allowed: 'false', decision: 'allow', user_id: '1' };
    expect(await stack.authorize(request, { userId })).toMatchObject({ next: 'consent' });
  });

  it('is prompted again only for additional scopes', async () => {
    await stack.code(shop, userId, { scope: 'read' });
    expect(await redirectParameters(stack.authorize(requestFor(shop), { userId }))).toMatchObject({
      code: expect.any(String),
    });
    const more = { ...requestFor(shop), scope: 'read write' };
    expect(await stack.authorize(more, { userId })).toMatchObject({ next: 'consent', granted: ['read'] });
    const others = { ...requestFor(shop), scope: 'write' };
    expect(await stack.authorize(others, { userId })).toMatchObject({ next: 'consent', granted: [] });
    await stack.code(shop, userId, { scope: 'write' });
    expect(await redirectParameters(stack.authorize(more, { userId }))).toMatchObject({ code: expect.any(String) });
  });

  it('has only consents that this user gave', async () => {
    await stack.code(shop, userId);
    expect(await stack.authorize(requestFor(shop), { userId: ownerId })).toMatchObject({
      next: 'consent',
      granted: [],
    });
  });

  it('is always prompted for a native application, which others could impersonate', async () => {
    await stack.code(phone, userId, s256);
    const request = { ...requestFor(phone), ...s256 };
    expect(await stack.authorize(request, { userId })).toMatchObject({ next: 'consent', granted: ['read'] });
    const loopbackApp = await stack.addApplication(ownerId, { public: true, redirectUri: 'http://127.0.0.1/callback' });
    await stack.code(loopbackApp, userId, s256);
    expect(await stack.authorize({ ...requestFor(loopbackApp), ...s256 }, { userId })).toMatchObject({
      next: 'consent',
    });
    const webApp = await stack.addApplication(ownerId, { public: true });
    await stack.code(webApp, userId, s256);
    expect(await redirectParameters(stack.authorize({ ...requestFor(webApp), ...s256 }, { userId }))).toHaveProperty(
      'code',
    );
  });

  it('gets no code after deletion', async () => {
    const deletedUser = await stack.addUser('deleted');
    await stack.db.database.query('delete from users where id = $1', [deletedUser]);
    const result = await stack.authorize(requestFor(shop), { userId: deletedUser, decision: 'allow' });
    expect(result).toMatchObject({ next: 'reject' });
  });
});

describe('the redirect', () => {
  it('contains iss for an application that enables it, in codes and in errors', async () => {
    const app = await stack.addApplication(ownerId, { namesIssuer: true });
    const iss = 'https://shop.example.com';
    for (const [decision, result] of [
      ['allow', { code: expect.stringMatching(/^[\w-]{43}$/) }],
      ['deny', { error: 'access_denied', error_description: expect.any(String) }],
    ] as const)
      expect(await redirectParameters(stack.authorize(requestFor(app), { userId, decision }))).toEqual({
        ...result,
        state: 'xyz',
        iss,
      });
  });

  it('preserves the query of the redirect URI', async () => {
    const redirectUri = 'https://app.example.com/callback?tenant=1&x=%20';
    const app = await stack.addApplication(ownerId, { redirectUri });
    const result = await stack.authorize(requestFor(app), { userId, decision: 'allow' });
    expect(result).toMatchObject({
      to: expect.stringMatching(/^https:\/\/app\.example\.com\/callback\?tenant=1&x=%20&code=/),
    });
    const denied = await stack.authorize(requestFor(app), { userId, decision: 'deny' });
    expect(denied).toMatchObject({ to: expect.stringContaining('?tenant=1&x=%20&error=access_denied&') });
  });

  it.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback'],
    ['http://[::1]/callback', 'http://[::1]:51004/callback'],
    ['com.example.other:/callback', 'com.example.other:/callback'],
  ])('to %s may use %s', async (registered, given) => {
    const app = await stack.addApplication(ownerId, { redirectUri: registered });
    const request = { ...requestFor(app), redirect_uri: given };
    const result = await stack.authorize(request, { userId, decision: 'allow' });
    expect(result).toMatchObject({ next: 'redirect', to: expect.stringContaining(`${given}?code=`) });
  });
});

it('stores a code as a hash, with a lifetime of one minute', async () => {
  const code = await stack.code(shop, userId);
  const [row] = await stack.db.database.query<{ seconds: number; hasCode: boolean }>(
    `select extract(epoch from expires_at - created_at)::int as seconds, c::text like '%' || $1 || '%' as "hasCode"
     from authorization_codes c order by created_at desc limit 1`,
    [code],
  );
  expect(row).toEqual({ seconds: 60, hasCode: false });
});
