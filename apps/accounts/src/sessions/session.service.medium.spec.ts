import { performance } from 'node:perf_hooks';
import { eventually } from '#testing';
import { type MemberStack, memberStack, password, problemWith, visitor } from '../testing/member-stack.js';
import { hashToHex, hashToken } from '../tokens/token.crypto.js';
import { generateSession } from './session.rules.js';

let stack: MemberStack;
let hanakoId: number;

const signIn = (login: string, typed = password, from = visitor) =>
  stack.sessions.open({ login, password: typed, visitor: from });
const wrongPassword = async () => Promise.resolve(undefined);
const countSessions = (condition = 'true') => stack.count(`sessions where ${condition}`);

beforeAll(async () => {
  stack = await memberStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.database.query('delete from users where id > 0');
  hanakoId = await stack.add('Hanako', { displayName: '花子' });
});

describe('signing in', () => {
  it.each(['Hanako', 'hanako', 'HANAKO@example.COM', ' ｈａｎａｋｏ '])('accepts the login %j', async (login) => {
    const { session } = await signIn(login);
    expect(session).toMatch(/^[\w-]{43}$/);
    expect(await stack.queries.show(session)).toEqual({
      active: true,
      user: {
        id: hanakoId,
        name: 'Hanako',
        displayName: '花子',
        email: 'Hanako@example.com',
        hasPassword: true,
        isRecent: true,
        emailConfirmed: false,
      },
    });
  });

  it('opens a new session each time; an invented session is inactive', async () => {
    const fixated = 'x'.repeat(43);
    const [one, two] = [await signIn('hanako'), await signIn('hanako')];
    expect(new Set([one.session, two.session, fixated]).size).toBe(3);
    expect(await stack.queries.show(fixated)).toEqual({ active: false });
  });

  it('has one error for unknown users, the built-in user, users without a password, and wrong passwords', async () => {
    await stack.add('keyless', { passwordHash: null });
    const results = await Promise.allSettled([
      signIn('missing'),
      signIn('missing@example.com'),
      signIn('anonymous'),
      signIn('keyless'),
      signIn('keyless', ''),
      signIn('hanako', 'battery staple'),
      signIn(''),
      signIn("' or true --"),
    ]);
    const bodies = results.map((it) => it.status === 'rejected' && (it.reason as Error & { body(): object }).body());
    expect(new Set(bodies.map((body) => JSON.stringify(body)))).toHaveProperty('size', 1);
    expect(bodies[0]).toMatchObject({ code: 'sign-in.refused', status: 422 });
    expect(await countSessions()).toBe(0);
  });

  it('takes a similar time for unknown users and users without a password as for a wrong password', async () => {
    await stack.add('keyless', { passwordHash: null });
    const times: Record<string, number[]> = { hanako: [], missing: [], keyless: [] };
    for (let round = 0; round < 7; round++)
      for (const login of Object.keys(times)) {
        const since = performance.now();
        await expect(signIn(login, 'battery staple')).rejects.toMatchObject(problemWith('sign-in.refused'));
        times[login]!.push(performance.now() - since);
      }
    // The minimum of each, because other load only adds time
    const [known, ...others] = Object.values(times).map((all) => Math.min(...all));
    for (const other of others) {
      expect(other).toBeGreaterThan(known! / 3);
      expect(other).toBeLessThan(known! * 3);
    }
  });

  it.each(['known', 'unknown'])(
    'is blocked after too many wrong passwords, also with the right one, for a user that is %s',
    async (name) => {
      await stack.add('known');
      for (let n = 0; n < 20; n++) await stack.limiter.check(name, `198.51.100.${n}`, wrongPassword);
      await expect(signIn(name)).rejects.toMatchObject({
        kind: { code: 'sign-in.too-many', status: 429 },
        headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      });
      expect(await countSessions()).toBe(0);
    },
  );

  it('is rejected when the password is replaced concurrently', async () => {
    const { pending } = await stack.database.transaction(async (tx) => {
      await tx.query('update users set password_hash = $2 where id = $1', [hanakoId, 'another']);
      const opening = signIn('hanako@example.com').catch((error: unknown) => error);
      await eventually('the sign-in waits for the user', async () => (await stack.waiting()) === 1);
      return { pending: opening };
    });
    expect(await pending).toMatchObject(problemWith('sign-in.refused'));
    expect(await countSessions()).toBe(0);
  });
});

describe('a session', () => {
  it('is stored by its hash, for fourteen days', async () => {
    const { session } = await signIn('hanako@example.com');
    const [row] = await stack.database.query<{ hash: Buffer; text: string; days: number }>(
      `select hash, row_to_json(s)::text as text, (extract(epoch from expires_at - created_at) / 86400)::int as days from sessions s`,
    );
    expect(hashToHex(row!.hash)).toBe(hashToHex(hashToken(session)));
    expect(row!.text).not.toContain(session);
    expect(row!.text).toContain('Test/1.0');
    expect(row!.days).toBe(14);
  });

  it('is inactive after it has expired, and is deleted by a later sign-in', async () => {
    const { session } = await signIn('hanako@example.com');
    await stack.database.query(`update sessions set expires_at = now()`);
    expect(await stack.queries.show(session)).toEqual({ active: false });
    await stack.add('taro');
    await signIn('taro');
    expect(await countSessions()).toBe(1);
  });

  it('is closed without others, and can be closed twice', async () => {
    const [one, two] = [await signIn('hanako@example.com'), await signIn('hanako@example.com')];
    for (let time = 0; time < 2; time++) await stack.sessions.close(one);
    expect(await stack.queries.show(one.session)).toEqual({ active: false });
    expect(await stack.queries.show(two.session)).toMatchObject({ active: true });
  });

  it('is replaced by newer ones of its user beyond fifty, also concurrently', async () => {
    await stack.database.query(
      `insert into sessions (hash, user_id, created_at, expires_at)
       select sha256(n::text::bytea), $1, now() - n * interval '1 hour', now() + interval '1 day' from generate_series(1, 45) n`,
      [hanakoId],
    );
    await stack.add('taro');
    const other = await signIn('taro');
    const user = { id: hanakoId, passwordHash: stack.passwordHash };
    const sessions = Array.from({ length: 10 }, () => generateSession(null));
    await Promise.all(sessions.map((session) => stack.sessionRepository.create(user, session)));
    expect(await countSessions(`user_id = ${hanakoId}`)).toBe(50);
    expect(await countSessions(`created_at < now() - interval '40 hours 30 minutes'`)).toBe(0);
    for (const { session } of [...sessions, other])
      expect(await stack.queries.show(session)).toMatchObject({ active: true });
  });

  it('reports a user without a password', async () => {
    const id = await stack.add('keyless', { passwordHash: null });
    const session = generateSession(null);
    await stack.sessionRepository.create({ id, passwordHash: null }, session);
    expect(await stack.queries.show(session.session)).toMatchObject({ active: true, user: { id, hasPassword: false } });
  });

  it('is recent for ten minutes', async () => {
    const { session } = await signIn('hanako@example.com');
    const age = async (minutes: number): Promise<void> => {
      await stack.database.query(`update sessions set created_at = now() - $1::interval`, [`${minutes} minutes`]);
    };
    await age(9);
    expect(await stack.queries.show(session)).toMatchObject({ active: true, user: { isRecent: true } });
    await age(11);
    expect(await stack.queries.show(session)).toMatchObject({ active: true, user: { isRecent: false } });
  });
});
