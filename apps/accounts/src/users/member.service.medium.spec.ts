import type { Tx } from '#persistence';
import { eventually } from '#testing';
import { generateSession } from '../sessions/session.rules.js';
import { type MemberStack, memberStack, password, problemWith, visitor } from '../testing/member-stack.js';
import { hashToHex } from '../tokens/token.crypto.js';
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

/** Adds a session without a sign-in. */
async function addSession(id: number, passwordHash: string | null = stack.passwordHash): Promise<string> {
  const session = generateSession(null);
  await stack.sessionRepository.create({ id, passwordHash }, session);
  return session.session;
}
const isActive = async (session: string) => (await stack.queries.show(session)).active;
const sha = (text: string) => `sha256('${text}'::bytea)`;
const insertToken = (text: string, userId: number, applicationId: number | null = null) =>
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
const publishedPayloads = (name: string) =>
  stack.database.query<{ payload: { tokenHash?: string } }>(`select payload from outbox where name = $1 order by seq`, [
    name,
  ]);
const revokedHashes = async () =>
  (await publishedPayloads('token.revoked')).map(({ payload }) => payload.tokenHash).sort();
const nameOf = async (where: string): Promise<string[]> =>
  (await stack.database.query<{ hash: Buffer }>(`select hash from access_tokens where ${where}`)).map(({ hash }) =>
    hashToHex(hash),
  );
/**
 * Starts an operation that waits for the locks of a transaction.
 *
 * @returns result or error of the operation after the commit
 */
async function blockedBy(work: (tx: Tx) => Promise<unknown>, act: () => Promise<unknown>): Promise<unknown> {
  const { pending } = await stack.database.transaction(async (tx) => {
    await work(tx);
    const operation = act().catch((error: unknown) => error);
    await eventually('it waits', async () => (await stack.waiting()) > 0);
    return { pending: operation };
  });
  return pending;
}

describe('signing up', () => {
  const jiro = { name: 'Jiro', email: 'jiro@example.com', password: another, visitor };

  it('creates a signed-in user with a personal key', async () => {
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
  ] as const)('is rejected with %s for %j, and stores nothing', async (code, given) => {
    await expect(stack.members.signUp({ ...jiro, ...given })).rejects.toMatchObject(problemWith(code));
    expect([await stack.count('users where id > 0'), await stack.count('sessions')]).toEqual([2, 0]);
  });

  it('is rejected with the errors of all fields', async () => {
    const given = { name: 'HANAKO', email: 'Hanako@EXAMPLE.com', password: 'Password123' };
    await expect(stack.members.signUp({ ...jiro, ...given })).rejects.toMatchObject({
      ...problemWith('user.name-taken'),
      errors: [
        { path: 'name', message: 'User name already taken' },
        { path: 'email', message: 'Email address already in use' },
        { path: 'password', message: 'Password too easy to guess' },
      ],
    });
  });

  it('signs in the user of the same name, e-mail address and password, as when the form is submitted twice', async () => {
    const signUps = await Promise.all([jiro, jiro].map((request) => stack.members.signUp(request)));
    signUps.push(await stack.members.signUp(jiro));
    expect(await Promise.all(signUps.map(({ session }) => isActive(session)))).toEqual([true, true, true]);
    expect([await stack.count('users where id > 0'), await stack.count('sessions')]).toEqual([3, 3]);
  });

  it.each([{ name: 'JIRO' }, { email: 'JIRO@example.com' }, { password: 'another horse' }])(
    'is rejected with %j after the same sign-up',
    async (given) => {
      await stack.members.signUp(jiro);
      await expect(stack.members.signUp({ ...jiro, ...given })).rejects.toMatchObject(problemWith('user.name-taken'));
      expect(await stack.count('sessions')).toBe(1);
    },
  );

  it('is checked field by field: missing fields have no errors, and nothing is stored', async () => {
    const check = (fields: Partial<typeof jiro>) => stack.members.checkSignUp({ ...fields, visitor });
    await expect(check({ name: 'HANAKO', password: 'Password123' })).rejects.toMatchObject({
      errors: [
        { path: 'name', message: 'User name already taken' },
        { path: 'password', message: 'Password too easy to guess' },
      ],
    });
    await expect(check({ name: 'admin', email })).rejects.toMatchObject({
      errors: [
        { path: 'name', message: 'User name reserved' },
        { path: 'email', message: 'Email address already in use' },
      ],
    });
    await expect(check({ email: jiro.email, password: jiro.email })).rejects.toMatchObject(
      problemWith('password.easy-to-guess'),
    );
    for (const fields of [{}, { name: 'jiro' }, { email: jiro.email }, { password: another }, jiro])
      await check(fields);
    expect([await stack.count('users where id > 0'), await stack.count('sessions')]).toEqual([2, 0]);
  });

  it('succeeds for one of five concurrent requests for a name', async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) =>
        stack.members.signUp({ ...jiro, name: n % 2 ? 'jiro' : 'JIRO', email: `jiro${n}@example.com` }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([await stack.count('users where id > 2'), await stack.count('sessions')]).toEqual([3, 1]);
  });

  it('is rejected beyond the limit of an IP address', async () => {
    const from = { ...visitor, address: '192.0.2.50' };
    for (let n = 0; n < 25; n++) await stack.limiter.signUp(from.address);
    for (let n = 0; n < 25; n++) await stack.members.checkSignUp({ name: 'jiro', visitor: from });
    for (const request of [
      stack.members.signUp({ ...jiro, visitor: from }),
      stack.members.checkSignUp({ visitor: from }),
    ])
      await expect(request).rejects.toMatchObject(problemWith('sign-in.too-many'));
    expect(await stack.count('users where id > 0')).toBe(2);
  });
});

describe('changing the e-mail address', () => {
  const change = (to: string, currentPassword: string | null = password, userId = hanako) =>
    stack.members.changeEmail({ userId, email: to, password: currentPassword, visitor });

  it('succeeds with the password', async () => {
    await change('new@example.com');
    expect(await stack.sessions.open({ login: 'NEW@example.com', password, visitor })).toBeDefined();
  });

  it('is rejected without the password, for a taken e-mail address, and for an unknown user', async () => {
    await expect(change('new@example.com', another)).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(change('new@example.com', null)).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(change('TARO@example.com')).rejects.toMatchObject(problemWith('user.email-taken'));
    for (const userId of [0, 999_999])
      await expect(change('new@example.com', null, userId)).rejects.toMatchObject(problemWith('user.not-found'));
    expect(await stack.count(`users where email = '${email}'`)).toBe(1);
  });

  it('is limited per IP address, also with the right password', async () => {
    const from = { ...visitor, address: '192.0.2.51' };
    const changeTo = (to: string) => stack.members.changeEmail({ userId: hanako, email: to, password, visitor: from });
    for (let n = 0; n < 48; n++) await stack.limiter.changeEmail(from.address);
    await expect(changeTo('taro@example.com')).rejects.toMatchObject(problemWith('user.email-taken'));
    await changeTo('free@example.com');
    await expect(changeTo('taro@example.com')).rejects.toMatchObject(problemWith('sign-in.too-many'));
    await expect(changeTo('other@example.com')).rejects.toMatchObject(problemWith('sign-in.too-many'));
    expect(await stack.count(`users where email = 'free@example.com'`)).toBe(1);
  });

  it('is rejected when the password is replaced concurrently', async () => {
    const error = await blockedBy(
      (tx) => tx.query(`update users set password_hash = 'x' where id = $1`, [hanako]),
      () => change('new@example.com'),
    );
    expect(error).toMatchObject(problemWith('password.wrong'));
  });
});

/**
 * Adds a token that an operator created, and a token of an application with consent, code and
 * refresh token. Another user has a token of the same application.
 */
async function addAccess(): Promise<void> {
  const otherApplication = await application(taro);
  for (const sql of [
    insertToken('by operator', hanako),
    insertToken('for hanako', hanako, otherApplication),
    insertToken('for taro', taro, otherApplication),
    `insert into consents (user_id, application_id, scopes) values (${hanako}, ${otherApplication}, '{read}')`,
    `insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
     values (${sha('refresh')}, ${hanako}, ${otherApplication}, '{read}', ${sha('code')}, now() + interval '1 day')`,
    `insert into authorization_codes (hash, user_id, application_id, scopes, redirect_uri, expires_at)
     values (${sha('open code')}, ${hanako}, ${otherApplication}, '{read}', 'https://app.example.com', now() + interval '1 day')`,
  ])
    await stack.database.query(sql);
}

/** Expects these tokens to be revoked, and the user to have only a new personal key. */
async function expectOnlyNewKey(revoked: readonly string[]): Promise<void> {
  expect(revoked).toHaveLength(3);
  expect(await revokedHashes()).toEqual([...revoked].sort());
  const alive = await nameOf(`user_id = ${hanako}`);
  expect([alive.length, revoked.includes(alive[0]!)]).toEqual([1, false]);
  expect(await stack.count(`access_tokens where user_id = ${hanako} and kind = 'personal'`)).toBe(1);
  for (const table of ['consents', 'refresh_tokens', 'authorization_codes']) expect(await stack.count(table)).toBe(0);
  expect(await stack.count(`access_tokens where user_id = ${taro}`)).toBe(2);
}

describe('changing the password', () => {
  const change = (to: string, currentPassword: string | null = password, userId = hanako) =>
    stack.members.changePassword({ userId, newPassword: to, password: currentPassword, endAccess: false, visitor });

  it('ends every session but the new one, and no token', async () => {
    const before = [await addSession(hanako), await addSession(hanako)];
    const otherSession = await addSession(taro);
    const { session } = await change(another);
    expect(await Promise.all([...before, otherSession, session].map(isActive))).toEqual([false, false, true, true]);
    expect(await stack.count(`access_tokens where user_id = ${hanako}`)).toBe(1);
    expect(await publishedPayloads('token.revoked')).toEqual([]);
    await expect(stack.sessions.open({ login: email, password, visitor })).rejects.toMatchObject(
      problemWith('sign-in.refused'),
    );
    expect(await stack.sessions.open({ login: email, password: another, visitor })).toBeDefined();
  });

  it('replaces the key, and deletes tokens, codes and consents, with endAccess', async () => {
    await addAccess();
    const revoked = await nameOf(`user_id = ${hanako}`);
    const change = { userId: hanako, newPassword: another, endAccess: true, visitor };
    await expect(stack.members.changePassword({ ...change, password: 'wrong horse' })).rejects.toMatchObject(
      problemWith('password.wrong'),
    );
    expect(await publishedPayloads('token.revoked')).toEqual([]);
    const { session } = await stack.members.changePassword({ ...change, password });
    expect(await isActive(session)).toBe(true);
    await expectOnlyNewKey(revoked);
  });

  it('is rejected when the new password is easy to guess or the current one is wrong, and then ends no session', async () => {
    const session = await addSession(hanako);
    await expect(change('hanako12345')).rejects.toMatchObject(problemWith('password.easy-to-guess'));
    await expect(change(another, 'wrong horse')).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(change(another, null)).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(change('hanako12345', 'wrong horse')).rejects.toMatchObject({
      errors: [
        { path: 'password', message: 'Password incorrect' },
        { path: 'newPassword', message: 'Password too easy to guess' },
      ],
    });
    expect(await isActive(session)).toBe(true);
  });

  it('is checked field by field: missing fields have no errors, and nothing changes', async () => {
    const check = (fields: { password?: string | null; newPassword?: string }, userId = hanako) =>
      stack.members.checkPasswords({ ...fields, userId, visitor });
    await expect(check({ password: 'wrong horse' })).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(check({ password: null })).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(check({ newPassword: 'hanako12345' })).rejects.toMatchObject(problemWith('password.easy-to-guess'));
    const keyless = await stack.add('keyless', { passwordHash: null });
    for (const fields of [{}, { password }, { newPassword: another }]) await check(fields);
    await check({ password: null }, keyless);
    expect([await stack.count('sessions'), await publishedPayloads('user.updated')]).toEqual([0, []]);
  });

  it('sets the first password of a user without one', async () => {
    const id = await stack.add('keyless', { passwordHash: null });
    await expect(change(another, 'guessed horse', id)).rejects.toMatchObject(problemWith('password.wrong'));
    const { session } = await change(another, null, id);
    expect(await stack.queries.show(session)).toMatchObject({ active: true, user: { hasPassword: true } });
  });

  it('succeeds for one of two concurrent changes', async () => {
    const results = await Promise.allSettled([change(another), change('another horse')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((it) => it.status === 'rejected')?.reason).toMatchObject(problemWith('password.wrong'));
    expect(await stack.count('sessions')).toBe(1);
  });
});

describe('deleting the account', () => {
  const deleteAccount = (name = 'HANAKO', currentPassword: string | null = password) =>
    stack.members.deleteAccount({ userId: hanako, name, password: currentPassword, visitor });

  it("deletes the user's data, and publishes the revocation of the tokens of the user and the user's applications", async () => {
    const [ownApplication, otherApplication] = [await application(hanako), await application(taro)];
    await addSession(hanako);
    for (const sql of [
      insertToken('by operator', hanako),
      insertToken('for taro', hanako, otherApplication),
      insertToken('of taro', taro, ownApplication),
      `insert into consents (user_id, application_id, scopes) values (${taro}, ${ownApplication}, '{read}'), (${hanako}, ${otherApplication}, '{read}')`,
      `insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
       values (${sha('refresh')}, ${taro}, ${ownApplication}, '{read}', ${sha('code')}, now() + interval '1 day')`,
      `insert into identities (user_id, provider, uid) values (${hanako}, 'example', '1')`,
      `insert into idempotency_keys (user_id, operation, key, fingerprint, claim, claimed_until)
       values (${hanako}, 'applications.create', 'k', repeat('a', 64), gen_random_uuid(), now())`,
    ])
      await stack.database.query(sql);
    const revoked = await nameOf(`user_id = ${hanako} or application_id = ${ownApplication}`);
    await deleteAccount();
    expect(revoked).toHaveLength(4);
    expect(await revokedHashes()).toEqual(revoked.sort());
    expect(await publishedPayloads('user.deleted')).toEqual([{ payload: { userId: hanako, name: 'Hanako' } }]);
    const remainingTables = [
      'users where id > 0',
      'access_tokens',
      'applications',
      'sessions',
      'consents',
      'refresh_tokens',
      'identities',
      'idempotency_keys',
    ];
    expect(await Promise.all(remainingTables.map(stack.count))).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    expect(await nameOf(`user_id = ${taro}`)).not.toEqual(revoked);
  });

  it("requires the user's own name and the password", async () => {
    await expect(deleteAccount('taro')).rejects.toMatchObject(problemWith('user.name-differs'));
    await expect(deleteAccount('')).rejects.toMatchObject(problemWith('user.name-differs'));
    await expect(deleteAccount('hanako', another)).rejects.toMatchObject(problemWith('password.wrong'));
    await expect(deleteAccount('hanako', null)).rejects.toMatchObject(problemWith('password.wrong'));
    expect(await stack.count('users where id > 0')).toBe(2);
  });

  it('succeeds for one of two concurrent requests', async () => {
    const results = await Promise.allSettled([deleteAccount(), deleteAccount()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((it) => it.status === 'rejected')?.reason).toMatchObject(problemWith('user.not-found'));
    expect(await publishedPayloads('user.deleted')).toHaveLength(1);
  });

  it('revokes a token that is created concurrently', async () => {
    const ownApplication = await application(hanako);
    await blockedBy(
      async (tx) => {
        await tx.query(insertToken('late', hanako));
        await tx.query(insertToken('late of taro', taro, ownApplication));
      },
      () => deleteAccount(),
    );
    expect(await stack.count('access_tokens')).toBe(1);
    expect(await publishedPayloads('token.revoked')).toHaveLength(3);
  });

  it('rejects a concurrent sign-in', async () => {
    const error = await blockedBy(
      (tx) =>
        tx
          .query('select from users where id = $1 for update', [hanako])
          .then(() => tx.query('delete from users where id = $1', [hanako])),
      () => stack.sessions.open({ login: email, password, visitor }),
    );
    expect(error).toMatchObject(problemWith('sign-in.refused'));
    expect(await stack.count('sessions')).toBe(0);
  });
});

describe('the password of a signed-in user', () => {
  it('is counted under the e-mail address, not under the public name', async () => {
    const user = { userId: hanako, password, visitor };
    const wrongPassword = async () => Promise.resolve(undefined);
    for (let n = 0; n < 20; n++) await stack.limiter.check('hanako', `198.51.100.${n}`, wrongPassword);
    await stack.members.changeEmail({ ...user, email: 'limited@example.com' });
    for (let n = 0; n < 20; n++) await stack.limiter.check('limited@example.com', `198.51.100.${n}`, wrongPassword);
    for (const attempt of [
      stack.members.changeEmail({ ...user, email }),
      stack.members.changePassword({ ...user, newPassword: another, endAccess: false }),
      stack.members.deleteAccount({ ...user, name: 'hanako' }),
    ])
      await expect(attempt).rejects.toMatchObject(problemWith('sign-in.too-many'));
    expect(await stack.count(`users where email = 'limited@example.com'`)).toBe(1);
  });
});

describe('an operator', () => {
  it('sets a random password, which ends every session', async () => {
    const session = await addSession(hanako);
    const reset = await stack.members.resetPassword({ name: 'HANAKO', endAccess: false });
    expect(reset).toEqual({ name: 'Hanako', password: expect.stringMatching(/^[\w-]{24}$/) });
    expect(await isActive(session)).toBe(false);
    expect(await stack.sessions.open({ login: email, password: reset.password, visitor })).toBeDefined();
  });

  it('replaces the key, and deletes tokens, codes and consents, with endAccess', async () => {
    await addAccess();
    const revoked = await nameOf(`user_id = ${hanako}`);
    await stack.members.resetPassword({ name: 'HANAKO', endAccess: true });
    await expectOnlyNewKey(revoked);
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
    ).rejects.toMatchObject(problemWith('password.easy-to-guess'));
  });

  it('deletes a user', async () => {
    expect(await stack.members.deleteUser({ name: 'HANAKO' })).toEqual({ id: hanako, name: 'Hanako' });
    expect(await publishedPayloads('user.deleted')).toHaveLength(1);
    expect(await revokedHashes()).toHaveLength(1);
  });

  it.each(['unknown', 'anonymous'])('cannot change the user %s', async (name) => {
    await expect(stack.members.deleteUser({ name })).rejects.toMatchObject(problemWith('user.not-found'));
    await expect(stack.members.resetPassword({ name, endAccess: false })).rejects.toMatchObject(
      problemWith('user.not-found'),
    );
    expect(await stack.database.query('select password_hash as hash from users where id = 0')).toEqual([
      { hash: null },
    ]);
  });
});

describe('authenticate', () => {
  it("accepts the user's password only, and is limited like a sign-in", async () => {
    const userId = await stack.add('keys');
    const authenticate = (currentPassword: string | null) =>
      stack.members.authenticate({ userId, password: currentPassword, visitor });
    expect(await authenticate(password)).toMatchObject({ id: userId });
    for (const currentPassword of [another, null, ''])
      await expect(authenticate(currentPassword)).rejects.toMatchObject(problemWith('password.wrong'));
    for (let n = 0; n < 20; n++)
      await stack.limiter
        .check('keys@example.com', `198.51.100.${n}`, () => Promise.resolve(undefined))
        .catch(() => undefined);
    await expect(authenticate(password)).rejects.toMatchObject(problemWith('sign-in.too-many'));
  });
});
