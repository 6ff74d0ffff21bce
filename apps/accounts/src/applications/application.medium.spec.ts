import { createHash, randomBytes } from 'node:crypto';
import type { EventPayload, ReplyOf, RequestOf, Scope, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { testDatabase, type TestDatabase } from '#testing';
import { ConsentQueries } from '../consents/consent.queries.js';
import { ConsentRepository } from '../consents/consent.repository.js';
import { ApplicationQueries } from './application.queries.js';
import { ApplicationRepository } from './application.repository.js';
import { ApplicationService } from './application.service.js';
import { ClientSecretCipher } from './client-secret.crypto.js';
import { TokenRepository } from '../tokens/token.repository.js';

let db: TestDatabase;
let applications: ApplicationService;
let queries: ApplicationQueries;
let consents: ConsentRepository;
let consentQueries: ConsentQueries;
let hanako: number;
let taro: number;

const kind = (code: string) => expect.objectContaining({ kind: expect.objectContaining({ code }) });
const notFound = kind('application.not-found');
const registration = {
  name: 'Stamp Book',
  description: 'Collects stamps.',
  homePage: 'https://stamps.example.com/',
  redirectUris: ['https://stamps.example.com/back', 'com.example.stamps:/back'],
  scopes: ['write'] as Scope[],
  namesIssuer: false,
};
type Messages = Services['accounts'];
const create = async (changes: Partial<RequestOf<Messages, 'applications.create'>> = {}) => {
  const { body } = await applications.create({ ownerId: hanako, confidential: true, ...registration, ...changes });
  return JSON.parse(body.toString()) as ReplyOf<Messages, 'applications.create'>;
};
const register = async (changes: Parameters<typeof create>[0] = {}) => (await create(changes)).applicationId;

const renewSecret = async (request: RequestOf<Messages, 'applications.renew-secret'>): Promise<string> => {
  const { body } = await applications.renewSecret(request);
  return (JSON.parse(body.toString()) as ReplyOf<Messages, 'applications.renew-secret'>).clientSecret;
};

const addUser = async (name: string): Promise<number> =>
  (
    await db.database.query<{ id: number }>(
      `insert into users (name, email) values ($1, $1 || '@example.com') returning id`,
      [name],
    )
  )[0]!.id;

/** Adds a consent, a code, and tokens of the code. @returns the hash of the access token */
async function addConsent(userId: number, applicationId: number, scopes: Scope[] = ['read', 'write']): Promise<string> {
  const [code, access, refresh] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const of = [userId, applicationId, scopes];
  await db.database.query(
    `insert into consents (user_id, application_id, scopes) values ($1, $2, $3) on conflict do nothing`,
    of,
  );
  await db.database.query(
    `insert into authorization_codes (hash, user_id, application_id, scopes, redirect_uri, expires_at)
     values ($4, $1, $2, $3, 'https://stamps.example.com/back', now() + interval '1 minute')`,
    [...of, code],
  );
  await db.database.query(
    `insert into access_tokens (hash, user_id, application_id, scopes, kind, code_hash) values ($4, $1, $2, $3, 'token', $5)`,
    [...of, access, code],
  );
  await db.database.query(
    `insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
     values ($4, $1, $2, $3, $5, now() + interval '1 day')`,
    [...of, refresh, code],
  );
  return access.toString('hex');
}

/** Returns the owner, the application and the user of each `application.revoked` in the outbox. */
const revokedAccess = async () => {
  const rows = await db.database.query<{ payload: EventPayload<'application.revoked'> }>(
    `select payload from outbox where name = 'application.revoked' order by payload -> 'userId'`,
  );
  return rows.map(({ payload: { ownerId, applicationId, userId } }) => [ownerId, applicationId, userId]);
};

/** Returns the hashes in the `token.revoked` events of the outbox. */
const revokedTokens = async (): Promise<string[]> =>
  (
    await db.database.query<{ payload: { tokenHash: string } }>(
      `select payload from outbox where name = 'token.revoked' order by seq`,
    )
  ).map(({ payload }) => payload.tokenHash);

/** Returns the number of rows of an application in each table. */
const countRows = async (applicationId: number): Promise<number[]> =>
  Promise.all(
    ['consents', 'authorization_codes', 'refresh_tokens', 'access_tokens'].map(
      async (table) =>
        (
          await db.database.query<{ count: number }>(
            `select count(*) as count from ${table} where application_id = $1`,
            [applicationId],
          )
        )[0]!.count,
    ),
  );

const secretHashOf = async (applicationId: number): Promise<Buffer | null> =>
  (
    await db.database.query<{ hash: Buffer | null }>('select secret_hash as hash from applications where id = $1', [
      applicationId,
    ])
  )[0]!.hash;

beforeAll(async () => {
  db = await testDatabase('accounts');
  applications = new ApplicationService(
    new ApplicationRepository(db.database),
    new IdempotencyKeys(db.database),
    new ClientSecretCipher('a secret of at least thirty-two characters'),
  );
  queries = new ApplicationQueries(db.database);
  consents = new ConsentRepository(db.database);
  consentQueries = new ConsentQueries(db.database);
  hanako = await addUser('hanako');
  taro = await addUser('taro');
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.database.query('delete from applications');
  await db.database.query('delete from outbox');
});

describe('an application', () => {
  it('is returned to its owner as registered, with the scope read', async () => {
    const created = await create();
    expect(await queries.get({ ownerId: hanako, applicationId: created.applicationId })).toEqual({
      ...registration,
      id: created.applicationId,
      clientId: created.clientId,
      confidential: true,
      scopes: ['read', 'write'],
      users: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it('has a secret that is returned once and stored as its SHA-256, unless it is public', async () => {
    const created = await create();
    expect(created.clientSecret).toMatch(/^[\w-]{43}$/);
    const hash = createHash('sha256').update(created.clientSecret!).digest();
    expect(hash.equals((await secretHashOf(created.applicationId))!)).toBe(true);
    const publicOne = await create({ confidential: false });
    expect([publicOne.clientSecret, await secretHashOf(publicOne.applicationId)]).toEqual([null, null]);
    await expect(applications.renewSecret({ ownerId: hanako, applicationId: publicOne.applicationId })).rejects.toEqual(
      kind('application.no-secret'),
    );
  });

  it('is created once with an idempotency key; its repetition returns the same secret', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    const first = await create({ idempotency });
    expect(await create({ idempotency })).toEqual(first);
    expect(first.clientSecret).toMatch(/^[\w-]{43}$/);
    expect(await queries.list({ ownerId: hanako })).toHaveLength(1);
    // The stored response contains the secret encrypted
    const [stored] = await db.database.query<{ text: string }>(
      "select convert_from(body, 'UTF8') as text from idempotency_keys",
    );
    expect(stored!.text).not.toContain(first.clientSecret);
    const publicOne = { confidential: false, idempotency: { ...idempotency, key: 'b' } };
    const second = await create(publicOne);
    expect([await create(publicOne), second.clientSecret]).toEqual([second, null]);
  });

  it('gets a new secret, which replaces the old one', async () => {
    const owned = { ownerId: hanako, applicationId: await register() };
    const secret = await renewSecret(owned);
    const hash = createHash('sha256').update(secret).digest();
    expect(hash.equals((await secretHashOf(owned.applicationId))!)).toBe(true);
  });

  it('gets one new secret with an idempotency key; its repetition returns the same secret', async () => {
    const owned = { ownerId: hanako, applicationId: await register() };
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    const first = await renewSecret({ ...owned, idempotency });
    const hash = await secretHashOf(owned.applicationId);
    expect(await renewSecret({ ...owned, idempotency })).toBe(first);
    expect(await secretHashOf(owned.applicationId)).toEqual(hash);
    // The stored response contains the secret encrypted
    const [stored] = await db.database.query<{ text: string }>(
      `select convert_from(body, 'UTF8') as text from idempotency_keys where operation = 'applications.renew-secret'`,
    );
    expect(stored!.text).not.toContain(first);
    expect(await renewSecret({ ...owned, idempotency: { ...idempotency, key: 'b' } })).not.toBe(first);
  });

  it('is rejected with the paths of its invalid redirect URIs', async () => {
    const redirectUris = ['https://ok.example.com/', 'http://public.example.com/', 'https://ok.example.com/'];
    const errors = [{ path: 'redirectUris.1' }, { path: 'redirectUris.2' }];
    const rejection = { kind: { code: 'redirect-uri.invalid', status: 422 }, errors };
    await expect(register({ redirectUris })).rejects.toMatchObject(rejection);
    const applicationId = await register();
    await expect(
      applications.update({ ownerId: hanako, applicationId, ...registration, redirectUris }),
    ).rejects.toMatchObject(rejection);
  });

  it('can be changed except for its type, client id and secret', async () => {
    const owned = { ownerId: hanako, applicationId: await register() };
    const [before, secret] = [await queries.get(owned), await secretHashOf(owned.applicationId)];
    const changed = {
      name: 'S',
      description: '',
      homePage: null,
      redirectUris: ['http://127.0.0.1/cb'],
      scopes: ['read'] as Scope[],
      namesIssuer: true,
    };
    await applications.update({ ...owned, ...changed });
    expect(await queries.get(owned)).toEqual({ ...before, ...changed });
    expect(await secretHashOf(owned.applicationId)).toEqual(secret);
  });

  it('is not found by anyone but its owner', async () => {
    const otherUser = { ownerId: taro, applicationId: await register() };
    const unknown = { ownerId: hanako, applicationId: 999_999 };
    for (const owned of [otherUser, unknown]) {
      await expect(queries.get(owned)).rejects.toEqual(notFound);
      await expect(applications.update({ ...owned, ...registration })).rejects.toEqual(notFound);
      await expect(applications.renewSecret(owned)).rejects.toEqual(notFound);
      await expect(applications.delete(owned)).rejects.toEqual(notFound);
    }
    expect(await queries.list({ ownerId: taro })).toEqual([]);
    expect(await queries.list({ ownerId: hanako })).toHaveLength(1);
  });

  it('is rejected beyond a hundred of its owner, also with concurrent registrations', async () => {
    await db.database.query(
      `insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential)
       select $1, 'client ' || n, 'n', '', '{https://a.example.com/}', '{read}', false from generate_series(1, 97) n`,
      [hanako],
    );
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => register()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(kind('application.too-many'));
    expect(await queries.list({ ownerId: hanako })).toHaveLength(100);
    await register({ ownerId: taro });
  });

  it('is deleted with the consents, codes and tokens of all users, and publishes revocations', async () => {
    const [applicationId, other] = [await register(), await register()];
    const tokens = [await addConsent(hanako, applicationId), await addConsent(taro, applicationId)];
    await addConsent(taro, other);
    await applications.delete({ ownerId: hanako, applicationId });
    expect(await countRows(applicationId)).toEqual([0, 0, 0, 0]);
    expect((await revokedTokens()).sort()).toEqual(tokens.sort());
    expect(await revokedAccess()).toEqual([
      [hanako, applicationId, hanako],
      [hanako, applicationId, taro],
    ]);
    expect(await countRows(other)).toEqual([1, 1, 1, 1]);
  });
});

describe('removing a scope from an application', () => {
  it('removes the scope from all consents to the application, and revokes the tokens with it', async () => {
    const owned = { ownerId: hanako, applicationId: await register() };
    const writing = await addConsent(hanako, owned.applicationId);
    const onlyWriting = await addConsent(taro, owned.applicationId, ['write']);
    await addConsent(hanako, owned.applicationId, ['read']);
    await applications.update({ ...owned, ...registration, scopes: ['read'] });
    expect((await revokedTokens()).sort()).toEqual([writing, onlyWriting].sort());
    expect(await countRows(owned.applicationId)).toEqual([1, 1, 1, 1]);
    expect(await consentQueries.list(hanako)).toMatchObject([{ scopes: ['read'] }]);
    expect(await revokedAccess()).toEqual([[hanako, owned.applicationId, taro]]);
  });

  it('differs from a change of the redirect URIs, which revokes no token', async () => {
    const owned = { ownerId: hanako, applicationId: await register() };
    await addConsent(taro, owned.applicationId);
    await applications.update({ ...owned, ...registration, redirectUris: ['https://other.example.com/'] });
    expect([await revokedTokens(), await countRows(owned.applicationId)]).toEqual([[], [1, 1, 1, 1]]);
  });
});

describe('the operator', () => {
  it('finds the applications of all users or of one, newest first', async () => {
    const [first, second] = [await register(), await register({ ownerId: taro })];
    const ids = async (ownerName?: string) => (await queries.find({ ownerName })).map(({ id }) => id);
    expect(await ids()).toEqual([second, first]);
    expect(await ids('HANAKO')).toEqual([first]);
    expect(await queries.show({ applicationId: first })).toMatchObject({ ownerName: 'hanako', users: 0 });
    await addUser('jiro');
    expect(await ids('jiro')).toEqual([]);
    await expect(ids('unknown')).rejects.toEqual(kind('user.not-found'));
    await expect(queries.show({ applicationId: 999_999 })).rejects.toEqual(notFound);
  });

  it('removes an application of any user', async () => {
    const applicationId = await register({ ownerId: taro });
    const token = await addConsent(hanako, applicationId);
    await applications.remove(applicationId);
    expect([await revokedTokens(), await countRows(applicationId)]).toEqual([[token], [0, 0, 0, 0]]);
    expect(await revokedAccess()).toEqual([[taro, applicationId, hanako]]);
    await expect(applications.remove(applicationId)).rejects.toEqual(notFound);
  });
});

describe('consents of a user', () => {
  it('are listed newest first with the last use, which outlives the token', async () => {
    const [old, young] = [await register(), await register({ ownerId: taro, name: 'Young' })];
    await addConsent(hanako, old);
    const newest = await addConsent(hanako, old);
    await addConsent(taro, old);
    await addConsent(hanako, young, ['read']);
    await new TokenRepository(db.database, undefined as never).storeUse(newest);
    await db.database.query('delete from access_tokens where hash = $1', [Buffer.from(newest, 'hex')]);
    const used = expect.stringMatching(/Z$/);
    const { name, description, homePage } = registration;
    const since = expect.stringMatching(/Z$/);
    expect(await consentQueries.list(hanako)).toEqual([
      { applicationId: young, name: 'Young', description, homePage, scopes: ['read'], since, lastUsedAt: null },
      { applicationId: old, name, description, homePage, scopes: ['read', 'write'], since, lastUsedAt: used },
    ]);
    expect(await queries.list({ ownerId: hanako })).toMatchObject([{ id: old, users: 2 }]);
  });

  it('end when the user revokes them, for this user and application only', async () => {
    const [applicationId, other] = [await register(), await register()];
    const tokens = [await addConsent(hanako, applicationId), await addConsent(hanako, applicationId)];
    await addConsent(taro, applicationId);
    await addConsent(hanako, other);
    expect(await consents.revoke(hanako, applicationId)).toBe(true);
    expect((await revokedTokens()).sort()).toEqual(tokens.sort());
    expect(await countRows(applicationId)).toEqual([1, 1, 1, 1]);
    expect(await countRows(other)).toEqual([1, 1, 1, 1]);
    expect(await consents.revoke(hanako, applicationId)).toBe(false);
    expect(await revokedAccess()).toEqual([[hanako, applicationId, hanako]]);
  });
});
