import type { Tx } from '#persistence';
import { eventually } from '#testing';
import { freshSession } from '../sessions/session.rules.js';
import { type MemberStack, memberStack, password, refusal, visitor } from '../testing/member-stack.js';
import { nameOfHash } from '../tokens/token.crypto.js';
import { verifyPassword } from './password.crypto.js';

let stack: MemberStack;
let hanako: number;
let taro: number;

const another = 'battery staple';
const email = 'hanako@example.com';

beforeAll(async () => {
  stack = await memberStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.database.query('delete from users where id > 0');
  [hanako, taro] = [await stack.add('Hanako', { email }), await stack.add('taro')];
  await stack.database.query('delete from outbox');
});

/** A session without a sign-in, as a sign-in has one. */
async function signedIn(id: number, passwordHash: string | null = stack.passwordHash): Promise<string> {
  const session = freshSession(null);
  await stack.sessionRepository.begin({ id, passwordHash }, session);
  return session.session;
}
const isActive = async (session: string) => (await stack.queries.show(session)).active;
const sha = (text: string) => `sha256('${text}'::bytea)`;
const givenToken = (text: string, userId: number, applicationId: number | null = null) =>
  `insert into access_tokens (hash, user_id, kind, scopes, application_id, code_hash)
   values (${sha(text)}, ${userId}, 'token', '{read}', ${applicationId}, ${applicationId === null ? 'null' : sha('code')})`;
async function application(ownerId: number): Promise<number> {
  const [row] = await stack.database.query<{ id: number }>(
    `insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential)
     values ($1, $2, 'App', '', '{https://app.example.com}', '{read}', false) returning id`,
    [ownerId, `client-${ownerId}`],
  );
  return row!.id;
}
const said = (name: string) =>
  stack.database.query<{ payload: { tokenHash?: string } }>(`select payload from outbox where name = $1 order by seq`, [
    name,
  ]);
const saidDead = async () => (await said('token.revoked')).map(({ payload }) => payload.tokenHash).sort();
const nameOf = async (where: string): Promise<string[]> =>
  (await stack.database.query<{ hash: Buffer }>(`select hash from access_tokens where ${where}`)).map(({ hash }) =>
    nameOfHash(hash),
  );
/** Does a thing that waits for what the transaction holds, and lets it go on when the transaction has committed. */
async function meanwhile(work: (tx: Tx) => Promise<unknown>, act: () => Promise<unknown>): Promise<unknown> {
  const { acting } = await stack.database.transaction(async (tx) => {
    await work(tx);
    const waits = act().catch((error: unknown) => error);
    await eventually('it waits', async () => (await stack.waiting()) > 0);
    return { acting: waits };
  });
  return acting;
}

describe('signing up', () => {
  const jiro = { name: 'Jiro', email: 'jiro@example.com', password: another, visitor };

  it('makes a user with a personal key, who is signed in', async () => {
    const { session } = await stack.members.signUp(jiro);
    expect(await stack.queries.show(session)).toMatchObject({
      active: true,
      user: { name: 'Jiro', email: 'jiro@example.com', displayName: null, hasPassword: true },
    });
    expect(
      await stack.count(`access_tokens join users on users.id = user_id where name = 'Jiro' and kind = 'personal'`),
    ).toBe(1);
    expect(await stack.sessions.open({ login: 'jiro', password: another, visitor })).toBeDefined();
  });

  it.each([
    ['user.name-taken', { name: 'HANAKO' }],
    ['user.email-taken', { email: 'Hanako@EXAMPLE.com' }],
    ['user.name-reserved', { name: 'Sign-In' }],
    ['password.easy-to-guess', { password: 'Password123' }],
    ['password.easy-to-guess', { password: 'jiro-20261122' }],
    ['password.easy-to-guess', { password: 'jiro@example.com' }],
  ] as const)('is refused with %s for %j, and leaves nothing behind', async (code, given) => {
    await expect(stack.members.signUp({ ...jiro, ...given })).rejects.toMatchObject(refusal(code));
    expect([await stack.count('users where id > 0'), await stack.count('sessions')]).toEqual([2, 0]);
  });

  it('is done by one of five who want the same name at once', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) =>
        stack.members.signUp({ ...jiro, name: n % 2 ? 'jiro' : 'JIRO', email: `jiro${n}@example.com` }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([await stack.count('users where id > 2'), await stack.count('sessions')]).toEqual([3, 1]);
  });

  it('is refused to an address that has tried too often, before a password is hashed', async () => {
    const from = { ...visitor, address: '192.0.2.50' };
    for (let n = 0; n < 50; n++) await stack.attempts.signUp(from.address);
    await expect(stack.members.signUp({ ...jiro, visitor: from })).rejects.toMatchObject(refusal('sign-in.too-many'));
    expect(await stack.count('users where id > 0')).toBe(2);
  });
});

describe('another e-mail address', () => {
  const change = (to: string, typed: string | null = password, userId = hanako) =>
    stack.members.changeEmail({ userId, email: to, password: typed, visitor });

  it('is set for who knows the password', async () => {
    await change('new@example.com');
    expect(await stack.sessions.open({ login: 'NEW@example.com', password, visitor })).toBeDefined();
  });

  it('is not set without the password, for one that is taken, or for somebody who has left', async () => {
    await expect(change('new@example.com', another)).rejects.toMatchObject(refusal('password.wrong'));
    await expect(change('new@example.com', null)).rejects.toMatchObject(refusal('password.wrong'));
    await expect(change('TARO@example.com')).rejects.toMatchObject(refusal('user.email-taken'));
    for (const userId of [0, 999_999])
      await expect(change('new@example.com', null, userId)).rejects.toMatchObject(refusal('user.not-found'));
    expect(await stack.count(`users where email = '${email}'`)).toBe(1);
  });

  it('is not tried more often from one address than people sign up there, right password or not', async () => {
    const from = { ...visitor, address: '192.0.2.51' };
    const probe = (to: string) => stack.members.changeEmail({ userId: hanako, email: to, password, visitor: from });
    for (let n = 0; n < 48; n++) await stack.attempts.changeEmail(from.address);
    await expect(probe('taro@example.com')).rejects.toMatchObject(refusal('user.email-taken'));
    await probe('free@example.com');
    await expect(probe('taro@example.com')).rejects.toMatchObject(refusal('sign-in.too-many'));
    await expect(probe('other@example.com')).rejects.toMatchObject(refusal('sign-in.too-many'));
    expect(await stack.count(`users where email = 'free@example.com'`)).toBe(1);
  });

  it('is not set when the password is replaced meanwhile', async () => {
    const answer = await meanwhile(
      (tx) => tx.query(`update users set password_hash = 'x' where id = $1`, [hanako]),
      () => change('new@example.com'),
    );
    expect(answer).toMatchObject(refusal('password.wrong'));
  });
});

/** What acts for Hanako: a token of an operator, and one of an application, with its consent, code and refresh token. */
async function access(): Promise<void> {
  const foreign = await application(taro);
  for (const sql of [
    givenToken('by operator', hanako),
    givenToken('for hanako', hanako, foreign),
    givenToken('for taro', taro, foreign),
    `insert into consents (user_id, application_id, scopes) values (${hanako}, ${foreign}, '{read}')`,
    `insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
     values (${sha('refresh')}, ${hanako}, ${foreign}, '{read}', ${sha('code')}, now() + interval '1 day')`,
    `insert into authorization_codes (hash, user_id, application_id, scopes, redirect_uri, expires_at)
     values (${sha('open code')}, ${hanako}, ${foreign}, '{read}', 'https://app.example.com', now() + interval '1 day')`,
  ])
    await stack.database.query(sql);
}

/** Expects every token of these names to be revoked, and a new personal key as all that Hanako has. */
async function expectOnlyNewKey(dead: readonly string[]): Promise<void> {
  expect(dead).toHaveLength(3);
  expect(await saidDead()).toEqual([...dead].sort());
  const alive = await nameOf(`user_id = ${hanako}`);
  expect([alive.length, dead.includes(alive[0]!)]).toEqual([1, false]);
  expect(await stack.count(`access_tokens where user_id = ${hanako} and kind = 'personal'`)).toBe(1);
  for (const table of ['consents', 'refresh_tokens', 'authorization_codes']) expect(await stack.count(table)).toBe(0);
  expect(await stack.count(`access_tokens where user_id = ${taro}`)).toBe(2);
}

describe('another password', () => {
  const change = (to: string, typed: string | null = password, userId = hanako) =>
    stack.members.changePassword({ userId, newPassword: to, password: typed, endAccess: false, visitor });

  it('ends every session but the new one, and no token', async () => {
    const before = [await signedIn(hanako), await signedIn(hanako)];
    const foreign = await signedIn(taro);
    const { session } = await change(another);
    expect(await Promise.all([...before, foreign, session].map(isActive))).toEqual([false, false, true, true]);
    expect(await stack.count(`access_tokens where user_id = ${hanako}`)).toBe(1);
    expect(await said('token.revoked')).toEqual([]);
    await expect(stack.sessions.open({ login: email, password, visitor })).rejects.toMatchObject(
      refusal('sign-in.refused'),
    );
    expect(await stack.sessions.open({ login: email, password: another, visitor })).toBeDefined();
  });

  it('ends the key, tokens, codes and consents with it, when that is chosen, and leaves a new key', async () => {
    await access();
    const dead = await nameOf(`user_id = ${hanako}`);
    const change = { userId: hanako, newPassword: another, endAccess: true, visitor };
    await expect(stack.members.changePassword({ ...change, password: 'wrong horse' })).rejects.toMatchObject(
      refusal('password.wrong'),
    );
    expect(await said('token.revoked')).toEqual([]);
    const { session } = await stack.members.changePassword({ ...change, password });
    expect(await isActive(session)).toBe(true);
    await expectOnlyNewKey(dead);
  });

  it('is refused when it is easy to guess, or the present one is wrong, and then ends nothing', async () => {
    const session = await signedIn(hanako);
    await expect(change('hanako12345')).rejects.toMatchObject(refusal('password.easy-to-guess'));
    await expect(change(another, 'wrong horse')).rejects.toMatchObject(refusal('password.wrong'));
    await expect(change(another, null)).rejects.toMatchObject(refusal('password.wrong'));
    expect(await isActive(session)).toBe(true);
  });

  it('is the first one of a user who has none', async () => {
    const id = await stack.add('keyless', { passwordHash: null });
    await expect(change(another, 'guessed horse', id)).rejects.toMatchObject(refusal('password.wrong'));
    const { session } = await change(another, null, id);
    expect(await stack.queries.show(session)).toMatchObject({ active: true, user: { hasPassword: true } });
  });

  it('is set once when two set one at once', async () => {
    const both = await Promise.allSettled([change(another), change('another horse')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((it) => it.status === 'rejected')?.reason).toMatchObject(refusal('password.wrong'));
    expect(await stack.count('sessions')).toBe(1);
  });
});

describe('leaving', () => {
  const leave = (name = 'HANAKO', typed: string | null = password) =>
    stack.members.leave({ userId: hanako, name, password: typed, visitor });

  it('removes what is theirs, and says that each of their tokens, and those of their applications, are dead', async () => {
    const [own, foreign] = [await application(hanako), await application(taro)];
    await signedIn(hanako);
    for (const sql of [
      givenToken('by operator', hanako),
      givenToken('for taro', hanako, foreign),
      givenToken('of taro', taro, own),
      `insert into consents (user_id, application_id, scopes) values (${taro}, ${own}, '{read}'), (${hanako}, ${foreign}, '{read}')`,
      `insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
       values (${sha('refresh')}, ${taro}, ${own}, '{read}', ${sha('code')}, now() + interval '1 day')`,
      `insert into identities (user_id, provider, uid) values (${hanako}, 'example', '1')`,
    ])
      await stack.database.query(sql);
    const dead = await nameOf(`user_id = ${hanako} or application_id = ${own}`);
    await leave();
    expect(dead).toHaveLength(4);
    expect(await saidDead()).toEqual(dead.sort());
    expect(await said('user.deleted')).toEqual([{ payload: { userId: hanako, name: 'Hanako' } }]);
    const left = [
      'users where id > 0',
      'access_tokens',
      'applications',
      'sessions',
      'consents',
      'refresh_tokens',
      'identities',
    ];
    expect(await Promise.all(left.map(stack.count))).toEqual([1, 1, 1, 0, 0, 0, 0]);
    expect(await nameOf(`user_id = ${taro}`)).not.toEqual(dead);
  });

  it("needs the user's own name and the password", async () => {
    await expect(leave('taro')).rejects.toMatchObject(refusal('user.name-differs'));
    await expect(leave('')).rejects.toMatchObject(refusal('user.name-differs'));
    await expect(leave('hanako', another)).rejects.toMatchObject(refusal('password.wrong'));
    await expect(leave('hanako', null)).rejects.toMatchObject(refusal('password.wrong'));
    expect(await stack.count('users where id > 0')).toBe(2);
  });

  it('is done once when two ask for it at once', async () => {
    const both = await Promise.allSettled([leave(), leave()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((it) => it.status === 'rejected')?.reason).toMatchObject(refusal('user.not-found'));
    expect(await said('user.deleted')).toHaveLength(1);
  });

  it('takes a token along that is made at the same time, and says so', async () => {
    const own = await application(hanako);
    await meanwhile(
      async (tx) => {
        await tx.query(givenToken('late', hanako));
        await tx.query(givenToken('late of taro', taro, own));
      },
      () => leave(),
    );
    expect(await stack.count('access_tokens')).toBe(1);
    expect(await said('token.revoked')).toHaveLength(3);
  });

  it('lets nobody sign in who asks at the same time', async () => {
    const answer = await meanwhile(
      (tx) =>
        tx
          .query('select from users where id = $1 for update', [hanako])
          .then(() => tx.query('delete from users where id = $1', [hanako])),
      () => stack.sessions.open({ login: email, password, visitor }),
    );
    expect(answer).toMatchObject(refusal('sign-in.refused'));
    expect(await stack.count('sessions')).toBe(0);
  });
});

describe('a password that is typed by somebody who is signed in', () => {
  it('is counted with the guesses at the e-mail address, not with those at the name, which strangers know', async () => {
    const user = { userId: hanako, password, visitor };
    const wrong = async () => Promise.resolve(undefined);
    for (let n = 0; n < 20; n++) await stack.attempts.check('hanako', `198.51.100.${n}`, wrong);
    await stack.members.changeEmail({ ...user, email: 'limited@example.com' });
    for (let n = 0; n < 20; n++) await stack.attempts.check('limited@example.com', `198.51.100.${n}`, wrong);
    for (const attempt of [
      stack.members.changeEmail({ ...user, email }),
      stack.members.changePassword({ ...user, newPassword: another, endAccess: false }),
      stack.members.leave({ ...user, name: 'hanako' }),
    ])
      await expect(attempt).rejects.toMatchObject(refusal('sign-in.too-many'));
    expect(await stack.count(`users where email = 'limited@example.com'`)).toBe(1);
  });
});

describe('an operator', () => {
  it('sets a random password, which ends every session', async () => {
    const session = await signedIn(hanako);
    const reset = await stack.members.resetPassword({ name: 'HANAKO', endAccess: false });
    expect(reset).toEqual({ name: 'Hanako', password: expect.stringMatching(/^[\w-]{24}$/) });
    expect(await isActive(session)).toBe(false);
    expect(await stack.sessions.open({ login: email, password: reset.password, visitor })).toBeDefined();
  });

  it('ends the key, tokens and consents too, when that is asked for', async () => {
    await access();
    const dead = await nameOf(`user_id = ${hanako}`);
    await stack.members.resetPassword({ name: 'HANAKO', endAccess: true });
    await expectOnlyNewKey(dead);
  });

  it('sets a given password, unless it is easy to guess', async () => {
    expect(await stack.members.resetPassword({ name: 'hanako', password: another, endAccess: false })).toMatchObject({
      password: another,
    });
    const [row] = await stack.database.query<{ hash: string }>(
      `select password_hash as hash from users where id = ${hanako}`,
    );
    expect(await verifyPassword(row!.hash, another)).toBe(true);
    await expect(
      stack.members.resetPassword({ name: 'hanako', password: 'basketball', endAccess: false }),
    ).rejects.toMatchObject(refusal('password.easy-to-guess'));
  });

  it('removes a user', async () => {
    expect(await stack.members.remove({ name: 'HANAKO' })).toEqual({ id: hanako, name: 'Hanako' });
    expect(await said('user.deleted')).toHaveLength(1);
    expect(await saidDead()).toHaveLength(1);
  });

  it.each(['nobody', 'anonymous'])('finds no user %s', async (name) => {
    await expect(stack.members.remove({ name })).rejects.toMatchObject(refusal('user.not-found'));
    await expect(stack.members.resetPassword({ name, endAccess: false })).rejects.toMatchObject(
      refusal('user.not-found'),
    );
    expect(await stack.database.query('select password_hash as hash from users where id = 0')).toEqual([
      { hash: null },
    ]);
  });
});

describe('typing the password before the personal key is shown', () => {
  it('is right for the password of the user alone, and is counted as an attempt to sign in', async () => {
    const userId = await stack.add('keys');
    const prove = (typed: string | null) => stack.members.prove({ userId, password: typed, visitor });
    expect(await prove(password)).toMatchObject({ id: userId });
    for (const typed of [another, null, ''])
      await expect(prove(typed)).rejects.toMatchObject(refusal('password.wrong'));
    for (let n = 0; n < 20; n++)
      await stack.attempts
        .check('keys@example.com', `198.51.100.${n}`, () => Promise.resolve(undefined))
        .catch(() => undefined);
    await expect(prove(password)).rejects.toMatchObject(refusal('sign-in.too-many'));
  });
});
