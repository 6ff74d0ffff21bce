import pg from 'pg';
import { nextOffsetHeader, User, UserListResponse, UserResponse } from '#contracts';
import { testDatabase, type TestDatabase } from '#testing';
import { UserQueries } from './user.queries.js';

let db: TestDatabase;
let owner: pg.Client;
let queries: UserQueries;

const hanako = 1;
const notFound = expect.objectContaining({ kind: expect.objectContaining({ code: 'user.not-found' }) });

beforeAll(async () => {
  db = await testDatabase('accounts');
  queries = new UserQueries(db.database);
  owner = new pg.Client({ connectionString: db.ownerUrl, options: '-c search_path=accounts' });
  await owner.connect();
  // Two users have the same creation time and are ordered by id
  await owner.query(`
    insert into users (id, name, display_name, avatar_url, profile, official, email, created_at)
      overriding system value values
      (1, 'hanako', 'Hanako', 'https://example.com/1.png', '{"url": "https://example.com", "body": "Cats.", "headerUrl": null}',
        true, 'hanako@mail.example', '2026-11-20T10:00:00Z'),
      (2, 'taro', null, null, default, false, 'taro@mail.example', '2026-11-20T12:00:00Z'),
      (3, 'Jiro', null, null, default, false, 'jiro@mail.example', '2026-11-20T12:00:00Z'),
      (4, 'saki', null, null, default, false, 'saki@mail.example', '2026-11-20T11:00:00Z');
    insert into identities (user_id, provider, uid, nickname, url) values
      (1, 'example', '2326290218', 'hana', 'https://example.com/hana'), (1, 'other', null, null, null)`);
});
afterAll(async () => {
  await owner.end();
  await db.close();
});

const list = async (request: { limit?: number; offset?: number; name?: string } = {}) => {
  const { body, headers } = await queries.list({ viewerId: hanako, limit: 20, offset: 0, ...request });
  const { users, meta } = UserListResponse.parse(JSON.parse(body.toString()));
  return { names: users.map(({ name }) => name), ...meta, nextOffset: headers[nextOffsetHeader] };
};
const bodyOf = async (reply: ReturnType<UserQueries['get']>): Promise<unknown> =>
  JSON.parse((await reply).body.toString());

describe('the list of users', () => {
  it('is ordered by creation time and id, newest first, without the built-in user', async () => {
    expect(await list()).toEqual({ names: ['Jiro', 'taro', 'saki', 'hanako'], hasNext: false, nextOffset: undefined });
  });

  it('reports if there are more', async () => {
    expect(await list({ limit: 3 })).toEqual({ names: ['Jiro', 'taro', 'saki'], hasNext: true, nextOffset: '3' });
    expect(await list({ limit: 2, offset: 2 })).toEqual({
      names: ['saki', 'hanako'],
      hasNext: false,
      nextOffset: undefined,
    });
    expect(await list({ limit: 1 })).toMatchObject({ names: ['Jiro'] });
    expect(await list({ limit: 1, offset: 1 })).toMatchObject({ names: ['taro'] });
    expect(await list({ offset: 4 })).toMatchObject({ names: [], hasNext: false });
  });

  it('finds an exact name only', async () => {
    expect(await list({ name: 'Jiro' })).toMatchObject({ names: ['Jiro'], hasNext: false });
    for (const name of ['jiro', 'JIRO', 'Jir', 'unknown', 'anonymous']) {
      expect(await list({ name })).toMatchObject({ names: [], hasNext: false });
    }
  });

  it('can be read from the index users_newest without a sort', async () => {
    await owner.query('begin; set local enable_seqscan = off');
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(
      'explain select id from users where id > 0 order by created_at desc, id desc limit 21',
    );
    await owner.query('rollback');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('using users_newest');
    expect(plan).not.toContain('Sort');
  });
});

describe('the users that an operator finds', () => {
  const find = async (text?: string, limit = 50, offset = 0) => {
    const { users, nextOffset } = await queries.find({ text, limit, offset });
    return [users.map(({ name }) => name), nextOffset];
  };

  it('are all users but the built-in one, newest first, in pages', async () => {
    expect(await find()).toEqual([['Jiro', 'taro', 'saki', 'hanako'], null]);
    expect(await find(undefined, 3)).toEqual([['Jiro', 'taro', 'saki'], 3]);
    expect(await find(undefined, 3, 3)).toEqual([['hanako'], null]);
  });

  it('have the text in their name, in any case', async () => {
    expect(await find('RO')).toEqual([['Jiro', 'taro'], null]);
    expect(await find('ro', 1)).toEqual([['Jiro'], 1]);
    for (const text of ['anonymous', '%', '_', 'mail']) expect(await find(text)).toEqual([[], null]);
  });

  it('have the text as their whole e-mail address, in any case', async () => {
    expect(await find('Saki@Mail.example')).toEqual([['saki'], null]);
    expect(await find('saki@mail')).toEqual([[], null]);
  });
});

describe('a user', () => {
  it('is returned with profile and identities, and without the e-mail address', async () => {
    const body = await bodyOf(queries.get(hanako));
    expect(UserResponse.extend({ user: User.strict() }).strict().parse(body)).toEqual({
      user: {
        id: hanako,
        name: 'hanako',
        displayName: 'Hanako',
        avatarUrl: 'https://example.com/1.png',
        profile: { url: 'https://example.com', body: 'Cats.', headerUrl: null },
        identities: [
          {
            id: expect.any(Number),
            provider: 'example',
            uid: '2326290218',
            nickname: 'hana',
            url: 'https://example.com/hana',
          },
          { id: expect.any(Number), provider: 'other', uid: null, nickname: null, url: null },
        ],
        official: true,
      },
    });
  });

  it('without profile has nulls and no identities', async () => {
    expect(await bodyOf(queries.get(2))).toEqual({
      user: {
        id: 2,
        name: 'taro',
        displayName: null,
        avatarUrl: null,
        profile: { url: null, body: null, headerUrl: null },
        identities: [],
        official: false,
      },
    });
  });

  it('is the same in the list', async () => {
    const { body } = await queries.list({ viewerId: 2, limit: 1, offset: 0, name: 'hanako' });
    const { users } = JSON.parse(body.toString()) as { users: unknown[] };
    expect({ user: users[0] }).toEqual(await bodyOf(queries.get(hanako)));
  });

  it('is returned with the e-mail address to the user itself', async () => {
    const { user } = (await bodyOf(queries.get(hanako))) as { user: object };
    expect(await bodyOf(queries.self(hanako))).toEqual({ user: { ...user, email: 'hanako@mail.example' } });
  });

  it.each([0, 999, Number.MAX_SAFE_INTEGER])('is not found for the id %d', async (id) => {
    await expect(queries.get(id)).rejects.toEqual(notFound);
    await expect(queries.self(id)).rejects.toEqual(notFound);
  });
});
