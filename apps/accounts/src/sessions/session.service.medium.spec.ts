import { performance } from 'node:perf_hooks';
import { eventually } from '#testing';
import { type MemberStack, memberStack, password, refusal, visitor } from '../testing/member-stack.js';
import { nameOfHash, hashToken } from '../tokens/token.crypto.js';
import { freshSession } from './session.rules.js';

let stack: MemberStack;
let hanakoId: number;

const open = (login: string, typed = password, from = visitor) =>
  stack.sessions.open({ login, password: typed, visitor: from });
const wrong = async () => Promise.resolve(undefined);
const countSessions = (of = 'true') => stack.count(`sessions where ${of}`);

beforeAll(async () => {
  stack = await memberStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  await stack.database.query('delete from users where id > 0');
  hanakoId = await stack.add('Hanako', { displayName: '花子' });
});

describe('signing in', () => {
  it.each(['Hanako', 'hanako', 'HANAKO@example.COM', ' ｈａｎａｋｏ '])('is possible as %j', async (login) => {
    const { session } = await open(login);
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
      },
    });
  });

  it('gives another session each time, and never one that was brought along', async () => {
    const brought = 'x'.repeat(43);
    const [one, two] = [await open('hanako'), await open('hanako')];
    expect(new Set([one.session, two.session, brought]).size).toBe(3);
    expect(await stack.queries.show(brought)).toEqual({ active: false });
  });

  it('is refused alike to nobody, to the built-in user, without a password and with a wrong one', async () => {
    await stack.add('keyless', { passwordHash: null });
    const refused = await Promise.allSettled([
      open('nobody'),
      open('nobody@example.com'),
      open('anonymous'),
      open('keyless'),
      open('keyless', ''),
      open('hanako', 'battery staple'),
      open(''),
      open("' or true --"),
    ]);
    const said = refused.map((it) => it.status === 'rejected' && (it.reason as Error & { body(): object }).body());
    expect(new Set(said.map((it) => JSON.stringify(it)))).toHaveProperty('size', 1);
    expect(said[0]).toMatchObject({ code: 'sign-in.refused', status: 422 });
    expect(await countSessions()).toBe(0);
  });

  it('takes as long for nobody and for a user without a password as for a wrong password', async () => {
    await stack.add('keyless', { passwordHash: null });
    const times: Record<string, number[]> = { hanako: [], nobody: [], keyless: [] };
    for (let round = 0; round < 7; round++)
      for (const login of Object.keys(times)) {
        const since = performance.now();
        await expect(open(login, 'battery staple')).rejects.toMatchObject(refusal('sign-in.refused'));
        times[login]!.push(performance.now() - since);
      }
    // The shortest of each: whatever else the machine does only makes it longer
    const [known, ...others] = Object.values(times).map((all) => Math.min(...all));
    for (const other of others) {
      expect(other).toBeGreaterThan(known! / 3);
      expect(other).toBeLessThan(known! * 3);
    }
  });

  it.each(['known', 'unknown'])(
    'is over after too many wrong passwords, also with the right one, as %s',
    async (name) => {
      await stack.add('known');
      for (let n = 0; n < 20; n++) await stack.attempts.check(name, `198.51.100.${n}`, wrong);
      await expect(open(name)).rejects.toMatchObject({
        kind: { code: 'sign-in.too-many', status: 429 },
        headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      });
      expect(await countSessions()).toBe(0);
    },
  );

  it('is refused with a password that is replaced at the same time', async () => {
    const { attempt } = await stack.database.transaction(async (tx) => {
      await tx.query('update users set password_hash = $2 where id = $1', [hanakoId, 'another']);
      const opening = open('hanako@example.com').catch((error: unknown) => error);
      await eventually('the sign-in waits for the user', async () => (await stack.waiting()) === 1);
      return { attempt: opening };
    });
    expect(await attempt).toMatchObject(refusal('sign-in.refused'));
    expect(await countSessions()).toBe(0);
  });
});

describe('a session', () => {
  it('is stored by its hash, for fourteen days', async () => {
    const { session } = await open('hanako@example.com');
    const [row] = await stack.database.query<{ hash: Buffer; text: string; days: number }>(
      `select hash, row_to_json(s)::text as text, (extract(epoch from expires_at - created_at) / 86400)::int as days from sessions s`,
    );
    expect(nameOfHash(row!.hash)).toBe(nameOfHash(hashToken(session)));
    expect(row!.text).not.toContain(session);
    expect(row!.text).toContain('Test/1.0');
    expect(row!.days).toBe(14);
  });

  it("is nobody's after it has expired, and is gone at a later sign-in", async () => {
    const { session } = await open('hanako@example.com');
    await stack.database.query(`update sessions set expires_at = now()`);
    expect(await stack.queries.show(session)).toEqual({ active: false });
    await stack.add('taro');
    await open('taro');
    expect(await countSessions()).toBe(1);
  });

  it('ends alone, and twice is as good as once', async () => {
    const [one, two] = [await open('hanako@example.com'), await open('hanako@example.com')];
    for (let time = 0; time < 2; time++) await stack.sessions.close(one);
    expect(await stack.queries.show(one.session)).toEqual({ active: false });
    expect(await stack.queries.show(two.session)).toMatchObject({ active: true });
  });

  it('gives way to newer ones of its user when there are more than fifty, also when they begin at once', async () => {
    await stack.database.query(
      `insert into sessions (hash, user_id, created_at, expires_at)
       select sha256(n::text::bytea), $1, now() - n * interval '1 hour', now() + interval '1 day' from generate_series(1, 45) n`,
      [hanakoId],
    );
    await stack.add('taro');
    const others = await open('taro');
    const user = { id: hanakoId, passwordHash: stack.passwordHash };
    const fresh = Array.from({ length: 10 }, () => freshSession(null));
    await Promise.all(fresh.map((session) => stack.sessionRepository.begin(user, session)));
    expect(await countSessions(`user_id = ${hanakoId}`)).toBe(50);
    expect(await countSessions(`created_at < now() - interval '40 hours 30 minutes'`)).toBe(0);
    for (const { session } of [...fresh, others])
      expect(await stack.queries.show(session)).toMatchObject({ active: true });
  });

  it('tells the pages of a user who has no password', async () => {
    const id = await stack.add('keyless', { passwordHash: null });
    const session = freshSession(null);
    await stack.sessionRepository.begin({ id, passwordHash: null }, session);
    expect(await stack.queries.show(session.session)).toMatchObject({ active: true, user: { id, hasPassword: false } });
  });

  it('is recent for ten minutes', async () => {
    const { session } = await open('hanako@example.com');
    const age = async (minutes: number): Promise<void> => {
      await stack.database.query(`update sessions set created_at = now() - $1::interval`, [`${minutes} minutes`]);
    };
    await age(9);
    expect(await stack.queries.show(session)).toMatchObject({ active: true, user: { isRecent: true } });
    await age(11);
    expect(await stack.queries.show(session)).toMatchObject({ active: true, user: { isRecent: false } });
  });
});
