import { Logger } from '@nestjs/common';
import { generateToken } from '../tokens/token.crypto.js';
import { client } from './testing/openid-client.js';
import { problemWith, IdentityStack, visitor } from './testing/identity-stack.js';

let stack: IdentityStack;

// Base URL with a path, which must be part of the callback URL
const baseUrl = 'https://shop.example.com/base';

beforeAll(async () => {
  Logger.overrideLogger(false);
  stack = await IdentityStack.start(baseUrl);
});
afterAll(() => stack.close());
beforeEach(() => stack.reset());

describe('signing in at a provider', () => {
  it('creates a user with a chosen name and without a password, and later signs that user in', async () => {
    const newUser = await stack.newUser('hanako');
    expect(newUser.suggestion).toEqual({ name: 'hanako', email: 'hanako@mail.example.com' });
    const { session, returnTo } = await stack.signUp('hanako', newUser);
    expect(returnTo).toBe('/account?a=1');
    const shown = await stack.sessions.show(session);
    expect(shown).toMatchObject({ active: true, user: { name: 'hanako', hasPassword: false } });
    expect(await stack.query('select kind from access_tokens')).toEqual([{ kind: 'personal' }]);
    expect(await stack.query('select provider, uid, nickname, url from identities')).toEqual([
      { provider: 'real', uid: 'hanako', nickname: 'hanako', url: 'https://people.example.com/hanako' },
    ]);
    expect(await stack.sessions.show(await stack.sessionOf('hanako'))).toEqual(shown);
    expect(await stack.signIn('hanako')).toMatchObject({ outcome: 'signed-in', returnTo: '/account?a=1' });
  });

  it('redirects with PKCE, a nonce and the callback below the base path', async () => {
    const parameters = Object.fromEntries(new URL(await stack.begin(generateToken())).searchParams);
    expect(parameters).toEqual({
      client_id: client.id,
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${baseUrl}/sign-in/with/real/callback`,
      code_challenge_method: 'S256',
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.any(String),
    });
  });

  it('suggests no unverified e-mail address', async () => {
    expect((await stack.newUser('newcomer')).suggestion).toEqual({ name: 'newcomer', email: '' });
  });

  it('stores no secret that could finish a sign-in', async () => {
    const browserToken = generateToken();
    const { searchParams } = new URL(await stack.begin(browserToken));
    const { ticket } = await stack.newUser('hanako');
    const [row] = await stack.query(
      `select (select string_agg(row_to_json(a)::text, '') from identity_attempts a)
         || (select string_agg(row_to_json(t)::text, '') from identity_tickets t) as text`,
    );
    for (const secret of [browserToken, searchParams.get('state')!, ticket]) expect(row!.text).not.toContain(secret);
  });

  it('does not sign in the user who has the e-mail address of the account at the provider', async () => {
    const { id } = await stack.addSignedInUser('taro');
    await stack.query(`update users set email = 'hanako@mail.example.com' where id = ${id}`);
    const newUser = await stack.newUser('hanako');
    await expect(stack.signUp('hanako', newUser, newUser.suggestion.email)).rejects.toMatchObject(
      problemWith('user.email-taken'),
    );
    expect(await stack.query('select id from identities')).toEqual([]);
    await stack.signUp('hanako', newUser, 'other@example.com');
    expect(await stack.query(`select user_id from identities where user_id = ${id}`)).toEqual([]);
  });

  it('starts at most a hundred times per IP address, and stores no row beyond that', async () => {
    const request = { provider: 'real', browserToken: generateToken(), userId: null, returnTo: '/', visitor };
    for (let n = 0; n < 100; n++) await stack.limiter.startProviderSignIn(visitor.address);
    await expect(stack.service.begin(request)).rejects.toMatchObject(problemWith('sign-in.too-many'));
    expect(await stack.query('select from identity_attempts')).toEqual([]);
    await stack.service.begin({ ...request, visitor: { ...visitor, address: '192.0.2.2' } });
  });

  it('is rejected as expired when the user to link to does not exist', async () => {
    await expect(stack.begin(generateToken(), 'real', 999_999)).rejects.toMatchObject(problemWith('identity.expired'));
  });

  it('is rejected when it is cancelled at the provider', async () => {
    const browserToken = generateToken();
    const callback = await stack.real.cancel(await stack.begin(browserToken));
    expect(callback.error).toBe('access_denied');
    await expect(stack.finish(browserToken, callback)).rejects.toMatchObject(problemWith('identity.refused'));
  });
});

describe('the callback of a provider', () => {
  const expired = problemWith('identity.expired');
  const rejected = problemWith('identity.refused');

  it('works in no other browser than the one that started the sign-in', async () => {
    const browserToken = generateToken();
    const callback = await stack.real.signIn(await stack.begin(browserToken), 'hanako');
    await expect(stack.finish(generateToken(), callback)).rejects.toMatchObject(expired);
    expect(await stack.finish(browserToken, callback)).toMatchObject({ outcome: 'new' });
  });

  it('works once, also when it is sent ten times concurrently', async () => {
    const browserToken = generateToken();
    const callback = await stack.real.signIn(await stack.begin(browserToken), 'hanako');
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => stack.finish(browserToken, callback)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(stack.finish(browserToken, callback)).rejects.toMatchObject(expired);
  });

  it.each<[string, (state: string) => Record<string, string>]>([
    ['no state', () => ({ code: 'c' })],
    ['another state', () => ({ code: 'c', state: generateToken() })],
    ['a state with a suffix', (state) => ({ code: 'c', state: `${state}x` })],
  ])('is expired with %s', async (_, parametersFor) => {
    const browserToken = generateToken();
    const state = new URL(await stack.begin(browserToken)).searchParams.get('state')!;
    await expect(stack.finish(browserToken, parametersFor(state))).rejects.toMatchObject(expired);
  });

  it('is rejected with the code of another sign-in, whose verifier and nonce differ', async () => {
    const own = generateToken();
    const foreign = await stack.real.signIn(await stack.begin(generateToken()), 'mallory');
    const callback = await stack.real.signIn(await stack.begin(own), 'hanako');
    await expect(stack.finish(own, { ...callback, code: foreign.code! })).rejects.toMatchObject(rejected);
    expect(await stack.query('select provider from identity_tickets')).toEqual([]);
  });

  it('is expired after the time limit of the sign-in', async () => {
    const browserToken = generateToken();
    const callback = stack.mallory.callbackParameters(await stack.begin(browserToken, 'mallory'));
    await stack.query(`update identity_attempts set expires_at = now() - interval '1 second'`);
    await expect(stack.finish(browserToken, callback, 'mallory')).rejects.toMatchObject(expired);
    expect(stack.mallory.requests).not.toContain('/token');
  });

  it('is rejected at the callback URL of another provider, which receives no code (mix-up)', async () => {
    const browserToken = generateToken();
    const callback = await stack.real.signIn(await stack.begin(browserToken), 'hanako');
    const mixed = { ...callback, iss: stack.mallory.issuer };
    await expect(stack.finish(browserToken, mixed, 'mallory')).rejects.toMatchObject(rejected);
    await expect(stack.finish(browserToken, callback)).rejects.toMatchObject(expired);
    expect(stack.mallory.requests).toEqual([]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['of another issuer', { iss: 'https://evil.example.com' }],
    ['that does not name its issuer', { iss: undefined }],
    ['without a code', { code: undefined }],
    ['that is an error', { code: undefined, error: 'server_error' }],
  ])('is rejected when it is a response %s', async (_, change) => {
    const browserToken = generateToken();
    const callback = stack.mallory.callbackParameters(await stack.begin(browserToken, 'mallory'));
    const parameters = Object.entries({ ...callback, ...change }).filter((it): it is [string, string] => !!it[1]);
    await expect(stack.finish(browserToken, Object.fromEntries(parameters), 'mallory')).rejects.toMatchObject(rejected);
    expect(stack.mallory.requests).not.toContain('/token');
  });

  it('is rejected for an unknown provider', async () => {
    await expect(stack.begin(generateToken(), 'unknown')).rejects.toMatchObject(
      problemWith('identity.provider-unknown'),
    );
    await expect(stack.finish(generateToken(), {}, 'unknown')).rejects.toMatchObject(
      problemWith('identity.provider-unknown'),
    );
  });
});

describe('the ticket of a new user', () => {
  const expired = problemWith('identity.expired');

  it('creates one user, also when it is sent five times concurrently', async () => {
    const newUser = await stack.newUser('hanako');
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => stack.signUp(`hanako${n}`, newUser)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(stack.signUp('hanako', newUser)).rejects.toMatchObject(expired);
    expect(await stack.query('select name from users where id > 0')).toHaveLength(1);
  });

  it('is invalid in another browser, and after its expiry', async () => {
    const { ticket, browserToken } = await stack.newUser('hanako');
    await expect(stack.signUp('hanako', { ticket, browserToken: generateToken() })).rejects.toMatchObject(expired);
    await expect(stack.signUp('hanako', { ticket: generateToken(), browserToken })).rejects.toMatchObject(expired);
    await stack.query(`update identity_tickets set expires_at = now() - interval '1 second'`);
    await expect(stack.signUp('hanako', { ticket, browserToken })).rejects.toMatchObject(expired);
    expect(await stack.query('select name from users where id > 0')).toEqual([]);
  });

  it('is not consumed by a name that is taken or reserved', async () => {
    await stack.addSignedInUser('taro');
    const newUser = await stack.newUser('hanako');
    await expect(stack.signUp('TARO', newUser, 'h@example.com')).rejects.toMatchObject(problemWith('user.name-taken'));
    await expect(stack.signUp('admin', newUser, 'TARO@example.com')).rejects.toMatchObject({
      ...problemWith('user.name-reserved'),
      errors: [
        { path: 'name', message: 'User name reserved' },
        { path: 'email', message: 'Email address already in use' },
      ],
    });
    expect(await stack.signUp('hanako', newUser)).toMatchObject({ session: expect.any(String) });
  });

  it('is invalid when another ticket has created a user with the same identity', async () => {
    const [first, second] = [await stack.newUser('hanako'), await stack.newUser('hanako')];
    await stack.signUp('hanako', first);
    await expect(stack.signUp('hanako2', second)).rejects.toMatchObject(problemWith('identity.taken'));
    expect(await stack.query('select name from users where id > 0')).toHaveLength(1);
  });
});
