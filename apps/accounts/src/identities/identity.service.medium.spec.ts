import { Logger } from '@nestjs/common';
import { freshToken } from '../tokens/token.crypto.js';
import { client } from './testing/openid-client.js';
import { code, IdentityStack, visitor } from './testing/identity-stack.js';

let stack: IdentityStack;

// The shop lives below a path, which the callback address keeps
const baseUrl = 'https://shop.example.com/base';

beforeAll(async () => {
  Logger.overrideLogger(false);
  stack = await IdentityStack.start(baseUrl);
});
afterAll(() => stack.close());
beforeEach(() => stack.reset());

describe('somebody who signs in at a provider', () => {
  it('and is not known yet chooses a name, is a user without a password, and is known from then on', async () => {
    const newcomer = await stack.newcomer('hanako');
    expect(newcomer.suggestion).toEqual({ name: 'hanako', email: 'hanako@mail.example.com' });
    const { session, returnTo } = await stack.signUp('hanako', newcomer);
    expect(returnTo).toBe('/account?a=1');
    const shown = await stack.sessions.show(session);
    expect(shown).toMatchObject({ active: true, user: { name: 'hanako', hasPassword: false } });
    expect(await stack.rows('select kind from access_tokens')).toEqual([{ kind: 'personal' }]);
    expect(await stack.rows('select provider, uid, nickname, url from identities')).toEqual([
      { provider: 'real', uid: 'hanako', nickname: 'hanako', url: 'https://people.example.com/hanako' },
    ]);
    expect(await stack.sessions.show(await stack.sessionOf('hanako'))).toEqual(shown);
    expect(await stack.arrive('hanako')).toMatchObject({ outcome: 'signed-in', returnTo: '/account?a=1' });
  });

  it('is asked for what a sign-in needs, with PKCE, a nonce and the callback below our path', async () => {
    const asked = Object.fromEntries(new URL(await stack.begin(freshToken())).searchParams);
    expect(asked).toEqual({
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

  it('is offered no e-mail address that was not verified', async () => {
    expect((await stack.newcomer('newcomer')).suggestion).toEqual({ name: 'newcomer', email: '' });
  });

  it('leaves nothing in the database that a thief of it could finish with', async () => {
    const visit = freshToken();
    const { searchParams } = new URL(await stack.begin(visit));
    const { ticket } = await stack.newcomer('hanako');
    const [kept] = await stack.rows(
      `select (select string_agg(row_to_json(a)::text, '') from identity_attempts a)
         || (select string_agg(row_to_json(t)::text, '') from identity_tickets t) as text`,
    );
    for (const secret of [visit, searchParams.get('state')!, ticket]) expect(kept!.text).not.toContain(secret);
  });

  it('and has the address of a user is not taken for that user', async () => {
    const { id } = await stack.member('taro');
    await stack.rows(`update users set email = 'hanako@mail.example.com' where id = ${id}`);
    const newcomer = await stack.newcomer('hanako');
    await expect(stack.signUp('hanako', newcomer, newcomer.suggestion.email)).rejects.toMatchObject(
      code('user.email-taken'),
    );
    expect(await stack.rows('select id from identities')).toEqual([]);
    await stack.signUp('hanako', newcomer, 'other@example.com');
    expect(await stack.rows(`select user_id from identities where user_id = ${id}`)).toEqual([]);
  });

  it('sets out a hundred times from one address, whoever it is, and leaves no row after that', async () => {
    const request = { provider: 'real', visit: freshToken(), userId: null, returnTo: '/', visitor };
    for (let n = 0; n < 100; n++) await stack.attempts.setOut(visitor.address);
    await expect(stack.service.begin(request)).rejects.toMatchObject(code('sign-in.too-many'));
    expect(await stack.rows('select from identity_attempts')).toEqual([]);
    await stack.service.begin({ ...request, visitor: { ...visitor, address: '192.0.2.2' } });
  });

  it('and has left meanwhile is told to begin again', async () => {
    await expect(stack.begin(freshToken(), 'real', 999_999)).rejects.toMatchObject(code('identity.expired'));
  });

  it('and thinks better of it is refused', async () => {
    const visit = freshToken();
    const back = await stack.real.cancel(await stack.begin(visit));
    expect(back.error).toBe('access_denied');
    await expect(stack.finish(visit, back)).rejects.toMatchObject(code('identity.refused'));
  });
});

describe('what a browser comes back with', () => {
  const expired = code('identity.expired');
  const refused = code('identity.refused');

  it('works in no other browser: neither a stolen state nor one that somebody was led to', async () => {
    const visit = freshToken();
    const back = await stack.real.signIn(await stack.begin(visit), 'hanako');
    await expect(stack.finish(freshToken(), back)).rejects.toMatchObject(expired);
    expect(await stack.finish(visit, back)).toMatchObject({ outcome: 'new' });
  });

  it('works once, also when it comes ten times at once', async () => {
    const visit = freshToken();
    const back = await stack.real.signIn(await stack.begin(visit), 'hanako');
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => stack.finish(visit, back)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(stack.finish(visit, back)).rejects.toMatchObject(expired);
  });

  it.each<[string, (state: string) => Record<string, string>]>([
    ['no state', () => ({ code: 'c' })],
    ['another state', () => ({ code: 'c', state: freshToken() })],
    ['a state with more behind it', (state) => ({ code: 'c', state: `${state}x` })],
  ])('is nothing with %s', async (_, made) => {
    const visit = freshToken();
    const state = new URL(await stack.begin(visit)).searchParams.get('state')!;
    await expect(stack.finish(visit, made(state))).rejects.toMatchObject(expired);
  });

  it('is refused with the code of another sign-in, whose verifier and nonce are others', async () => {
    const own = freshToken();
    const foreign = await stack.real.signIn(await stack.begin(freshToken()), 'mallory');
    const back = await stack.real.signIn(await stack.begin(own), 'hanako');
    await expect(stack.finish(own, { ...back, code: foreign.code! })).rejects.toMatchObject(refused);
    expect(await stack.rows('select provider from identity_tickets')).toEqual([]);
  });

  it('is too late after ten minutes', async () => {
    const visit = freshToken();
    const back = stack.mallory.back(await stack.begin(visit, 'mallory'));
    await stack.rows(`update identity_attempts set expires_at = now() - interval '1 second'`);
    await expect(stack.finish(visit, back, 'mallory')).rejects.toMatchObject(expired);
    expect(stack.mallory.asked).not.toContain('/token');
  });

  it('is refused at the callback of another provider, which gets to see no code (mix-up)', async () => {
    const visit = freshToken();
    const back = await stack.real.signIn(await stack.begin(visit), 'hanako');
    const mixed = { ...back, iss: stack.mallory.issuer };
    await expect(stack.finish(visit, mixed, 'mallory')).rejects.toMatchObject(refused);
    await expect(stack.finish(visit, back)).rejects.toMatchObject(expired);
    expect(stack.mallory.asked).toEqual([]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['of another issuer', { iss: 'https://evil.example.com' }],
    ['that does not name its issuer', { iss: undefined }],
    ['without a code', { code: undefined }],
    ['that is an error', { code: undefined, error: 'server_error' }],
  ])('is refused with an answer %s', async (_, change) => {
    const visit = freshToken();
    const back = stack.mallory.back(await stack.begin(visit, 'mallory'));
    const parameters = Object.entries({ ...back, ...change }).filter((it): it is [string, string] => !!it[1]);
    await expect(stack.finish(visit, Object.fromEntries(parameters), 'mallory')).rejects.toMatchObject(refused);
    expect(stack.mallory.asked).not.toContain('/token');
  });

  it('is nobody of a provider that is not there', async () => {
    await expect(stack.begin(freshToken(), 'nobody')).rejects.toMatchObject(code('identity.provider-unknown'));
    await expect(stack.finish(freshToken(), {}, 'nobody')).rejects.toMatchObject(code('identity.provider-unknown'));
  });
});

describe('the ticket of a newcomer', () => {
  const expired = code('identity.expired');

  it('makes one user, also when it is sent five times at once', async () => {
    const newcomer = await stack.newcomer('hanako');
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => stack.signUp(`hanako${n}`, newcomer)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(stack.signUp('hanako', newcomer)).rejects.toMatchObject(expired);
    expect(await stack.rows('select name from users where id > 0')).toHaveLength(1);
  });

  it('is nothing in another browser, and after a quarter of an hour', async () => {
    const { ticket, visit } = await stack.newcomer('hanako');
    await expect(stack.signUp('hanako', { ticket, visit: freshToken() })).rejects.toMatchObject(expired);
    await expect(stack.signUp('hanako', { ticket: freshToken(), visit })).rejects.toMatchObject(expired);
    await stack.rows(`update identity_tickets set expires_at = now() - interval '1 second'`);
    await expect(stack.signUp('hanako', { ticket, visit })).rejects.toMatchObject(expired);
    expect(await stack.rows('select name from users where id > 0')).toEqual([]);
  });

  it('is not spent on a name that is taken or reserved', async () => {
    await stack.member('taro');
    const newcomer = await stack.newcomer('hanako');
    await expect(stack.signUp('TARO', newcomer, 'h@example.com')).rejects.toMatchObject(code('user.name-taken'));
    await expect(stack.signUp('admin', newcomer)).rejects.toMatchObject(code('user.name-reserved'));
    expect(await stack.signUp('hanako', newcomer)).toMatchObject({ session: expect.any(String) });
  });

  it('is worth nothing when somebody else was first with the same identity', async () => {
    const [first, second] = [await stack.newcomer('hanako'), await stack.newcomer('hanako')];
    await stack.signUp('hanako', first);
    await expect(stack.signUp('hanako2', second)).rejects.toMatchObject(code('identity.taken'));
    expect(await stack.rows('select name from users where id > 0')).toHaveLength(1);
  });
});
