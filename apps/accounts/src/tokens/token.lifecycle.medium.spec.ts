import { eventually } from '#testing';
import { KeyCipher } from '../keys/key.crypto.js';
import { KeyRepository } from '../keys/key.repository.js';
import { OAuthStack, type TestApplication } from '../testing/oauth-stack.js';
import { ExpiredSweeper } from './expired.sweeper.js';
import { generateToken, hashToken, hashToHex } from './token.crypto.js';
import { TokenQueries } from './token.queries.js';
import { revokeTokens, TokenRepository, type TokenSelector } from './token.repository.js';
import { TokenService } from './token.service.js';

let stack: OAuthStack;
let tokens: TokenService;
let queries: TokenQueries;
let hanako: number;
let taro: number;
let shop: TestApplication;
let phone: TestApplication;

const issue = async (app: TestApplication, userId: number) => {
  const { body } = await stack.redeem(app, await stack.code(app, userId), {}, stack.withLifetime(60));
  return { token: body!['access_token'] as string, refresh: body!['refresh_token'] as string };
};
const nameOf = (token: string) => hashToHex(hashToken(token));
const lastUseOf = async (token: string) => {
  const [row] = await stack.db.database.query<{ at: Date | null }>(
    'select last_used_at as at from access_tokens where hash = $1',
    [hashToken(token)],
  );
  return row!.at;
};

beforeAll(async () => {
  stack = await OAuthStack.start();
  const { database } = stack.db;
  const keys = new KeyRepository(database, new KeyCipher('a secret of at least thirty-two characters'));
  queries = new TokenQueries(database);
  tokens = new TokenService(new TokenRepository(database, keys), queries);
  [hanako, taro] = [await stack.addUser('hanako'), await stack.addUser('taro')];
  [shop, phone] = [await stack.addApplication(taro), await stack.addApplication(taro)];
});
afterAll(() => stack.db.close());
beforeEach(() => stack.db.database.query('delete from access_tokens; delete from refresh_tokens; delete from outbox'));

describe('the last use of a token', () => {
  it('is stored once a minute', async () => {
    const token = await tokens.create('hanako', ['read']);
    expect(await lastUseOf(token)).toBeNull();
    await tokens.introspect(token);
    const first = await eventually('the stored use', async () => (await lastUseOf(token)) ?? undefined);
    expect(await queries.introspect(token)).toMatchObject({ isRecentlyUsed: true });
    await stack.db.database.query(`update access_tokens set last_used_at = last_used_at - interval '61 seconds'`);
    await tokens.introspect(token);
    await eventually('the second stored use', async () => (await lastUseOf(token))! >= first);
  });

  it('is not stored again within the minute, even by a process that has not read it', async () => {
    const token = await tokens.create('hanako', ['read']);
    const [repository, otherRepository] = [0, 1].map(() => new TokenRepository(stack.db.database, undefined as never));
    await repository!.storeUse(nameOf(token));
    const first = await lastUseOf(token);
    await otherRepository!.storeUse(nameOf(token));
    expect(await lastUseOf(token)).toEqual(first);
  });

  it('does not delay introspection', async () => {
    const token = await tokens.create('hanako', ['read']);
    await stack.db.database.transaction(async (tx) => {
      await tx.query('select from access_tokens for update');
      expect(await tokens.introspect(token)).toMatchObject({ active: true, userId: hanako });
    });
  });
});

describe('the introspection of a token', () => {
  it('names the application to which the user has granted it', async () => {
    const { token } = await issue(shop, hanako);
    expect(await tokens.introspect(token)).toMatchObject({ userId: hanako, applicationId: shop.id });
    const byOperator = await tokens.create('hanako', ['read']);
    expect(await tokens.introspect(byOperator)).toMatchObject({ userId: hanako, applicationId: null });
  });
});

describe('the tokens of a user', () => {
  it('are listed for operators, newest first, with the application and without expired ones', async () => {
    const byOperator = await tokens.create('hanako', ['read']);
    const [validToken, expired] = [await issue(shop, hanako), await issue(shop, hanako)];
    await issue(shop, taro);
    await stack.db.database.query('update access_tokens set expires_at = now() where hash = $1', [
      hashToken(expired.token),
    ]);
    const common = { kind: 'token', scopes: ['read'], lastUsedAt: null, createdAt: expect.stringMatching(/Z$/) };
    expect(await queries.list('Hanako')).toEqual({
      tokens: [
        {
          ...common,
          application: 'Cat Shirts',
          tokenHash: nameOf(validToken.token),
          expiresAt: expect.stringMatching(/Z$/),
        },
        { ...common, application: null, tokenHash: nameOf(byOperator), expiresAt: null },
      ],
    });
  });

  it('are not listed for an unknown user', async () => {
    for (const name of ['unknown', 'anonymous'])
      await expect(queries.list(name)).rejects.toMatchObject({ kind: { code: 'user.not-found' } });
  });

  it('are revoked with their family by an operator', async () => {
    const [first, second] = [await issue(shop, hanako), await issue(shop, hanako)];
    expect(await tokens.revoke({ tokenHash: nameOf(first.token) })).toBe(true);
    expect(await tokens.revoke({ token: first.token })).toBe(false);
    expect(await stack.revokedTokens()).toEqual([nameOf(first.token)]);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh };
    expect(await stack.token(shop, refresh)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await stack.isValid(second.token)).toBe(true);
  });
});

describe('revokeTokens', () => {
  it.each<[string, () => TokenSelector, string[]]>([
    ['of a user', () => ({ userId: hanako }), ['hanako shop', 'hanako phone', 'hanako herself']],
    ['of an application', () => ({ applicationId: shop.id }), ['hanako shop', 'taro shop']],
    ['of a user at an application', () => ({ applicationId: shop.id, userId: hanako }), ['hanako shop']],
  ])('revokes the tokens %s, and publishes each revocation', async (_, selector, revokedNames) => {
    const all = {
      'hanako shop': (await issue(shop, hanako)).token,
      'hanako phone': (await issue(phone, hanako)).token,
      'hanako herself': await tokens.create('hanako', ['read']),
      'taro shop': (await issue(shop, taro)).token,
    };
    expect(await stack.db.database.transaction((tx) => revokeTokens(tx, selector()))).toBe(revokedNames.length);
    const revoked = Object.entries(all).filter(([name]) => revokedNames.includes(name));
    expect((await stack.revokedTokens()).sort()).toEqual(revoked.map(([, token]) => nameOf(token)).sort());
    for (const [name, token] of Object.entries(all))
      expect([name, await stack.isValid(token)]).toEqual([name, !revokedNames.includes(name)]);
  });

  it('rejects an empty selector', async () => {
    const token = await tokens.create('hanako', ['read']);
    const none = stack.db.database.transaction((tx) => revokeTokens(tx, {} as TokenSelector));
    await expect(none).rejects.toThrow();
    expect(await stack.isValid(token)).toBe(true);
  });
});

describe('ExpiredSweeper', () => {
  const insertRow = async (table: string, columns: string, values: string) => {
    const hash = generateToken();
    await stack.db.database.query(`insert into ${table} (${columns}) values ($1, ${values})`, [hashToken(hash)]);
    return hashToken(hash);
  };
  const storedHashes = async () =>
    (
      await stack.db.database.query<{ hash: Buffer }>(
        `select hash from authorization_codes union all select hash from sessions union all select hash from identity_tickets
         union all select state_hash from identity_attempts union all select hash from access_tokens
         union all select hash from refresh_tokens union all select hash from mail_links`,
      )
    ).map(({ hash }) => hashToHex(hash));
  /**
   * Inserts a row with an expiry (SQL) into each table. @returns the hashes in hexadecimal digits
   */
  const insertOneOfEach = async (expiry: string) => {
    const consentValues = `${hanako}, ${shop.id}, '{read}'`;
    return [
      await insertRow(
        'authorization_codes',
        'hash, user_id, application_id, scopes, redirect_uri, expires_at',
        `${consentValues}, 'x', ${expiry}`,
      ),
      await insertRow(
        'refresh_tokens',
        'hash, user_id, application_id, scopes, code_hash, expires_at',
        `${consentValues}, sha256('x'), ${expiry}`,
      ),
      await insertRow(
        'access_tokens',
        'hash, user_id, kind, scopes, expires_at',
        `${hanako}, 'token', '{read}', ${expiry}`,
      ),
      await insertRow('sessions', 'hash, user_id, expires_at', `${hanako}, ${expiry}`),
      await insertRow(
        'identity_attempts',
        'state_hash, provider, visit_hash, nonce, code_verifier, return_to, expires_at',
        `'x', sha256('x'), 'x', 'x', '/', ${expiry}`,
      ),
      await insertRow(
        'identity_tickets',
        'hash, provider, uid, visit_hash, return_to, expires_at',
        `'x', 'x', sha256('x'), '/', ${expiry}`,
      ),
      await insertRow(
        'mail_links',
        'hash, user_id, purpose, email, expires_at',
        // A user has at most one link of a purpose, so the expired and the valid one differ in it
        `${hanako}, case when ${expiry} > now() then 'password-reset' else 'email-confirmation' end, 'x', ${expiry}`,
      ),
    ].map(hashToHex);
  };

  it('deletes expired rows only, also in two concurrent sweeps', async () => {
    await stack.db.database.query('delete from authorization_codes; delete from sessions');
    await insertOneOfEach('now()');
    const valid = [
      ...(await insertOneOfEach(`now() + interval '1 minute'`)),
      nameOf(await tokens.create('taro', ['read'])),
    ];
    const sweeper = new ExpiredSweeper(stack.db.database);
    const deletedRows = await Promise.all([sweeper.sweep(), sweeper.sweep()]);
    expect(deletedRows[0] + deletedRows[1]).toBe(7);
    expect((await storedHashes()).sort()).toEqual(valid.sort());
  });

  it('deletes the ids of deleted users after a week', async () => {
    await stack.db.database.query(
      `insert into deleted_users values (901, now() - interval '6 days 23 hours'), (902, now() - interval '7 days')`,
    );
    await new ExpiredSweeper(stack.db.database).sweep();
    expect(await stack.db.database.query('select user_id from deleted_users')).toEqual([{ user_id: 901 }]);
  });

  it('deletes more than one batch', async () => {
    await stack.db.database.query(
      `insert into sessions (hash, user_id, expires_at)
       select sha256(n::text::bytea), ${hanako}, now() from generate_series(1, 1001) n`,
    );
    expect(await new ExpiredSweeper(stack.db.database).sweep()).toBeGreaterThanOrEqual(1_001);
    expect(await stack.db.database.query('select from sessions where expires_at <= now()')).toEqual([]);
  });
});
