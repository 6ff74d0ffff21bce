import type { Idempotency, ReplyOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { KeyCipher } from '../keys/key.crypto.js';
import { KeyRepository } from '../keys/key.repository.js';
import { KeyService } from '../keys/key.service.js';
import type { VerifiedUser } from '../users/verified-user.queries.js';
import { UserEntity } from '../users/user.entity.js';
import { UserRepository } from '../users/user.repository.js';
import { UserService } from '../users/user.service.js';
import { AccessTokenEntity } from './access-token.entity.js';
import { hashToken, hashToHex } from './token.crypto.js';
import { TokenQueries } from './token.queries.js';
import { TokenRepository } from './token.repository.js';
import { TokenService } from './token.service.js';

let db: TestDatabase;
let tokens: TokenService;
let keys: KeyService;
let introspect: TokenService['introspect'];
let userId: number;
let firstKey: string;

const notFound = expect.objectContaining({ kind: expect.objectContaining({ code: 'user.not-found' }) });
/** Returns the hashes in the `token.revoked` events of the outbox. */
const revoked = async () =>
  (
    await db.database.query<{ payload: { tokenHash: string } }>(
      `select payload from outbox where name = 'token.revoked' order by seq`,
    )
  ).map(({ payload }) => payload.tokenHash);
/** Returns the number of sessions of this database that wait for a lock. */
const waiting = async () =>
  (
    await db.database.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.count;
const verifiedOwner = async (): Promise<VerifiedUser> => {
  const [owner] = await db.database.query<VerifiedUser>(
    'select id, password_hash as "passwordHash" from users where id = $1',
    [userId],
  );
  return owner!;
};
const replace = async (owner: VerifiedUser, idempotency?: Idempotency): Promise<string> => {
  const { body } = await keys.replace(owner, idempotency);
  return (JSON.parse(body.toString()) as ReplyOf<Services['accounts'], 'keys.replace'>).apiKey;
};
const nameOf = (token: string) => hashToHex(hashToken(token));

beforeAll(async () => {
  db = await testDatabase('accounts', [UserEntity, AccessTokenEntity]);
  const cipher = new KeyCipher('a secret of at least thirty-two characters');
  const repository = new KeyRepository(db.database, cipher);
  keys = new KeyService(repository, new IdempotencyKeys(db.database), cipher);
  const queries = new TokenQueries(db.database);
  tokens = new TokenService(new TokenRepository(db.database, repository), queries);
  introspect = (token) => tokens.introspect(token);
  const users = new UserService(new UserRepository(db.database, repository));
  const created = await users.create({
    name: 'hanako',
    email: 'hanako@example.com',
    password: 'correct horse',
    displayName: null,
  });
  userId = created.id;
  firstKey = created.apiKey;
});
afterAll(() => db.close());
beforeEach(() => db.database.query('delete from outbox'));

describe('an access token', () => {
  it('has the requested scopes', async () => {
    const token = await tokens.create('hanako', ['read']);
    expect(await introspect(token)).toEqual({
      active: true,
      userId,
      scopes: ['read'],
      tokenHash: nameOf(token),
      expiresAt: null,
      applicationId: null,
    });
  });

  it('has the scope production', async () => {
    const token = await tokens.create('hanako', ['production']);
    expect(await introspect(token)).toMatchObject({ active: true, scopes: ['production'] });
  });

  it('has each scope once', async () => {
    const token = await tokens.create('Hanako', ['write', 'read', 'read']);
    expect(await introspect(token)).toMatchObject({ scopes: ['read', 'write'] });
  });

  it('is not created for an unknown user', async () => {
    await expect(tokens.create('unknown', ['read'])).rejects.toEqual(notFound);
  });

  it('is not created for a user who is deleted concurrently', async () => {
    await db.database.query(`insert into users (name, email) values ('deleted', 'deleted@example.com')`);
    const { pending } = await db.database.transaction(async (tx) => {
      await tx.query(`delete from users where name = 'deleted'`);
      const creation = tokens.create('deleted', ['read']).catch((error: unknown) => error);
      await eventually('it waits for the user', async () => (await waiting()) === 1);
      return { pending: creation };
    });
    expect(await pending).toEqual(notFound);
  });

  it('is not created for the anonymous user', async () => {
    await expect(tokens.create('anonymous', ['read'])).rejects.toEqual(notFound);
  });

  it('is inactive when it is unknown', async () => {
    expect(await introspect('never-made')).toEqual({ active: false });
  });

  it('is inactive immediately after its revocation, which is published', async () => {
    const token = await tokens.create('hanako', ['read']);
    expect(await tokens.revoke({ token: token })).toBe(true);
    expect(await introspect(token)).toEqual({ active: false });
    expect(await revoked()).toEqual([nameOf(token)]);
  });

  it('is revoked once by two concurrent requests, with one event', async () => {
    const token = await tokens.create('hanako', ['read']);
    const { pending } = await db.database.transaction(async (tx) => {
      await tx.query('select from access_tokens where hash = $1 for update', [hashToken(token)]);
      const revocations = [tokens.revoke({ token: token }), tokens.revoke({ token: token })];
      await eventually('both wait for the row', async () => (await waiting()) === 2);
      return { pending: revocations };
    });
    expect((await Promise.all(pending)).sort()).toEqual([false, true]);
    expect(await revoked()).toHaveLength(1);
  });
});

describe('a personal API key', () => {
  it('is returned as it was created', async () => {
    expect(await keys.show({ userName: 'hanako' })).toBe(firstKey);
  });

  it('is not returned for an unknown user', async () => {
    await expect(keys.show({ userName: 'unknown' })).rejects.toEqual(notFound);
    await expect(keys.replaceByName({ userName: 'unknown' })).rejects.toEqual(notFound);
    await expect(keys.show({ userName: 'anonymous' })).rejects.toEqual(notFound);
  });

  it('is returned and replaced for a verified owner, never with another id or an outdated password hash', async () => {
    const owner = await verifiedOwner();
    expect(await keys.show(owner)).toBe(await keys.show({ userName: 'hanako' }));
    expect(await replace(owner)).toBe(await keys.show(owner));
    const wrong = expect.objectContaining({ kind: expect.objectContaining({ code: 'password.wrong' }) });
    for (const other of [{ id: 0 }, { id: 999_999 }, { passwordHash: 'of a password that is replaced' }]) {
      await expect(keys.show({ ...owner, ...other })).rejects.toEqual(wrong);
      await expect(replace({ ...owner, ...other })).rejects.toEqual(wrong);
    }
  });

  it('is replaced once with an idempotency key; its repetition returns the same key', async () => {
    const owner = await verifiedOwner();
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    const first = await replace(owner, idempotency);
    expect(await replace(owner, idempotency)).toBe(first);
    expect(await keys.show(owner)).toBe(first);
    expect(await revoked()).toHaveLength(1);
    // The stored response contains the key encrypted
    const [stored] = await db.database.query<{ text: string }>(
      "select convert_from(body, 'UTF8') as text from idempotency_keys",
    );
    expect(stored!.text).not.toContain(first);
    expect(await replace(owner, { ...idempotency, key: 'b' })).not.toBe(first);
  });

  it('is inactive immediately after its replacement, which is published', async () => {
    const old = await keys.show({ userName: 'hanako' });
    const newKey = await keys.replaceByName({ userName: 'hanako' });
    expect(await introspect(old)).toEqual({ active: false });
    expect(await introspect(newKey)).toMatchObject({
      active: true,
      userId,
      scopes: ['read', 'write'],
      applicationId: null,
    });
    expect(await keys.show({ userName: 'hanako' })).toBe(newKey);
    expect(await revoked()).toEqual([nameOf(old)]);
  });

  it('is replaced by a new one when it is revoked', async () => {
    const old = await keys.show({ userName: 'hanako' });
    expect(await tokens.revoke({ token: old })).toBe(true);
    const newKey = await keys.show({ userName: 'hanako' });
    expect(newKey).not.toBe(old);
    expect(await introspect(old)).toEqual({ active: false });
    expect(await introspect(newKey)).toMatchObject({ active: true, userId });
    expect(await revoked()).toEqual([nameOf(old)]);
  });

  it('is one key after twenty concurrent replacements and revocations', async () => {
    const key = await keys.show({ userName: 'hanako' });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 4 === 0 ? tokens.revoke({ token: key }) : keys.replaceByName({ userName: 'hanako' }),
      ),
    );
    const rows = await db.database.query<{ hash: Buffer }>(`select hash from access_tokens where kind = 'personal'`);
    expect(rows.map(({ hash }) => hashToHex(hash))).toEqual([nameOf(await keys.show({ userName: 'hanako' }))]);
    expect(await revoked()).toContain(nameOf(key));
  });

  it('is unique per user', async () => {
    const second = db.database.query(
      `insert into access_tokens (hash, user_id, kind, scopes, encrypted) values ($1, $2, 'personal', '{read}', '\\x00')`,
      [hashToken('second'), userId],
    );
    await expect(second).rejects.toThrow('access_tokens_personal_unique');
  });
});
