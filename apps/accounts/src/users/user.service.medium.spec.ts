import { testDatabase, type TestDatabase } from '#testing';
import { KeyCipher } from '../keys/key.crypto.js';
import { KeyRepository } from '../keys/key.repository.js';
import { AccessTokenEntity } from '../tokens/access-token.entity.js';
import { TokenQueries } from '../tokens/token.queries.js';
import { UserEntity } from './user.entity.js';
import { UserQueries } from './user.queries.js';
import { UserRepository } from './user.repository.js';
import { UserService } from './user.service.js';
import type { UserChanges } from './user.rules.js';

let db: TestDatabase;
let users: UserService;
let queries: UserQueries;

const hanako = { name: 'hanako', email: 'hanako@example.com', password: 'correct horse', displayName: 'Hanako' };
const code = (value: string) => expect.objectContaining({ kind: expect.objectContaining({ code: value }) });
const countUsers = async () =>
  (await db.database.query<{ count: number }>('select count(*) as count from users where id > 0'))[0]!.count;

beforeAll(async () => {
  db = await testDatabase('accounts', [UserEntity, AccessTokenEntity]);
  const keys = new KeyRepository(db.database, new KeyCipher('a secret of at least thirty-two characters'));
  users = new UserService(new UserRepository(db.database, keys));
  queries = new UserQueries(db.database);
});
afterAll(() => db.close());
beforeEach(() => db.database.query('delete from users where id > 0'));

describe('a new user', () => {
  it('is returned with an API key that may read and write', async () => {
    const created = await users.create(hanako);
    expect(created).toEqual({ id: expect.any(Number), name: 'hanako', apiKey: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await new TokenQueries(db.database).introspect(created.apiKey)).toMatchObject({
      active: true,
      userId: created.id,
      scopes: ['read', 'write'],
    });
  });

  it('is found by name in any case', async () => {
    const { id } = await users.create(hanako);
    expect(await queries.show('HANAKO')).toEqual({
      id,
      name: 'hanako',
      email: 'hanako@example.com',
      displayName: 'Hanako',
      official: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it('stores neither the password nor the key in readable form', async () => {
    const { apiKey } = await users.create(hanako);
    const [row] = await db.database.query<{ text: string }>(
      `select string_agg(row_to_json(u)::text, '') || (select string_agg(row_to_json(t)::text || encode(encrypted, 'escape'), '')
         from access_tokens t) as text from users u`,
    );
    expect(row!.text).toContain('$argon2id$');
    expect(row!.text).not.toContain('correct horse');
    expect(row!.text).not.toContain(apiKey);
  });

  it('cannot take a name that differs in case only', async () => {
    await users.create(hanako);
    await expect(users.create({ ...hanako, name: 'Hanako', email: 'other@example.com' })).rejects.toEqual(
      code('user.name-taken'),
    );
  });

  it('cannot take an e-mail address that differs in case only', async () => {
    await users.create(hanako);
    await expect(users.create({ ...hanako, name: 'taro', email: 'Hanako@Example.com' })).rejects.toEqual(
      code('user.email-taken'),
    );
    expect(await countUsers()).toBe(1);
  });

  it('cannot take a reserved name', async () => {
    await expect(users.create({ ...hanako, name: 'Admin' })).rejects.toEqual(code('user.name-reserved'));
    expect(await countUsers()).toBe(0);
  });

  it('is created once by twenty concurrent requests for a name', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => users.create({ ...hanako, email: `hanako${n}@example.com` })),
    );
    const rejected = attempts.filter((attempt) => attempt.status === 'rejected');
    expect(rejected).toHaveLength(19);
    expect(rejected.map(({ reason }) => reason.kind.code)).toEqual(Array<string>(19).fill('user.name-taken'));
    expect(await countUsers()).toBe(1);
  });
});

describe('changing the profile', () => {
  interface Row {
    displayName: string | null;
    avatarUrl: string | null;
    profile: object;
    updatedAt: Date;
  }
  let viewerId: number;
  const row = async (): Promise<Row> =>
    (
      await db.database.query<Row>(
        `select display_name as "displayName", avatar_url as "avatarUrl", profile, updated_at as "updatedAt"
         from users where id = $1`,
        [viewerId],
      )
    )[0]!;
  const everything = {
    displayName: '花子',
    avatarUrl: 'https://example.com/1.png',
    profile: { url: 'https://example.com', body: 'Cats.', headerUrl: 'https://example.com/header.png' },
  };
  const nothing = { displayName: null, avatarUrl: null, profile: { url: null, body: null, headerUrl: null } };

  beforeEach(async () => {
    viewerId = (await users.create(hanako)).id;
  });

  it('changes every field, and clears it again', async () => {
    await users.update({ viewerId, ...everything });
    expect(await row()).toMatchObject(everything);
    await users.update({ viewerId, ...nothing });
    expect(await row()).toMatchObject(nothing);
  });

  it.each<UserChanges>([
    { displayName: 'H' },
    { avatarUrl: null },
    { profile: { url: null } },
    { profile: { body: 'Dogs.' } },
    { profile: { headerUrl: null, body: '' } },
  ])('changes only the fields of %j', async (changes) => {
    await users.update({ viewerId, ...everything });
    await users.update({ viewerId, ...changes });
    expect(await row()).toEqual({
      ...everything,
      ...changes,
      profile: { ...everything.profile, ...changes.profile },
      updatedAt: expect.any(Date),
    });
  });

  it('advances updated_at, except for an empty update', async () => {
    const created = await row();
    await users.update({ viewerId });
    await users.update({ viewerId, profile: {} });
    expect(await row()).toEqual(created);
    await users.update({ viewerId, displayName: 'H' });
    expect((await row()).updatedAt.getTime()).toBeGreaterThan(created.updatedAt.getTime());
  });

  it('applies all of several concurrent changes', async () => {
    await Promise.all([
      users.update({ viewerId, profile: { url: 'https://example.com' } }),
      users.update({ viewerId, profile: { body: 'Cats.' } }),
      users.update({ viewerId, profile: { headerUrl: 'https://example.com/header.png' } }),
    ]);
    expect(await row()).toMatchObject({ profile: everything.profile });
  });

  it('changes no other user', async () => {
    const taro = await users.create({ ...hanako, name: 'taro', email: 'taro@example.com' });
    await users.update({ viewerId: taro.id, ...everything });
    expect(await row()).toMatchObject({ displayName: 'Hanako', avatarUrl: null });
  });

  it.each([0, 999_999])('is rejected for the id %d, of the built-in user or of none', async (id) => {
    await expect(users.update({ viewerId: id, displayName: 'H' })).rejects.toEqual(code('user.not-found'));
    expect(await db.database.query('select display_name from users where id = 0')).toEqual([{ display_name: null }]);
  });
});

describe('marking a user as official', () => {
  it('works by name in any case', async () => {
    await users.create(hanako);
    await users.markOfficial({ name: 'HANAKO', official: true });
    expect(await queries.show('hanako')).toMatchObject({ official: true });
    await users.markOfficial({ name: 'hanako', official: false });
    expect(await queries.show('hanako')).toMatchObject({ official: false });
  });

  it('changes nothing the second time', async () => {
    await users.create(hanako);
    const updatedAt = async () => (await db.database.query('select updated_at from users where id > 0'))[0];
    await users.markOfficial({ name: 'hanako', official: true });
    const first = await updatedAt();
    await users.markOfficial({ name: 'hanako', official: true });
    expect(await updatedAt()).toEqual(first);
  });

  it('ignores the built-in user', async () => {
    await users.markOfficial({ name: 'anonymous', official: true });
    expect(await db.database.query('select official from users where id = 0')).toEqual([{ official: false }]);
  });
});

describe('the anonymous user', () => {
  it('exists from the start, with id 0', async () => {
    expect(await db.database.query('select name, email from users where id = 0')).toEqual([
      { name: 'anonymous', email: null },
    ]);
  });

  it('is not found by operators', async () => {
    await expect(queries.show('anonymous')).rejects.toEqual(code('user.not-found'));
  });
});
