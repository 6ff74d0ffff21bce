import { eventually } from '#testing';
import { KeyCipher } from '../keys/key.crypto.js';
import { KeyRepository } from '../keys/key.repository.js';
import { OAuthStack, type TestApplication } from '../testing/oauth-stack.js';
import { ExpiredSweeper } from './expired.sweeper.js';
import { freshToken, hashToken, nameOfHash } from './token.crypto.js';
import { TokenQueries } from './token.queries.js';
import { revokeTokens, TokenRepository, type TokensOf } from './token.repository.js';
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
const nameOf = (token: string) => nameOfHash(hashToken(token));
const lastUse = async (token: string) => {
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
  it('is noted once a minute', async () => {
    const token = await tokens.create('hanako', ['read']);
    expect(await lastUse(token)).toBeNull();
    await tokens.introspect(token);
    const first = await eventually('the note', async () => (await lastUse(token)) ?? undefined);
    expect(await queries.introspect(token)).toMatchObject({ usedLately: true });
    await stack.db.database.query(`update access_tokens set last_used_at = last_used_at - interval '61 seconds'`);
    await tokens.introspect(token);
    await eventually('the second note', async () => (await lastUse(token))! >= first);
  });

  it('is not noted again within the minute, even by two who did not see the note', async () => {
    const token = await tokens.create('hanako', ['read']);
    const [one, other] = [0, 1].map(() => new TokenRepository(stack.db.database, undefined as never));
    await one!.noteUse(nameOf(token));
    const first = await lastUse(token);
    await other!.noteUse(nameOf(token));
    expect(await lastUse(token)).toEqual(first);
  });

  it('keeps nobody waiting who asks what the token allows', async () => {
    const token = await tokens.create('hanako', ['read']);
    await stack.db.database.transaction(async (tx) => {
      await tx.query('select from access_tokens for update');
      expect(await tokens.introspect(token)).toMatchObject({ active: true, userId: hanako });
    });
  });
});

describe('the tokens of a user', () => {
  it('are listed for operators, newest first, with the application and without those that have expired', async () => {
    const byOperator = await tokens.create('hanako', ['read']);
    const [issued, expired] = [await issue(shop, hanako), await issue(shop, hanako)];
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
          tokenHash: nameOf(issued.token),
          expiresAt: expect.stringMatching(/Z$/),
        },
        { ...common, application: null, tokenHash: nameOf(byOperator), expiresAt: null },
      ],
    });
  });

  it('are not listed for a user that does not exist', async () => {
    for (const name of ['nobody', 'anonymous'])
      await expect(queries.list(name)).rejects.toMatchObject({ kind: { code: 'user.not-found' } });
  });

  it('end with their family when an operator revokes one', async () => {
    const [one, another] = [await issue(shop, hanako), await issue(shop, hanako)];
    expect(await tokens.revoke({ tokenHash: nameOf(one.token) })).toBe(true);
    expect(await tokens.revoke({ token: one.token })).toBe(false);
    expect(await stack.saidRevoked()).toEqual([nameOf(one.token)]);
    const refresh = { grant_type: 'refresh_token', refresh_token: one.refresh };
    expect(await stack.token(shop, refresh)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await stack.isAlive(another.token)).toBe(true);
  });
});

describe('tokens that end', () => {
  it.each<[string, () => TokensOf, string[]]>([
    ['of a user', () => ({ userId: hanako }), ['hanako shop', 'hanako phone', 'hanako herself']],
    ['of an application', () => ({ applicationId: shop.id }), ['hanako shop', 'taro shop']],
    ['of a user at an application', () => ({ applicationId: shop.id, userId: hanako }), ['hanako shop']],
  ])('are those %s, and everybody is told of each', async (_, of, ended) => {
    const all = {
      'hanako shop': (await issue(shop, hanako)).token,
      'hanako phone': (await issue(phone, hanako)).token,
      'hanako herself': await tokens.create('hanako', ['read']),
      'taro shop': (await issue(shop, taro)).token,
    };
    expect(await stack.db.database.transaction((tx) => revokeTokens(tx, of()))).toBe(ended.length);
    const dead = Object.entries(all).filter(([name]) => ended.includes(name));
    expect((await stack.saidRevoked()).sort()).toEqual(dead.map(([, token]) => nameOf(token)).sort());
    for (const [name, token] of Object.entries(all))
      expect([name, await stack.isAlive(token)]).toEqual([name, !ended.includes(name)]);
  });

  it('are none when nobody is named', async () => {
    const token = await tokens.create('hanako', ['read']);
    const none = stack.db.database.transaction((tx) => revokeTokens(tx, {} as TokensOf));
    await expect(none).rejects.toThrow();
    expect(await stack.isAlive(token)).toBe(true);
  });
});

describe('what has expired', () => {
  const keep = async (table: string, columns: string, values: string) => {
    const hash = freshToken();
    await stack.db.database.query(`insert into ${table} (${columns}) values ($1, ${values})`, [hashToken(hash)]);
    return hashToken(hash);
  };
  const there = async () =>
    (
      await stack.db.database.query<{ hash: Buffer }>(
        `select hash from authorization_codes union all select hash from sessions union all select hash from identity_tickets
         union all select state_hash from identity_attempts union all select hash from access_tokens
         union all select hash from refresh_tokens`,
      )
    ).map(({ hash }) => nameOfHash(hash));
  /** One of each, which expires at a time. */
  const oneOfEach = async (expiry: string) => {
    const given = `${hanako}, ${shop.id}, '{read}'`;
    return [
      await keep(
        'authorization_codes',
        'hash, user_id, application_id, scopes, redirect_uri, expires_at',
        `${given}, 'x', ${expiry}`,
      ),
      await keep(
        'refresh_tokens',
        'hash, user_id, application_id, scopes, code_hash, expires_at',
        `${given}, sha256('x'), ${expiry}`,
      ),
      await keep('access_tokens', 'hash, user_id, kind, scopes, expires_at', `${hanako}, 'token', '{read}', ${expiry}`),
      await keep('sessions', 'hash, user_id, expires_at', `${hanako}, ${expiry}`),
      await keep(
        'identity_attempts',
        'state_hash, provider, visit_hash, nonce, code_verifier, return_to, expires_at',
        `'x', sha256('x'), 'x', 'x', '/', ${expiry}`,
      ),
      await keep(
        'identity_tickets',
        'hash, provider, uid, visit_hash, return_to, expires_at',
        `'x', 'x', sha256('x'), '/', ${expiry}`,
      ),
    ].map(nameOfHash);
  };

  it('is swept away, by two at once as well, and nothing else is', async () => {
    await stack.db.database.query('delete from authorization_codes; delete from sessions');
    await oneOfEach('now()');
    const alive = [...(await oneOfEach(`now() + interval '1 minute'`)), nameOf(await tokens.create('taro', ['read']))];
    const sweeper = new ExpiredSweeper(stack.db.database);
    const swept = await Promise.all([sweeper.sweep(), sweeper.sweep()]);
    expect(swept[0] + swept[1]).toBe(6);
    expect((await there()).sort()).toEqual(alive.sort());
  });

  it('is swept away, when it is the id of a deleted user, after a week', async () => {
    await stack.db.database.query(
      `insert into deleted_users values (901, now() - interval '6 days 23 hours'), (902, now() - interval '7 days')`,
    );
    await new ExpiredSweeper(stack.db.database).sweep();
    expect(await stack.db.database.query('select user_id from deleted_users')).toEqual([{ user_id: 901 }]);
  });

  it('is swept away in more than one batch', async () => {
    await stack.db.database.query(
      `insert into sessions (hash, user_id, expires_at)
       select sha256(n::text::bytea), ${hanako}, now() from generate_series(1, 1001) n`,
    );
    expect(await new ExpiredSweeper(stack.db.database).sweep()).toBeGreaterThanOrEqual(1_001);
    expect(await stack.db.database.query('select from sessions where expires_at <= now()')).toEqual([]);
  });
});
