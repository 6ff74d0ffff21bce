import { hashToken, hashToHex } from '../tokens/token.crypto.js';
import { lockFamily, revokeTokens } from '../tokens/token.repository.js';
import {
  succeeded,
  noStore,
  OAuthStack,
  parameters,
  pkce,
  oauthError,
  type TestApplication,
  tokenIn,
} from '../testing/oauth-stack.js';

let stack: OAuthStack;
let ownerId: number;
let userId: number;
let shop: TestApplication;
let other: TestApplication;
let phone: TestApplication;

const { verifier } = pkce();

beforeAll(async () => {
  stack = await OAuthStack.start();
  [ownerId, userId] = [await stack.addUser('creator'), await stack.addUser('hanako')];
  shop = await stack.addApplication(ownerId);
  other = await stack.addApplication(ownerId);
  phone = await stack.addApplication(ownerId, { public: true, redirectUri: 'com.example.app:/callback' });
});
afterAll(() => stack.db.close());
beforeEach(() => stack.db.database.query('delete from outbox'));

describe('with a token lifetime', () => {
  const seconds = 3_600;
  let oauth: OAuthStack['oauth'];
  const first = async (app = shop, scope = 'read write') => {
    const { body } = await stack.redeem(app, await stack.code(app, userId, { scope }), {}, oauth);
    return { token: body!['access_token'] as string, refresh: body!['refresh_token'] as string, body: body! };
  };
  const refresh = (app: TestApplication, token: string, more = {}) =>
    stack.token(app, { grant_type: 'refresh_token', refresh_token: token, ...more }, oauth);

  beforeAll(() => {
    oauth = stack.withLifetime(seconds);
  });

  it('a token response contains the lifetime and a refresh token', async () => {
    const { body, token } = await first();
    expect(body).toMatchObject({ expires_in: seconds, refresh_token: expect.stringMatching(/^[\w-]{43}$/) });
    const [row] = await stack.db.database.query<{ seconds: number }>(
      'select extract(epoch from expires_at - created_at)::int as seconds from access_tokens where hash = $1',
      [hashToken(token)],
    );
    expect(row).toEqual({ seconds });
  });

  it('a refresh token is exchanged for a new pair', async () => {
    const old = await first();
    const { status, body } = await refresh(shop, old.refresh);
    expect([status, body]).toMatchObject([200, { scope: 'read write', expires_in: seconds, token_type: 'Bearer' }]);
    expect(body!['access_token']).not.toBe(old.token);
    expect(await refresh(shop, body!['refresh_token'] as string)).toMatchObject(succeeded);
  });

  it('a used refresh token revokes the family, and publishes the revocations', async () => {
    const old = await first();
    const { body } = await refresh(shop, old.refresh);
    expect(await refresh(shop, old.refresh)).toMatchObject(oauthError('invalid_grant'));
    expect(await refresh(shop, body!['refresh_token'] as string)).toMatchObject(oauthError('invalid_grant'));
    expect([await stack.isValid(old.token), await stack.isValid(body!['access_token'])]).toEqual([false, false]);
    expect(await stack.revokedTokens()).toHaveLength(2);
  });

  it('a refresh token that is sent ten times concurrently is used at most once, and the family is revoked', async () => {
    const old = await first();
    const responses = await Promise.all(Array.from({ length: 10 }, () => refresh(shop, old.refresh)));
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const table of ['access_tokens', 'refresh_tokens'])
      expect(await stack.db.database.query(`select from ${table} where hash = $1`, [hashToken(old.token)])).toEqual([]);
    const tokens = [old.token, ...responses.flatMap(({ body }) => (body!['access_token'] as string | undefined) ?? [])];
    expect((await stack.revokedTokens()).sort()).toEqual(tokens.map((it) => hashToHex(hashToken(it))).sort());
  });

  it('a refresh token of another client is unknown, and stays valid for its own', async () => {
    const old = await first();
    expect(await refresh(other, old.refresh)).toMatchObject(oauthError('invalid_grant'));
    expect(await refresh(phone, old.refresh)).toMatchObject(oauthError('invalid_grant'));
    expect(await refresh(shop, old.refresh)).toMatchObject(succeeded);
    expect(await refresh(other, old.refresh)).toMatchObject(oauthError('invalid_grant'));
    expect(await stack.isValid(old.token)).toBe(true);
  });

  it('a refresh token without the secret of its client is rejected', async () => {
    const old = await first();
    const form = { grant_type: 'refresh_token', refresh_token: old.refresh, client_id: shop.clientId };
    expect(await oauth.token({ authorization: null, form: parameters(form) })).toMatchObject(
      oauthError('invalid_client'),
    );
    const withVerifier = parameters({ ...form, code_verifier: verifier });
    expect(await oauth.token({ authorization: null, form: withVerifier })).toMatchObject(oauthError('invalid_client'));
    expect(await refresh(shop, old.refresh)).toMatchObject(succeeded);
  });

  it('an expired refresh token is rejected', async () => {
    const old = await first();
    await stack.db.database.query('update refresh_tokens set expires_at = now() where hash = $1', [
      hashToken(old.refresh),
    ]);
    expect(await refresh(shop, old.refresh)).toMatchObject(oauthError('invalid_grant'));
    expect(await stack.isValid(old.token)).toBe(true);
  });

  it('a refresh may request fewer scopes, then the original ones again, and never more', async () => {
    const old = await first();
    const less = await refresh(shop, old.refresh, { scope: 'read' });
    expect(less.body).toMatchObject({ scope: 'read' });
    const again = await refresh(shop, less.body!['refresh_token'] as string, { scope: 'write read write' });
    expect(again.body).toMatchObject({ scope: 'read write' });
    const reading = await first(shop, 'read');
    expect(await refresh(shop, reading.refresh, { scope: 'read write' })).toMatchObject(oauthError('invalid_scope'));
    expect(await refresh(shop, reading.refresh, { scope: 'admin' })).toMatchObject(oauthError('invalid_scope'));
    expect(await refresh(shop, reading.refresh)).toMatchObject(succeeded);
  });

  it('a refresh is limited to the scopes that are still registered', async () => {
    const app = await stack.addApplication(ownerId);
    const old = await first(app);
    await stack.db.database.query(`update applications set scopes = '{read}' where id = $1`, [app.id]);
    expect(await refresh(app, old.refresh, { scope: 'write' })).toMatchObject(oauthError('invalid_scope'));
    expect((await refresh(app, old.refresh)).body).toMatchObject({ scope: 'read' });
  });

  it('a refresh is rejected after the consent is revoked', async () => {
    const app = await stack.addApplication(ownerId);
    const old = await first(app);
    await stack.db.database.query('delete from consents where application_id = $1', [app.id]);
    expect(await refresh(app, old.refresh)).toMatchObject(oauthError('invalid_grant'));
  });

  it('the second of two concurrent uses of a refresh token revokes the family', async () => {
    const old = await first();
    const { pending } = await stack.db.database.transaction(async (tx) => {
      const [{ hash }] = await tx.query<[{ hash: Buffer }]>(
        'select code_hash as hash from refresh_tokens where hash = $1',
        [hashToken(old.refresh)],
      );
      await lockFamily(tx, hash);
      const requests = [refresh(shop, old.refresh), refresh(shop, old.refresh)];
      await stack.waiting(2);
      return { pending: requests };
    });
    const responses = await Promise.all(pending);
    const newTokens = responses.flatMap(({ body }) => (body!['access_token'] as string | undefined) ?? []);
    expect(newTokens).toHaveLength(1);
    expect([await stack.isValid(old.token), await stack.isValid(newTokens[0])]).toEqual([false, false]);
  });

  it('a token that is issued while its consent is revoked does not outlive the consent', async () => {
    const app = await stack.addApplication(ownerId);
    const old = await first(app);
    const { pending } = await stack.db.database.transaction(async (tx) => {
      await tx.query('delete from consents where application_id = $1', [app.id]);
      const refreshing = refresh(app, old.refresh);
      await stack.waiting(1);
      await revokeTokens(tx, { applicationId: app.id, userId });
      return { pending: refreshing };
    });
    expect(await pending).toMatchObject(oauthError('invalid_grant'));
    for (const table of ['access_tokens', 'refresh_tokens'])
      expect(await stack.db.database.query(`select from ${table} where application_id = $1`, [app.id])).toEqual([]);
  });
});

describe('revocation', () => {
  const revoke = (app: TestApplication, token: string) =>
    stack.oauth.revoke({
      authorization: null,
      form: parameters({
        client_id: app.clientId,
        client_secret: app.secret ?? undefined,
        token,
        token_type_hint: 'x',
      }),
    });
  const done = { status: 200, headers: noStore, body: null };

  it.each(['access_token', 'refresh_token'])('of an %s revokes the family', async (kind) => {
    const oauth = stack.withLifetime(60);
    const { body } = await stack.redeem(shop, await stack.code(shop, userId), {}, oauth);
    expect(await revoke(shop, body![kind] as string)).toEqual(done);
    expect(await stack.isValid(body!['access_token'])).toBe(false);
    const again = { grant_type: 'refresh_token', refresh_token: body!['refresh_token'] as string };
    expect(await stack.token(shop, again, oauth)).toMatchObject(oauthError('invalid_grant'));
    expect(await stack.revokedTokens()).toEqual([hashToHex(hashToken(body!['access_token'] as string))]);
  });

  it('of a token of another client is no error and has no effect', async () => {
    const token = tokenIn(await stack.redeem(shop, await stack.code(shop, userId)));
    await stack.db.database.query(
      `insert into access_tokens (hash, user_id, kind, scopes) values ($1, $2, 'token', '{read}')
       on conflict do nothing`,
      [hashToken('made by an operator'), userId],
    );
    for (const value of [token, 'made by an operator', 'unknown']) expect(await revoke(other, value)).toEqual(done);
    expect([await stack.isValid(token), await stack.isValid('made by an operator')]).toEqual([true, true]);
  });

  it('requires a token and client authentication', async () => {
    const token = tokenIn(await stack.redeem(shop, await stack.code(shop, userId)));
    expect(await revoke(shop, '')).toMatchObject(oauthError('invalid_request'));
    expect(await revoke({ ...shop, secret: null }, token)).toMatchObject(oauthError('invalid_client'));
    expect(await stack.isValid(token)).toBe(true);
  });
});

describe('introspection', () => {
  const introspect = async (app: TestApplication, token: string) => {
    const form = parameters({ client_id: app.clientId, client_secret: app.secret ?? undefined, token });
    return stack.oauth.introspect({ authorization: null, form });
  };

  it("describes a client's own tokens", async () => {
    const { body } = await stack.redeem(shop, await stack.code(shop, userId), {}, stack.withLifetime(60));
    const expected = {
      active: true,
      scope: 'read',
      client_id: shop.clientId,
      username: 'hanako',
      sub: String(userId),
      iss: 'https://shop.example.com',
      iat: body!['created_at'],
      exp: (body!['created_at'] as number) + 60,
    };
    const response = await introspect(shop, body!['access_token'] as string);
    expect(response).toEqual({ status: 200, headers: noStore, body: { ...expected, token_type: 'Bearer' } });
    const refreshing = (await introspect(shop, body!['refresh_token'] as string)).body;
    expect(refreshing).toEqual({ ...expected, exp: expect.any(Number) });
    const rows = await stack.db.database.query(
      `select t.created_at = r.created_at as same from access_tokens t join refresh_tokens r using (code_hash)
       where t.hash = $1`,
      [hashToken(body!['access_token'] as string)],
    );
    expect(rows).toEqual([{ same: true }]);
  });

  it('reports tokens of other clients, unknown and expired tokens as inactive', async () => {
    const token = tokenIn(await stack.redeem(shop, await stack.code(shop, userId)));
    const inactive = { status: 200, headers: noStore, body: { active: false } };
    expect(await introspect(other, token)).toEqual(inactive);
    expect(await introspect(shop, 'unknown')).toEqual(inactive);
    await stack.db.database.query('update access_tokens set expires_at = now() where hash = $1', [hashToken(token)]);
    expect(await introspect(shop, token)).toEqual(inactive);
  });

  it('rejects clients without a secret, and requests without a token', async () => {
    expect(await introspect(phone, 'x')).toMatchObject(oauthError('invalid_client'));
    expect(await introspect({ ...shop, secret: null }, 'x')).toMatchObject(oauthError('invalid_client'));
    expect(await introspect(shop, '')).toMatchObject(oauthError('invalid_request'));
  });
});
