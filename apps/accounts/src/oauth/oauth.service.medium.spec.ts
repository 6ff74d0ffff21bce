import { jest } from '@jest/globals';
import { hashToken, hashToHex } from '../tokens/token.crypto.js';
import {
  basic,
  succeeded,
  noStore,
  OAuthStack,
  parameters,
  pkce,
  oauthError,
  type TestApplication,
  tokenIn,
} from '../testing/oauth-stack.js';
import { maxAccessTokensPerConsent } from './issued-token.repository.js';

let stack: OAuthStack;
let ownerId: number;
let userId: number;
let shop: TestApplication;
let other: TestApplication;
let phone: TestApplication;

const { verifier, challenge } = pkce();
const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };
const isRedeemed = async (code: string) => {
  const [row] = await stack.db.database.query<{ redeemed: boolean }>(
    'select redeemed_at is not null as redeemed from authorization_codes where hash = $1',
    [hashToken(code)],
  );
  return row?.redeemed;
};

beforeAll(async () => {
  stack = await OAuthStack.start();
  [ownerId, userId] = [await stack.addUser('creator'), await stack.addUser('hanako')];
  shop = await stack.addApplication(ownerId);
  other = await stack.addApplication(ownerId);
  phone = await stack.addApplication(ownerId, { public: true, redirectUri: 'com.example.app:/callback' });
});
afterAll(() => stack.db.close());
beforeEach(() => stack.db.database.query('delete from outbox'));

describe('redeeming a code', () => {
  it('issues a token that is valid until it is revoked', async () => {
    const code = await stack.code(shop, userId, { scope: 'write read' });
    const response = await stack.redeem(shop, code);
    expect(response).toEqual({
      status: 200,
      headers: noStore,
      body: {
        access_token: expect.stringMatching(/^[\w-]{43}$/),
        token_type: 'Bearer',
        scope: 'read write',
        created_at: expect.any(Number),
      },
    });
    expect(Math.abs((response.body!['created_at'] as number) - Date.now() / 1_000)).toBeLessThan(60);
    expect(await stack.isValid(tokenIn(response))).toBe(true);
  });

  it('accepts a client that authenticates with HTTP Basic', async () => {
    const form = { grant_type: 'authorization_code', redirect_uri: shop.redirectUri };
    for (const more of [{}, { client_id: shop.clientId }]) {
      const code = await stack.code(shop, userId);
      const authorization = basic(shop.clientId, shop.secret!);
      expect(await stack.oauth.token({ authorization, form: parameters({ ...form, ...more, code }) })).toMatchObject(
        succeeded,
      );
    }
  });

  it('accepts a public client with its verifier', async () => {
    const code = await stack.code(phone, userId, s256);
    expect(await stack.redeem(phone, code, { code_verifier: verifier })).toMatchObject(succeeded);
  });

  it('requires the port of the authorization request', async () => {
    const loopbackApp = await stack.addApplication(ownerId, { public: true, redirectUri: 'http://127.0.0.1/callback' });
    const from = { redirect_uri: 'http://127.0.0.1:51004/callback' };
    const code = await stack.code(loopbackApp, userId, { ...s256, ...from });
    expect(await stack.redeem(loopbackApp, code, { code_verifier: verifier })).toMatchObject(
      oauthError('invalid_grant'),
    );
    expect(await stack.redeem(loopbackApp, code, { code_verifier: verifier, ...from })).toMatchObject(succeeded);
  });
});

describe('an unauthenticated client gets no token and does not redeem the code', () => {
  let code: string;
  const form = () => ({
    grant_type: 'authorization_code',
    code,
    redirect_uri: shop.redirectUri,
    code_verifier: verifier,
  });

  beforeAll(async () => {
    code = await stack.code(shop, userId, s256);
  });

  it.each<[string, () => Record<string, string | undefined>]>([
    ['no client at all', () => ({})],
    ['an unknown client', () => ({ client_id: 'unknown', client_secret: 'x' })],
    ['a client with NUL', () => ({ client_id: 'a\0b', client_secret: 'x' })],
    ['a wrong secret', () => ({ client_id: shop.clientId, client_secret: 'wrong' })],
    ['another client’s secret', () => ({ client_id: shop.clientId, client_secret: other.secret! })],
    ['no secret, though the verifier is right', () => ({ client_id: shop.clientId })],
    ['an empty secret, though the verifier is right', () => ({ client_id: shop.clientId, client_secret: '' })],
    ['a public client that sends a secret', () => ({ client_id: phone.clientId, client_secret: 'x' })],
  ])('%s', async (_, client) => {
    const response = await stack.oauth.token({ authorization: null, form: parameters({ ...form(), ...client() }) });
    expect(response).toMatchObject(oauthError('invalid_client'));
    expect(response.headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(await isRedeemed(code)).toBe(false);
  });

  it.each<[string, () => string]>([
    ['a wrong secret', () => basic(shop.clientId, 'wrong')],
    ['an empty secret', () => basic(shop.clientId, '')],
    ['an unknown client', () => basic('unknown', 'x')],
    ['a token', () => `Bearer ${shop.secret!}`],
    ['nothing', () => ''],
    ['malformed Basic credentials', () => 'Basic ???'],
    ['undecodable credentials', () => `Basic ${Buffer.from('%zz:%zz').toString('base64')}`],
  ])('in the header: %s', async (_, authorization) => {
    const response = await stack.oauth.token({ authorization: authorization(), form: parameters(form()) });
    expect(response).toMatchObject(oauthError('invalid_client'));
    expect(await isRedeemed(code)).toBe(false);
  });

  it('the error does not reveal if the client exists', async () => {
    const responses = [
      { client_id: 'unknown', client_secret: 'x' },
      { client_id: shop.clientId, client_secret: 'x' },
    ].map((client) => stack.oauth.token({ authorization: null, form: parameters({ ...form(), ...client }) }));
    const [unknownClient, wrongSecret] = await Promise.all(responses);
    expect(unknownClient).toEqual(wrongSecret);
  });

  it('credentials in two ways', async () => {
    const authorization = basic(shop.clientId, shop.secret!);
    for (const client of [{ client_id: shop.clientId, client_secret: shop.secret! }, { client_id: other.clientId }]) {
      const response = await stack.oauth.token({ authorization, form: parameters({ ...form(), ...client }) });
      expect(response).toMatchObject(oauthError('invalid_request'));
    }
    expect(await isRedeemed(code)).toBe(false);
  });

  it('after all these requests, the right client still redeems the code', async () => {
    expect(await stack.redeem(shop, code, { code_verifier: verifier })).toMatchObject(succeeded);
  });
});

describe('rejects a token request with', () => {
  it.each<[string, string, Record<string, string | undefined>]>([
    ['no grant type', 'invalid_request', { grant_type: undefined }],
    ['an unknown grant type', 'unsupported_grant_type', { grant_type: 'password' }],
    ['a grant type that is a property of Object.prototype', 'unsupported_grant_type', { grant_type: 'constructor' }],
    ['client credentials', 'unsupported_grant_type', { grant_type: 'client_credentials' }],
    ['no code', 'invalid_request', { code: undefined }],
    ['an empty code', 'invalid_request', { code: '' }],
    ['an unknown code', 'invalid_grant', { code: 'unknown' }],
    ['a code of control characters', 'invalid_request', { code: 'a\0b' }],
    ['no redirect URI', 'invalid_request', { redirect_uri: undefined }],
    ['another redirect URI', 'invalid_grant', { redirect_uri: 'https://app.example.com/' }],
    ['no refresh token', 'invalid_request', { grant_type: 'refresh_token' }],
    ['an unknown refresh token', 'invalid_grant', { grant_type: 'refresh_token', refresh_token: 'unknown' }],
  ])('%s', async (_, error, change) => {
    const code = await stack.code(shop, userId);
    expect(await stack.redeem(shop, code, change)).toMatchObject(oauthError(error));
    expect(await isRedeemed(code)).toBe(false);
  });

  it('a repeated parameter', async () => {
    const form = parameters({ client_id: shop.clientId, client_secret: shop.secret! }, ['code']);
    for (const message of ['token', 'revoke', 'introspect'] as const)
      expect(await stack.oauth[message]({ authorization: null, form })).toMatchObject(oauthError('invalid_request'));
  });

  it('a code of another client, which stays valid for its own', async () => {
    const code = await stack.code(shop, userId);
    expect(await stack.redeem(other, code, { redirect_uri: shop.redirectUri })).toMatchObject(
      oauthError('invalid_grant'),
    );
    expect(await stack.redeem(phone, code, { redirect_uri: shop.redirectUri })).toMatchObject(
      oauthError('invalid_grant'),
    );
    expect(await stack.redeem(shop, code)).toMatchObject(succeeded);
  });

  it('an expired code', async () => {
    const code = await stack.code(shop, userId);
    await stack.db.database.query(`update authorization_codes set expires_at = now() where hash = $1`, [
      hashToken(code),
    ]);
    expect(await stack.redeem(shop, code)).toMatchObject(oauthError('invalid_grant'));
  });

  it.each<[string, string, string | undefined]>([
    ['another verifier', 'invalid_grant', pkce().verifier],
    ['no verifier', 'invalid_grant', undefined],
    ['the challenge as a verifier', 'invalid_grant', challenge],
    ['a verifier that is too short', 'invalid_request', 'short'],
    ['a verifier of control characters', 'invalid_request', '\0'.repeat(43)],
  ])('%s, and the code stays valid for the right verifier', async (_, error, wrongVerifier) => {
    const code = await stack.code(shop, userId, s256);
    expect(await stack.redeem(shop, code, { code_verifier: wrongVerifier })).toMatchObject(oauthError(error));
    expect(await stack.redeem(shop, code, { code_verifier: verifier })).toMatchObject(succeeded);
  });

  it('a verifier for a code that was issued without a challenge', async () => {
    const code = await stack.code(shop, userId);
    expect(await stack.redeem(shop, code, { code_verifier: verifier })).toMatchObject(oauthError('invalid_grant'));
  });

  it('a code whose consent was revoked', async () => {
    const code = await stack.code(shop, userId);
    await stack.db.database.query('delete from consents where application_id = $1', [shop.id]);
    expect(await stack.redeem(shop, code)).toMatchObject(oauthError('invalid_grant'));
  });

  it('a code of a deleted user', async () => {
    const deletedUser = await stack.addUser('deleted');
    const code = await stack.code(shop, deletedUser);
    await stack.db.database.query('delete from users where id = $1', [deletedUser]);
    expect(await stack.redeem(shop, code)).toMatchObject(oauthError('invalid_grant'));
  });

  it('a scope that is no longer registered', async () => {
    const app = await stack.addApplication(ownerId);
    const codes = [
      await stack.code(app, userId, { scope: 'read write' }),
      await stack.code(app, userId, { scope: 'write' }),
    ];
    await stack.db.database.query(`update applications set scopes = '{read}' where id = $1`, [app.id]);
    expect((await stack.redeem(app, codes[0]!)).body).toMatchObject({ scope: 'read' });
    expect(await stack.redeem(app, codes[1]!)).toMatchObject(oauthError('invalid_grant'));
  });
});

describe('a code that is sent again', () => {
  it('is rejected, and its tokens are revoked', async () => {
    const code = await stack.code(shop, userId);
    const token = tokenIn(await stack.redeem(shop, code));
    expect(await stack.redeem(shop, code)).toMatchObject(oauthError('invalid_grant'));
    expect(await stack.isValid(token)).toBe(false);
    expect(await stack.revokedTokens()).toEqual([hashToHex(hashToken(token))]);
  });

  it('revokes its tokens even after the code has been deleted', async () => {
    const code = await stack.code(shop, userId);
    const token = tokenIn(await stack.redeem(shop, code));
    await stack.db.database.query('delete from authorization_codes');
    expect(await stack.redeem(shop, code)).toMatchObject(oauthError('invalid_grant'));
    expect(await stack.isValid(token)).toBe(false);
  });

  it('revokes nothing when another client sends it', async () => {
    const code = await stack.code(shop, userId);
    const token = tokenIn(await stack.redeem(shop, code));
    expect(await stack.redeem(other, code)).toMatchObject(oauthError('invalid_grant'));
    await stack.db.database.query('delete from authorization_codes');
    expect(await stack.redeem(other, code)).toMatchObject(oauthError('invalid_grant'));
    expect(await stack.isValid(token)).toBe(true);
  });

  it.each(['with a secret', 'with PKCE'])(
    'twenty times concurrently yields one token, which is then revoked: %s',
    async (how) => {
      const [app, pairs, tokenPairs] =
        how === 'with PKCE' ? [phone, s256, { code_verifier: verifier }] : [shop, {}, {}];
      const code = await stack.code(app, userId, pairs);
      const responses = await Promise.all(Array.from({ length: 20 }, () => stack.redeem(app, code, tokenPairs)));
      const tokens = responses.filter(({ status }) => status === 200).map(tokenIn);
      expect(tokens).toHaveLength(1);
      expect(responses.filter(({ body }) => body!['error'] === 'invalid_grant')).toHaveLength(19);
      const valid = await stack.db.database.query('select from access_tokens where code_hash = $1', [hashToken(code)]);
      expect(valid).toHaveLength(0);
      expect(await stack.revokedTokens()).toEqual(tokens.map((token) => hashToHex(hashToken(token))));
    },
  );
});

it('limits an application to the newest twenty tokens of a user, and publishes the revocation of older ones', async () => {
  const tokenOwner = await stack.addUser('token-owner');
  const [userResponse, otherCode] = [
    await stack.redeem(shop, await stack.code(shop, userId)),
    await stack.code(other, tokenOwner),
  ];
  const otherResponse = await stack.redeem(other, otherCode);
  const redeem = async () => tokenIn(await stack.redeem(shop, await stack.code(shop, tokenOwner)));
  const first = await redeem();
  const next = await Promise.all(Array.from({ length: maxAccessTokensPerConsent + 2 }, redeem));
  const last = await redeem();
  const valid = (await Promise.all(next.map((token) => stack.isValid(token)))).filter(Boolean);
  expect([await stack.isValid(first), valid.length, await stack.isValid(last)]).toEqual([
    false,
    maxAccessTokensPerConsent - 1,
    true,
  ]);
  expect(await stack.revokedTokens()).toHaveLength(4);
  expect([await stack.isValid(tokenIn(userResponse)), await stack.isValid(tokenIn(otherResponse))]).toEqual([
    true,
    true,
  ]);
});

it('starts no transaction for invented codes and tokens', async () => {
  const transactions = jest.spyOn(stack.db.database, 'transaction');
  try {
    expect(await stack.redeem(shop, 'invented')).toMatchObject(oauthError('invalid_grant'));
    const refresh = { grant_type: 'refresh_token', refresh_token: 'invented' };
    expect(await stack.token(shop, refresh)).toMatchObject(oauthError('invalid_grant'));
    expect(transactions).not.toHaveBeenCalled();
  } finally {
    transactions.mockRestore();
  }
});
