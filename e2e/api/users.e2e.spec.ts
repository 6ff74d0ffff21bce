import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import sharp from 'sharp';
import { CurrentUserResponse, UserListResponse, UserResponse } from '#contracts';
import { api, dataDir, eventually, newMaterial, newUser, newUsers, operator, type User } from '../support/shop.js';

/** Returns the paths of the files of a user's textures. */
async function texturePaths({ id }: User): Promise<string[]> {
  const { databaseUrl } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as { databaseUrl: string };
  const owner = new pg.Client(databaseUrl);
  await owner.connect();
  try {
    const { rows } = await owner.query<{ key: string }>(
      'select blob_key as key from rendering.textures join rendering.texture_references using (hash) where user_id = $1',
      [id],
    );
    return rows.map(({ key }) => join(dataDir, 'blobs', key));
  } finally {
    await owner.end();
  }
}

describe('a user', () => {
  let me: User;
  let other: User;

  beforeAll(async () => {
    [me, other] = (await newUsers(2)) as [User, User];
  });

  const put = (body: unknown) => api('PUT', '/user', { token: me.apiKey, body });
  const self = async () => (await api('GET', '/user', { token: me.apiKey })).body.user;

  it('sees their own e-mail address only', async () => {
    const own = await api('GET', '/user', { token: me.apiKey });
    expect(() => CurrentUserResponse.parse(own.body)).not.toThrow();
    expect(own.body.user).toMatchObject({ id: me.id, name: me.name, email: `${me.name}@example.com`, official: false });
    for (const path of [`/users/${me.id}`, `/users?name=${me.name}`, '/users?limit=50', `/users/${other.id}`])
      for (const { apiKey: token } of [me, other]) {
        const response = await api('GET', path, { token });
        expect([path, response.status]).toEqual([path, 200]);
        expect(JSON.stringify(response.body)).not.toContain('@example.com');
        expect(JSON.stringify(response.body)).not.toContain('"email"');
      }
  });

  it('is found by id and by exact name', async () => {
    const one = await api('GET', `/users/${other.id}`, { token: me.apiKey });
    expect(() => UserResponse.parse(one.body)).not.toThrow();
    expect(one.body.user).toMatchObject({
      id: other.id,
      name: other.name,
      displayName: null,
      avatarUrl: null,
      profile: { url: null, body: null, headerUrl: null },
      identities: [],
      official: false,
    });
    const list = await api('GET', `/users?name=${other.name}`, { token: me.apiKey });
    expect(() => UserListResponse.parse(list.body)).not.toThrow();
    expect(list.body).toEqual({ users: [one.body.user], meta: { hasNext: false } });
    expect((await api('GET', '/users?name=demo', { token: me.apiKey })).body.users).toHaveLength(1);
  });

  it('with id 0 is not visible', async () => {
    expect((await api('GET', '/users/0', { token: me.apiKey })).status).toBe(400);
    expect((await api('GET', '/users?name=anonymous', { token: me.apiKey })).body.users).toEqual([]);
  });

  it('is changed in the sent fields only', async () => {
    const steps: [object, object][] = [
      [{}, {}],
      [{ displayName: '花子 🌸' }, { displayName: '花子 🌸' }],
      [{ avatarUrl: 'https://example.com/a.png' }, { avatarUrl: 'https://example.com/a.png' }],
      [
        { profile: { url: 'https://example.com', body: ' I draw\ncats. ', headerUrl: 'http://example.com/h.png' } },
        { profile: { url: 'https://example.com', body: ' I draw\ncats. ', headerUrl: 'http://example.com/h.png' } },
      ],
      [{ profile: {} }, {}],
      [
        { profile: { body: null } },
        { profile: { url: 'https://example.com', body: null, headerUrl: 'http://example.com/h.png' } },
      ],
      [
        { displayName: null, avatarUrl: null },
        { displayName: null, avatarUrl: null },
      ],
      [{ name: 'demo', email: 'x@example.org', official: true, id: 1, identities: [1] }, {}],
    ];
    for (const [body, expected] of steps) {
      const before = await self();
      const response = await put(body);
      expect(() => CurrentUserResponse.parse(response.body)).not.toThrow();
      expect([body, response.status, response.body.user]).toEqual([body, 200, { ...before, ...expected }]);
      expect(await self()).toEqual(response.body.user);
    }
  });

  it('is changed immediately in responses of choices and users', async () => {
    await put({ displayName: 'Seen at once' });
    const made = await api('POST', '/choices', { token: me.apiKey, body: { title: 'x' } });
    expect(made.body.choice.user.displayName).toBe('Seen at once');
    const seen = await api('GET', `/choices/${made.body.choice.id}`, { token: other.apiKey });
    expect(seen.body.choice.user.displayName).toBe('Seen at once');
    expect((await api('GET', `/users/${me.id}`, { token: other.apiKey })).body.user.displayName).toBe('Seen at once');
  });

  it('is unchanged by a rejected update', async () => {
    const before = await self();
    const response = await put({ displayName: 'x', avatarUrl: 'javascript:alert(1)', profile: { url: 'x' } });
    expect(response.status).toBe(400);
    expect(response.body.errors.map((it: any) => it.path).sort()).toEqual(['body.avatarUrl', 'body.profile.url']);
    expect(await self()).toEqual(before);
  });

  it('has no textures after deletion of the account, and stored photographs have no location', async () => {
    const one = await newUser();
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const grain = () => sharp({ create: { width: 200, height: 150, channels: 3, background: '#445566', noise } });
    const photograph = await grain()
      .withExif({ IFD3: { GPSMapDatum: one.name } })
      .jpeg()
      .toBuffer();
    const files = [photograph, await grain().png().toBuffer(), await grain().png().toBuffer()];
    for (const [at, file] of files.entries()) {
      const texture = `data:image/${at === 0 ? 'jpeg' : 'png'};base64,${file.toString('base64')}`;
      await newMaterial(one, { texture });
    }
    const paths = await texturePaths(one);
    const stored = await Promise.all(paths.map((path) => readFile(path)));
    expect(stored).toHaveLength(3);
    expect(photograph.includes(one.name)).toBe(true);
    expect(stored.filter((it) => it.includes(one.name))).toEqual([]);
    await operator('user', 'delete', one.name, '--yes');
    await eventually(
      () => Promise.resolve(paths.filter((path) => existsSync(path))),
      (left) => left.length === 0,
    );
    expect(await texturePaths(one)).toEqual([]);
  });

  it('is marked as official by an operator', async () => {
    await operator('user', 'official', '--name', other.name);
    expect((await api('GET', `/users/${other.id}`, { token: me.apiKey })).body.user.official).toBe(true);
  });
});
