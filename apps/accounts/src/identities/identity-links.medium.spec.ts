import { Logger } from '@nestjs/common';
import { generateToken } from '../tokens/token.crypto.js';
import { UserQueries } from '../users/user.queries.js';
import { problemWith, IdentityStack } from './testing/identity-stack.js';

let stack: IdentityStack;

beforeAll(async () => {
  Logger.overrideLogger(false);
  stack = await IdentityStack.start('https://shop.example.com');
});
afterAll(() => stack.close());
beforeEach(() => stack.reset());

describe('an identity that a user links', () => {
  it('is linked once, also when it is linked again, and signs the user in', async () => {
    const { id, browserToken } = await stack.addSignedInUser('hanako');
    expect(await stack.signIn('hana', browserToken, id)).toEqual({ outcome: 'linked', returnTo: '/account?a=1' });
    expect(await stack.signIn('hana', browserToken, id)).toMatchObject({ outcome: 'linked' });
    expect(await stack.service.list(id)).toEqual({
      identities: [{ id: expect.any(Number), provider: 'real', label: 'real', nickname: 'hana' }],
    });
    expect(await stack.sessions.show(await stack.sessionOf('hana'))).toMatchObject({ user: { id } });
  });

  it('is public, except for an e-mail address that a provider uses as an id', async () => {
    const { id, browserToken } = await stack.addSignedInUser('hanako');
    await stack.signIn('hana', browserToken, id);
    await stack.query(`insert into identities (user_id, provider, uid) values (${id}, 'mallory', 'hana@example.com')`);
    const { body } = await new UserQueries(stack.db.database).get(id);
    expect(JSON.parse(body.toString())).toMatchObject({
      user: {
        identities: [
          { provider: 'real', uid: 'hana', nickname: 'hana', url: 'https://people.example.com/hana' },
          { provider: 'mallory', uid: null },
        ],
      },
    });
  });

  it('is rejected when it belongs to another user', async () => {
    await stack.signUp('taro', await stack.newUser('taro'));
    const { id, browserToken } = await stack.addSignedInUser('hanako');
    await expect(stack.signIn('taro', browserToken, id)).rejects.toMatchObject(problemWith('identity.taken'));
    expect(await stack.service.list(id)).toEqual({ identities: [] });
  });

  it('is linked by one of two users who link it concurrently', async () => {
    const both = [await stack.addSignedInUser('hanako'), await stack.addSignedInUser('taro')];
    const backs = await Promise.all(
      both.map(async ({ id, browserToken }) => ({
        browserToken,
        callback: await stack.real.signIn(await stack.begin(browserToken, 'real', id), 'hana'),
      })),
    );
    const results = await Promise.allSettled(
      backs.map(({ browserToken, callback }) => stack.finish(browserToken, callback)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((it) => it.status === 'rejected')!.reason).toMatchObject(problemWith('identity.taken'));
  });

  it('is not linked with a session that has ended, for example by a change of the password', async () => {
    const { id, browserToken } = await stack.addSignedInUser('hanako');
    const callback = await stack.real.signIn(await stack.begin(browserToken, 'real', id), 'mallory');
    await stack.query('delete from sessions');
    await expect(stack.finish(browserToken, callback)).rejects.toMatchObject(problemWith('identity.expired'));
    expect(await stack.service.list(id)).toEqual({ identities: [] });
  });

  it('is not linked by the callback of an attacker in the browser of a user (link CSRF)', async () => {
    const { id, browserToken } = await stack.addSignedInUser('hanako');
    const attackersCallback = await stack.real.signIn(await stack.begin(generateToken()), 'mallory');
    await expect(stack.finish(browserToken, attackersCallback)).rejects.toMatchObject(problemWith('identity.expired'));
    expect(await stack.service.list(id)).toEqual({ identities: [] });
  });
});

describe('unlinking', () => {
  /** Adds a user without a password who has an identity at each of the two providers. */
  async function addUserWithTwo() {
    const { id } = await stack.addSignedInUser('hanako', null);
    for (const provider of ['real', 'mallory'])
      await stack.query(`insert into identities (user_id, provider, uid) values (${id}, '${provider}', 'u')`);
    const { identities } = await stack.service.list(id);
    return { userId: id, identities: identities.map((identity) => identity.id) };
  }

  it('preserves one way to sign in when two are unlinked concurrently', async () => {
    const { userId, identities } = await addUserWithTwo();
    const results = await Promise.allSettled(
      identities.map((identityId) => stack.service.unlink({ userId, identityId })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((it) => it.status === 'rejected')!.reason).toMatchObject(problemWith('identity.last'));
    expect((await stack.service.list(userId)).identities).toHaveLength(1);
  });

  it('removes the last identity of a user with a password', async () => {
    const { userId, identities } = await addUserWithTwo();
    await stack.query(`update users set password_hash = 'a hash' where id > 0`);
    for (const identityId of identities) await stack.service.unlink({ userId, identityId });
    expect(await stack.service.list(userId)).toEqual({ identities: [] });
  });

  it('does not count an identity of a provider that is no longer configured', async () => {
    const { userId, identities } = await addUserWithTwo();
    await stack.query(`update identities set provider = 'removed' where id = ${identities[1]}`);
    await expect(stack.service.unlink({ userId, identityId: identities[0]! })).rejects.toMatchObject(
      problemWith('identity.last'),
    );
    expect((await stack.service.list(userId)).identities[1]).toMatchObject({ provider: 'removed', label: 'removed' });
    await stack.service.unlink({ userId, identityId: identities[1]! });
  });

  it('finds no identity of another user, and no unknown user', async () => {
    const { identities } = await addUserWithTwo();
    const { id: userId } = await stack.addSignedInUser('taro');
    await expect(stack.service.unlink({ userId, identityId: identities[0]! })).rejects.toMatchObject(
      problemWith('identity.not-found'),
    );
    await expect(stack.service.unlink({ userId: 999_999, identityId: identities[0]! })).rejects.toMatchObject(
      problemWith('user.not-found'),
    );
  });
});
