import { jest } from '@jest/globals';
import { hashToken, nameOfHash } from '../tokens/token.crypto.js';
import {
  basic,
  given,
  noStore,
  OAuthStack,
  parameters,
  pkce,
  refused,
  type TestApplication,
  tokenIn,
} from '../testing/oauth-stack.js';
import { accessTokensPerGrant } from './issued-token.repository.js';

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

describe('a code gives a token', () => {
  it('that lives until it is revoked', async () => {
    const code = await stack.code(shop, userId, { scope: 'write read' });
    const answer = await stack.redeem(shop, code);
    expect(answer).toEqual({
      status: 200,
      headers: noStore,
      body: {
        access_token: expect.stringMatching(/^[\w-]{43}$/),
        token_type: 'Bearer',
        scope: 'read write',
        created_at: expect.any(Number),
      },
    });
    expect(Math.abs((answer.body!['created_at'] as number) - Date.now() / 1_000)).toBeLessThan(60);
    expect(await stack.isAlive(tokenIn(answer))).toBe(true);
  });

  it('to a client that proves itself by Basic', async () => {
    const form = { grant_type: 'authorization_code', redirect_uri: shop.redirectUri };
    for (const more of [{}, { client_id: shop.clientId }]) {
      const code = await stack.code(shop, userId);
      const authorization = basic(shop.clientId, shop.secret!);
      expect(await stack.oauth.token({ authorization, form: parameters({ ...form, ...more, code }) })).toMatchObject(
        given,
      );
    }
  });

  it('to a public client with its verifier', async () => {
    const code = await stack.code(phone, userId, s256);
    expect(await stack.redeem(phone, code, { code_verifier: verifier })).toMatchObject(given);
  });

  it('with the port that was asked from', async () => {
    const here = await stack.addApplication(ownerId, { public: true, redirectUri: 'http://127.0.0.1/callback' });
    const from = { redirect_uri: 'http://127.0.0.1:51004/callback' };
    const code = await stack.code(here, userId, { ...s256, ...from });
    expect(await stack.redeem(here, code, { code_verifier: verifier })).toMatchObject(refused('invalid_grant'));
    expect(await stack.redeem(here, code, { code_verifier: verifier, ...from })).toMatchObject(given);
  });
});

describe('a client that does not prove itself gets nothing and burns nothing', () => {
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
    ['a public client that shows a secret', () => ({ client_id: phone.clientId, client_secret: 'x' })],
  ])('%s', async (_, client) => {
    const answer = await stack.oauth.token({ authorization: null, form: parameters({ ...form(), ...client() }) });
    expect(answer).toMatchObject(refused('invalid_client'));
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(await isRedeemed(code)).toBe(false);
  });

  it.each<[string, () => string]>([
    ['a wrong secret', () => basic(shop.clientId, 'wrong')],
    ['an empty secret', () => basic(shop.clientId, '')],
    ['an unknown client', () => basic('unknown', 'x')],
    ['a token', () => `Bearer ${shop.secret!}`],
    ['nothing', () => ''],
    ['nothing that is Basic', () => 'Basic ???'],
    ['nothing that can be decoded', () => `Basic ${Buffer.from('%zz:%zz').toString('base64')}`],
  ])('in the header: %s', async (_, authorization) => {
    const answer = await stack.oauth.token({ authorization: authorization(), form: parameters(form()) });
    expect(answer).toMatchObject(refused('invalid_client'));
    expect(await isRedeemed(code)).toBe(false);
  });

  it('whether it is unknown cannot be told', async () => {
    const answers = [
      { client_id: 'unknown', client_secret: 'x' },
      { client_id: shop.clientId, client_secret: 'x' },
    ].map((client) => stack.oauth.token({ authorization: null, form: parameters({ ...form(), ...client }) }));
    const [unknown, wrong] = await Promise.all(answers);
    expect(unknown).toEqual(wrong);
  });

  it('in two ways at once', async () => {
    const authorization = basic(shop.clientId, shop.secret!);
    for (const client of [{ client_id: shop.clientId, client_secret: shop.secret! }, { client_id: other.clientId }]) {
      const answer = await stack.oauth.token({ authorization, form: parameters({ ...form(), ...client }) });
      expect(answer).toMatchObject(refused('invalid_request'));
    }
    expect(await isRedeemed(code)).toBe(false);
  });

  it('but after all that the right one is still served', async () => {
    expect(await stack.redeem(shop, code, { code_verifier: verifier })).toMatchObject(given);
  });
});

describe('a request for a token is refused', () => {
  it.each<[string, string, Record<string, string | undefined>]>([
    ['no grant type', 'invalid_request', { grant_type: undefined }],
    ['an unknown grant type', 'unsupported_grant_type', { grant_type: 'password' }],
    ['a grant type that every object has', 'unsupported_grant_type', { grant_type: 'constructor' }],
    ['client credentials', 'unsupported_grant_type', { grant_type: 'client_credentials' }],
    ['no code', 'invalid_request', { code: undefined }],
    ['an empty code', 'invalid_request', { code: '' }],
    ['an unknown code', 'invalid_grant', { code: 'unknown' }],
    ['a code of control characters', 'invalid_request', { code: 'a\0b' }],
    ['no redirect URI', 'invalid_request', { redirect_uri: undefined }],
    ['another redirect URI', 'invalid_grant', { redirect_uri: 'https://app.example.com/' }],
    ['no refresh token', 'invalid_request', { grant_type: 'refresh_token' }],
    ['an unknown refresh token', 'invalid_grant', { grant_type: 'refresh_token', refresh_token: 'unknown' }],
  ])('%s', async (_, error, wrong) => {
    const code = await stack.code(shop, userId);
    expect(await stack.redeem(shop, code, wrong)).toMatchObject(refused(error));
    expect(await isRedeemed(code)).toBe(false);
  });

  it('a parameter that came twice', async () => {
    const form = parameters({ client_id: shop.clientId, client_secret: shop.secret! }, ['code']);
    for (const message of ['token', 'revoke', 'introspect'] as const)
      expect(await stack.oauth[message]({ authorization: null, form })).toMatchObject(refused('invalid_request'));
  });

  it('a code of another client, which stays good for its own', async () => {
    const code = await stack.code(shop, userId);
    expect(await stack.redeem(other, code, { redirect_uri: shop.redirectUri })).toMatchObject(refused('invalid_grant'));
    expect(await stack.redeem(phone, code, { redirect_uri: shop.redirectUri })).toMatchObject(refused('invalid_grant'));
    expect(await stack.redeem(shop, code)).toMatchObject(given);
  });

  it('a code after its minute', async () => {
    const code = await stack.code(shop, userId);
    await stack.db.database.query(`update authorization_codes set expires_at = now() where hash = $1`, [
      hashToken(code),
    ]);
    expect(await stack.redeem(shop, code)).toMatchObject(refused('invalid_grant'));
  });

  it.each<[string, string, string | undefined]>([
    ['another verifier', 'invalid_grant', pkce().verifier],
    ['no verifier', 'invalid_grant', undefined],
    ['the challenge as a verifier', 'invalid_grant', challenge],
    ['a verifier that is too short', 'invalid_request', 'short'],
    ['a verifier of control characters', 'invalid_request', '\0'.repeat(43)],
  ])('%s, and the code stays good for whoever knows it', async (_, error, wrong) => {
    const code = await stack.code(shop, userId, s256);
    expect(await stack.redeem(shop, code, { code_verifier: wrong })).toMatchObject(refused(error));
    expect(await stack.redeem(shop, code, { code_verifier: verifier })).toMatchObject(given);
  });

  it('a verifier for a code that was asked for without a challenge', async () => {
    const code = await stack.code(shop, userId);
    expect(await stack.redeem(shop, code, { code_verifier: verifier })).toMatchObject(refused('invalid_grant'));
  });

  it('a code whose grant was taken back meanwhile', async () => {
    const code = await stack.code(shop, userId);
    await stack.db.database.query('delete from consents where application_id = $1', [shop.id]);
    expect(await stack.redeem(shop, code)).toMatchObject(refused('invalid_grant'));
  });

  it('a code whose user or application is gone', async () => {
    const leaving = await stack.addUser('leaving');
    const code = await stack.code(shop, leaving);
    await stack.db.database.query('delete from users where id = $1', [leaving]);
    expect(await stack.redeem(shop, code)).toMatchObject(refused('invalid_grant'));
  });

  it('a scope that is no longer registered', async () => {
    const app = await stack.addApplication(ownerId);
    const codes = [
      await stack.code(app, userId, { scope: 'read write' }),
      await stack.code(app, userId, { scope: 'write' }),
    ];
    await stack.db.database.query(`update applications set scopes = '{read}' where id = $1`, [app.id]);
    expect((await stack.redeem(app, codes[0]!)).body).toMatchObject({ scope: 'read' });
    expect(await stack.redeem(app, codes[1]!)).toMatchObject(refused('invalid_grant'));
  });
});

describe('a code that is brought again', () => {
  it('gives nothing and ends what it gave', async () => {
    const code = await stack.code(shop, userId);
    const token = tokenIn(await stack.redeem(shop, code));
    expect(await stack.redeem(shop, code)).toMatchObject(refused('invalid_grant'));
    expect(await stack.isAlive(token)).toBe(false);
    expect(await stack.saidRevoked()).toEqual([nameOfHash(hashToken(token))]);
  });

  it('ends what it gave even when the code itself was swept away long ago', async () => {
    const code = await stack.code(shop, userId);
    const token = tokenIn(await stack.redeem(shop, code));
    await stack.db.database.query('delete from authorization_codes');
    expect(await stack.redeem(shop, code)).toMatchObject(refused('invalid_grant'));
    expect(await stack.isAlive(token)).toBe(false);
  });

  it('ends nothing when another client brings it', async () => {
    const code = await stack.code(shop, userId);
    const token = tokenIn(await stack.redeem(shop, code));
    expect(await stack.redeem(other, code)).toMatchObject(refused('invalid_grant'));
    await stack.db.database.query('delete from authorization_codes');
    expect(await stack.redeem(other, code)).toMatchObject(refused('invalid_grant'));
    expect(await stack.isAlive(token)).toBe(true);
  });

  it.each(['with a secret', 'with PKCE'])(
    'twenty times at once gives one token, which is dead then: %s',
    async (how) => {
      const [app, asked, brought] = how === 'with PKCE' ? [phone, s256, { code_verifier: verifier }] : [shop, {}, {}];
      const code = await stack.code(app, userId, asked);
      const answers = await Promise.all(Array.from({ length: 20 }, () => stack.redeem(app, code, brought)));
      const tokens = answers.filter(({ status }) => status === 200).map(tokenIn);
      expect(tokens).toHaveLength(1);
      expect(answers.filter(({ body }) => body!['error'] === 'invalid_grant')).toHaveLength(19);
      const alive = await stack.db.database.query('select from access_tokens where code_hash = $1', [hashToken(code)]);
      expect(alive).toHaveLength(0);
      expect(await stack.saidRevoked()).toEqual(tokens.map((token) => nameOfHash(hashToken(token))));
    },
  );
});

it('an application has the newest twenty tokens of one user, and everybody is told of those that gave way', async () => {
  const holder = await stack.addUser('holder');
  const [untouched, abroad] = [
    await stack.redeem(shop, await stack.code(shop, userId)),
    await stack.code(other, holder),
  ];
  const elsewhere = await stack.redeem(other, abroad);
  const redeem = async () => tokenIn(await stack.redeem(shop, await stack.code(shop, holder)));
  const first = await redeem();
  const next = await Promise.all(Array.from({ length: accessTokensPerGrant + 2 }, redeem));
  const last = await redeem();
  const alive = (await Promise.all(next.map((token) => stack.isAlive(token)))).filter(Boolean);
  expect([await stack.isAlive(first), alive.length, await stack.isAlive(last)]).toEqual([
    false,
    accessTokensPerGrant - 1,
    true,
  ]);
  expect(await stack.saidRevoked()).toHaveLength(4);
  expect([await stack.isAlive(tokenIn(untouched)), await stack.isAlive(tokenIn(elsewhere))]).toEqual([true, true]);
});

it('what is made up costs no transaction', async () => {
  const transactions = jest.spyOn(stack.db.database, 'transaction');
  try {
    expect(await stack.redeem(shop, 'made up')).toMatchObject(refused('invalid_grant'));
    const refresh = { grant_type: 'refresh_token', refresh_token: 'made up' };
    expect(await stack.token(shop, refresh)).toMatchObject(refused('invalid_grant'));
    expect(transactions).not.toHaveBeenCalled();
  } finally {
    transactions.mockRestore();
  }
});
