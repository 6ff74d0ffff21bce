import { Logger } from '@nestjs/common';
import { freshToken } from '../tokens/token.crypto.js';
import { UserQueries } from '../users/user.queries.js';
import { code, IdentityStack } from './testing/identity-stack.js';

let stack: IdentityStack;

beforeAll(async () => {
  Logger.overrideLogger(false);
  stack = await IdentityStack.start('https://shop.example.com');
});
afterAll(() => stack.close());
beforeEach(() => stack.reset());

describe('an identity that a member links', () => {
  it('is theirs, once, and they can sign in with it', async () => {
    const { id, visit } = await stack.member('hanako');
    expect(await stack.arrive('hana', visit, id)).toEqual({ outcome: 'linked', returnTo: '/account?a=1' });
    expect(await stack.arrive('hana', visit, id)).toMatchObject({ outcome: 'linked' });
    expect(await stack.service.list(id)).toEqual({
      identities: [{ id: expect.any(Number), provider: 'real', label: 'real', nickname: 'hana' }],
    });
    expect(await stack.sessions.show(await stack.sessionOf('hana'))).toMatchObject({ user: { id } });
  });

  it('is seen by everybody, but an e-mail address that a provider uses as an id', async () => {
    const { id, visit } = await stack.member('hanako');
    await stack.arrive('hana', visit, id);
    await stack.rows(`insert into identities (user_id, provider, uid) values (${id}, 'mallory', 'hana@example.com')`);
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

  it('is not taken away from somebody else', async () => {
    await stack.signUp('taro', await stack.newcomer('taro'));
    const { id, visit } = await stack.member('hanako');
    await expect(stack.arrive('taro', visit, id)).rejects.toMatchObject(code('identity.taken'));
    expect(await stack.service.list(id)).toEqual({ identities: [] });
  });

  it("is one user's when two link it at once", async () => {
    const both = [await stack.member('hanako'), await stack.member('taro')];
    const backs = await Promise.all(
      both.map(async ({ id, visit }) => ({
        visit,
        back: await stack.real.signIn(await stack.begin(visit, 'real', id), 'hana'),
      })),
    );
    const results = await Promise.allSettled(backs.map(({ visit, back }) => stack.finish(visit, back)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((it) => it.status === 'rejected')!.reason).toMatchObject(code('identity.taken'));
  });

  it("is not linked by a session that has ended meanwhile, as a thief's does on a password change", async () => {
    const { id, visit } = await stack.member('hanako');
    const back = await stack.real.signIn(await stack.begin(visit, 'real', id), 'mallory');
    await stack.rows('delete from sessions');
    await expect(stack.finish(visit, back)).rejects.toMatchObject(code('identity.expired'));
    expect(await stack.service.list(id)).toEqual({ identities: [] });
  });

  it('is not linked in the browser of a member by an answer that an attacker has got (link CSRF)', async () => {
    const { id, visit } = await stack.member('hanako');
    const attackers = await stack.real.signIn(await stack.begin(freshToken()), 'mallory');
    await expect(stack.finish(visit, attackers)).rejects.toMatchObject(code('identity.expired'));
    expect(await stack.service.list(id)).toEqual({ identities: [] });
  });
});

describe('unlinking', () => {
  /** A user without a password who has an identity at each of the two providers. */
  async function two() {
    const { id } = await stack.member('hanako', null);
    for (const provider of ['real', 'mallory'])
      await stack.rows(`insert into identities (user_id, provider, uid) values (${id}, '${provider}', 'u')`);
    const { identities } = await stack.service.list(id);
    return { userId: id, identities: identities.map((identity) => identity.id) };
  }

  it('leaves one way to sign in when two are unlinked at once', async () => {
    const { userId, identities } = await two();
    const results = await Promise.allSettled(
      identities.map((identityId) => stack.service.unlink({ userId, identityId })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((it) => it.status === 'rejected')!.reason).toMatchObject(code('identity.last'));
    expect((await stack.service.list(userId)).identities).toHaveLength(1);
  });

  it('takes the last one away from whoever has a password', async () => {
    const { userId, identities } = await two();
    await stack.rows(`update users set password_hash = 'a hash' where id > 0`);
    for (const identityId of identities) await stack.service.unlink({ userId, identityId });
    expect(await stack.service.list(userId)).toEqual({ identities: [] });
  });

  it('does not count what nobody can sign in with: a provider that is no longer there', async () => {
    const { userId, identities } = await two();
    await stack.rows(`update identities set provider = 'gone' where id = ${identities[1]}`);
    await expect(stack.service.unlink({ userId, identityId: identities[0]! })).rejects.toMatchObject(
      code('identity.last'),
    );
    expect((await stack.service.list(userId)).identities[1]).toMatchObject({ provider: 'gone', label: 'gone' });
    await stack.service.unlink({ userId, identityId: identities[1]! });
  });

  it('finds nothing of somebody else', async () => {
    const { identities } = await two();
    const { id: userId } = await stack.member('taro');
    await expect(stack.service.unlink({ userId, identityId: identities[0]! })).rejects.toMatchObject(
      code('identity.not-found'),
    );
    await expect(stack.service.unlink({ userId: 999_999, identityId: identities[0]! })).rejects.toMatchObject(
      code('user.not-found'),
    );
  });
});
