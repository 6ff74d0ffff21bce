import { OAuthStack, pkce, type TestApplication } from '../testing/oauth-stack.js';

let stack: OAuthStack;
let ownerId: number;
let userId: number;
let shop: TestApplication;
let phone: TestApplication;

const { challenge } = pkce();
const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };
const asking = (app: TestApplication) => ({
  response_type: 'code',
  client_id: app.clientId,
  redirect_uri: app.redirectUri,
  scope: 'read',
  state: 'xyz',
});
/** What the application reads at its redirect URI. */
const told = async (request: ReturnType<OAuthStack['authorize']>) => {
  const answer = await request;
  if (answer.next !== 'redirect') throw new Error(`not redirected: ${JSON.stringify(answer)}`);
  return Object.fromEntries(new URL(answer.to).searchParams);
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

describe('a request that cannot be trusted is refused and never redirected', () => {
  it.each<[string, Record<string, string | undefined>, string[]?]>([
    ['without a client', { client_id: undefined }],
    ['with an empty client', { client_id: '' }],
    ['of an unknown client', { client_id: 'unknown' }],
    ['of a client with control characters', { client_id: 'a\0b' }],
    ['with two clients', {}, ['client_id']],
    ['without a redirect URI', { redirect_uri: undefined }],
    ['with two redirect URIs', {}, ['redirect_uri']],
    ['with another redirect URI', { redirect_uri: 'https://evil.example/' }],
    ['with a redirect URI that begins like the right one', { redirect_uri: 'https://app.example.com/callback.evil' }],
    ['with a redirect URI that leads upwards', { redirect_uri: 'https://app.example.com/callback/../x' }],
    ['with a relative redirect URI', { redirect_uri: '//app.example.com/callback' }],
    ['with a script', { redirect_uri: 'javascript:alert(1)' }],
    ['with a redirect URI of another application', { redirect_uri: 'com.example.app:/callback' }],
    ['that is wrong in other ways too', { redirect_uri: 'https://evil.example/', response_type: 'token' }, ['scope']],
  ])('%s', async (_, wrong, repeated = []) => {
    const answer = await stack.authorize({ ...asking(shop), ...wrong }, { userId, decision: 'allow', repeated });
    expect(answer).toMatchObject({ next: 'refuse' });
  });
});

describe('an application is told what is wrong', () => {
  it.each<[string, string, Record<string, string | undefined>]>([
    ['no response type', 'invalid_request', { response_type: undefined }],
    ['a response type of old', 'unsupported_response_type', { response_type: 'token' }],
    ['a response type that every object has', 'unsupported_response_type', { response_type: 'constructor' }],
    ['an unknown scope', 'invalid_scope', { scope: 'read admin' }],
    ['a scope of blanks', 'invalid_scope', { scope: '  ' }],
    ['a scope with control characters', 'invalid_scope', { scope: 'read\0' }],
    ['a state with control characters', 'invalid_request', { state: 'a\r\nb' }],
    ['a challenge that is too short', 'invalid_request', { ...s256, code_challenge: challenge.slice(1) }],
    ['a challenge that is too long', 'invalid_request', { ...s256, code_challenge: `${challenge}a` }],
    ['a challenge of other characters', 'invalid_request', { ...s256, code_challenge: `${challenge.slice(1)}~` }],
    ['a plain challenge', 'invalid_request', { ...s256, code_challenge_method: 'plain' }],
    ['a challenge that is plain because nothing is said', 'invalid_request', { code_challenge: challenge }],
    ['an unknown method', 'invalid_request', { ...s256, code_challenge_method: '<b>evil</b>' }],
    ['a method without a challenge', 'invalid_request', { code_challenge_method: 'S256' }],
  ])('%s', async (_, error, wrong) => {
    const request = { ...asking(shop), ...wrong };
    const answer = await told(stack.authorize(request, { userId, decision: 'allow' }));
    expect(answer).toEqual({
      error,
      error_description: expect.stringMatching(/^[ !#-[\]-~]+$/),
      state: request.state,
    });
    expect(answer['error_description']).not.toContain('evil');
  });

  it('that a parameter came twice', async () => {
    expect(await told(stack.authorize(asking(shop), { repeated: ['scope'] }))).toMatchObject({
      error: 'invalid_request',
      state: 'xyz',
    });
    expect(await told(stack.authorize(asking(shop), { repeated: ['state'] }))).not.toHaveProperty('state');
  });

  it('that it needs PKCE when it has no secret', async () => {
    expect(await told(stack.authorize(asking(phone)))).toMatchObject({ error: 'invalid_request' });
    expect(await stack.authorize({ ...asking(phone), ...s256 })).toEqual({ next: 'sign-in' });
  });

  it('that it has not registered a scope', async () => {
    const reader = await stack.addApplication(ownerId, { scopes: ['read'] });
    const answer = await told(stack.authorize({ ...asking(reader), scope: 'read write' }));
    expect(answer).toMatchObject({ error: 'invalid_scope' });
    const writer = await stack.addApplication(ownerId, { scopes: ['write'] });
    expect(await told(stack.authorize({ ...asking(writer), scope: undefined }))).toMatchObject({
      error: 'invalid_scope',
    });
  });
});

describe('a user', () => {
  it('has to sign in first, even to say yes or no', async () => {
    for (const decision of [null, 'allow', 'deny'] as const)
      expect(await stack.authorize(asking(shop), { decision })).toEqual({ next: 'sign-in' });
  });

  it('is asked, and nothing is given meanwhile', async () => {
    const before = await codes();
    expect(await stack.authorize({ ...asking(shop), scope: 'write read write' }, { userId })).toEqual({
      next: 'ask',
      application: { name: 'Cat Shirts', description: 'Shirts with cats.', homePage: null, ownerName: 'creator' },
      scopes: ['read', 'write'],
      granted: [],
      redirectUri: shop.redirectUri,
    });
    expect(await codes()).toBe(before);
  });

  it('is asked for reading when no scope is named', async () => {
    const answer = await stack.authorize({ ...asking(shop), scope: undefined }, { userId });
    expect(answer).toMatchObject({ next: 'ask', scopes: ['read'] });
  });

  it('says no', async () => {
    const before = await codes();
    expect(await told(stack.authorize(asking(shop), { userId, decision: 'deny' }))).toMatchObject({
      error: 'access_denied',
      state: 'xyz',
    });
    expect(await codes()).toBe(before);
  });

  it('says yes, and the application gets a code with its state', async () => {
    const state = 'a b&code=evil%00+"\\<';
    const answer = await told(stack.authorize({ ...asking(shop), state }, { userId, decision: 'allow' }));
    expect(answer).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), state });
  });

  it('cannot be answered for by the application', async () => {
    const request = { ...asking(shop), allowed: 'false', decision: 'allow', user_id: '1' };
    expect(await stack.authorize(request, { userId })).toMatchObject({ next: 'ask' });
  });

  it('is not asked again for what was allowed, but for more', async () => {
    await stack.code(shop, userId, { scope: 'read' });
    expect(await told(stack.authorize(asking(shop), { userId }))).toMatchObject({ code: expect.any(String) });
    const more = { ...asking(shop), scope: 'read write' };
    expect(await stack.authorize(more, { userId })).toMatchObject({ next: 'ask', granted: ['read'] });
    await stack.code(shop, userId, { scope: 'write' });
    expect(await told(stack.authorize(more, { userId }))).toMatchObject({ code: expect.any(String) });
  });

  it('is not taken for another one', async () => {
    await stack.code(shop, userId);
    expect(await stack.authorize(asking(shop), { userId: ownerId })).toMatchObject({ next: 'ask', granted: [] });
  });

  it('is always asked about a native application, which anybody could pretend to be', async () => {
    await stack.code(phone, userId, s256);
    const request = { ...asking(phone), ...s256 };
    expect(await stack.authorize(request, { userId })).toMatchObject({ next: 'ask', granted: ['read'] });
    const here = await stack.addApplication(ownerId, { public: true, redirectUri: 'http://127.0.0.1/callback' });
    await stack.code(here, userId, s256);
    expect(await stack.authorize({ ...asking(here), ...s256 }, { userId })).toMatchObject({ next: 'ask' });
    const page = await stack.addApplication(ownerId, { public: true });
    await stack.code(page, userId, s256);
    expect(await told(stack.authorize({ ...asking(page), ...s256 }, { userId }))).toHaveProperty('code');
  });

  it('who has left gets no code', async () => {
    const leaving = await stack.addUser('leaving');
    await stack.db.database.query('delete from users where id = $1', [leaving]);
    const answer = await stack.authorize(asking(shop), { userId: leaving, decision: 'allow' });
    expect(answer).toMatchObject({ next: 'refuse' });
  });
});

describe('the address that the answer goes to', () => {
  it('names the issuer for an application that has switched it on, in codes and in errors', async () => {
    const app = await stack.addApplication(ownerId, { namesIssuer: true });
    const iss = 'https://shop.example.com';
    for (const [decision, answer] of [
      ['allow', { code: expect.stringMatching(/^[\w-]{43}$/) }],
      ['deny', { error: 'access_denied', error_description: expect.any(String) }],
    ] as const)
      expect(await told(stack.authorize(asking(app), { userId, decision }))).toEqual({ ...answer, state: 'xyz', iss });
  });

  it('keeps a query of its own', async () => {
    const redirectUri = 'https://app.example.com/callback?tenant=1&x=%20';
    const app = await stack.addApplication(ownerId, { redirectUri });
    const answer = await stack.authorize(asking(app), { userId, decision: 'allow' });
    expect(answer).toMatchObject({
      to: expect.stringMatching(/^https:\/\/app\.example\.com\/callback\?tenant=1&x=%20&code=/),
    });
    const denied = await stack.authorize(asking(app), { userId, decision: 'deny' });
    expect(denied).toMatchObject({ to: expect.stringContaining('?tenant=1&x=%20&error=access_denied&') });
  });

  it.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback'],
    ['http://[::1]/callback', 'http://[::1]:51004/callback'],
    ['com.example.other:/callback', 'com.example.other:/callback'],
  ])('registered as %s may be %s', async (registered, given) => {
    const app = await stack.addApplication(ownerId, { redirectUri: registered });
    const request = { ...asking(app), redirect_uri: given };
    const answer = await stack.authorize(request, { userId, decision: 'allow' });
    expect(answer).toMatchObject({ next: 'redirect', to: expect.stringContaining(`${given}?code=`) });
  });
});

it('a code is stored as a hash, for a minute', async () => {
  const code = await stack.code(shop, userId);
  const [row] = await stack.db.database.query<{ seconds: number; hasCode: boolean }>(
    `select extract(epoch from expires_at - created_at)::int as seconds, c::text like '%' || $1 || '%' as "hasCode"
     from authorization_codes c order by created_at desc limit 1`,
    [code],
  );
  expect(row).toEqual({ seconds: 60, hasCode: false });
});
