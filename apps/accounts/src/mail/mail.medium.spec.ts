import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '#config';
import { createLog } from '#observability';
import type { Tx } from '#persistence';
import { eventually, testDatabase, type TestDatabase, testRedisUrl, TestSmtpServer } from '#testing';
import { AccountsModule } from '../accounts.module.js';
import { Env } from '../env.js';
import { SessionQueries } from '../sessions/session.queries.js';
import { SessionService } from '../sessions/session.service.js';
import { SignInRateLimiter } from '../sessions/sign-in.limiter.js';
import { problemWith } from '../testing/member-stack.js';
import { hashToken } from '../tokens/token.crypto.js';
import { MemberRepository } from '../users/member.repository.js';
import { MemberService } from '../users/member.service.js';
import { MailConsumer } from './mail.consumer.js';
import { MailService } from './mail.service.js';

let db: TestDatabase;
let smtp: TestSmtpServer;
let app: INestApplicationContext;
let mail: MailService;
let members: MemberService;
let count = 0;

const [password, another] = ['correct horse', 'battery staple'];
const baseUrl = 'https://shop.example.com';

beforeAll(async () => {
  db = await testDatabase('accounts');
  smtp = await TestSmtpServer.start();
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: testRedisUrl(),
    REDIS_JOBS_URL: testRedisUrl(),
    BASE_URL: baseUrl,
    KEY_ENCRYPTION_SECRET: 'a secret of at least thirty-two characters',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Shop <shop@example.com>',
  });
  const log = createLog({ app: 'accounts', level: 'silent', format: 'json' });
  app = await NestFactory.createApplicationContext(AccountsModule.with(env, log), { logger: false });
  // On a busy machine Redis exceeds the default timeout
  app.get(SignInRateLimiter).redisTimeoutMs = 20_000;
  [mail, members] = [app.get(MailService), app.get(MemberService)];
});
afterAll(async () => {
  await app.close();
  await smtp.close();
  await db.close();
});

/** A client with its own IP address, so that clients share no rate limit per IP address. */
const visitor = (language: 'en' | 'ja' = 'en') => ({ address: `192.0.2.${(count += 1)}`, userAgent: null, language });

/** Signs up a user and waits for the first mail, whose link confirms the address. */
async function signUp(language: 'en' | 'ja' = 'en') {
  const name = `user-${(count += 1)}`;
  const email = `${name}@example.com`;
  const { session } = await members.signUp({ name, email, password, visitor: visitor(language) });
  await received(email, 1);
  const [user] = await db.database.query<{ id: number }>('select id from users where name = $1', [name]);
  return { id: user!.id, name, email, session };
}

const received = (email: string, mails: number) =>
  eventually(`${mails} mails to ${email}`, () => smtp.mailsTo(email).length >= mails, 30_000);

/** Returns the token of the link in the newest mail to an address. The link must have this path. */
const tokenIn = (email: string, path: string): string => {
  const link = /https:\S+/.exec(smtp.mailsTo(email).at(-1)!.text)![0];
  expect(link.startsWith(`${baseUrl}${path}?token=`)).toBe(true);
  return new URL(link).searchParams.get('token')!;
};

/** Requests a reset and returns the token in its mail. */
async function requestReset(email: string): Promise<string> {
  const before = smtp.mailsTo(email).length;
  await mail.requestReset({ email, visitor: visitor() });
  await received(email, before + 1);
  return tokenIn(email, '/account/recovery/password');
}
const reset = (token: string, endAccess = false) =>
  mail.reset({ token, newPassword: another, endAccess, language: 'ja' });
const open = (login: string, typed: string) =>
  app.get(SessionService).open({ login, password: typed, visitor: visitor() });
const show = (session: string) => app.get(SessionQueries).show(session);

describe('reset of a password', () => {
  it('sets the password, ends all sessions and confirms the address', async () => {
    const { name, email, session } = await signUp();
    const token = await requestReset(email);
    expect(await mail.findUserName({ token })).toBe(name);
    await reset(token);
    expect(await show(session)).toEqual({ active: false });
    await expect(open(name, password)).rejects.toMatchObject(problemWith('sign-in.refused'));
    const opened = await open(email, another);
    expect(await show(opened.session)).toMatchObject({ active: true, user: { name, emailConfirmed: true } });
    expect(await mail.findUserName({ token })).toBeNull();
    await expect(reset(token)).rejects.toMatchObject(problemWith('link.expired'));
    await received(email, 3);
    const notice = smtp.mailsTo(email)[2]!;
    expect(notice.headers.get('subject')).toBe('パスワードが変更されました');
    expect(notice.text).toContain(`${name} さん`);
  });

  it('replaces the personal key and revokes tokens only on request', async () => {
    const { id, email } = await signUp();
    const key = async () =>
      (await db.database.query<{ hash: Buffer }>('select hash from access_tokens where user_id = $1', [id])).map(
        ({ hash }) => hash.toString('hex'),
      );
    const initial = await key();
    await reset(await requestReset(email));
    expect(await key()).toEqual(initial);
    await received(email, 3);
    await reset(await requestReset(email), true);
    expect(await key()).not.toEqual(initial);
  });

  it('uses a link once, for concurrent requests too', async () => {
    const { id, email } = await signUp();
    const hash = hashToken(await requestReset(email));
    const members = app.get(MemberRepository);
    const waiting = async () =>
      (
        await db.database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length;
    // All requests have found the link before the first one gets the lock
    const { pending } = await db.database.transaction(async (tx) => {
      await tx.query('select from users where id = $1 for update', [id]);
      const requests = [1, 2, 3].map((number) =>
        members.resetByLink(hash, { passwordHash: `hash ${number}`, endAccess: number === 3 }, 'en'),
      );
      await eventually('three requests wait', async () => (await waiting()) === 3);
      return { pending: Promise.allSettled(requests) };
    });
    const results = await pending;
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject(problemWith('link.expired'));
  });

  it('accepts the newest link only', async () => {
    const { email } = await signUp();
    const first = await requestReset(email);
    const second = await requestReset(email);
    await expect(reset(first)).rejects.toMatchObject(problemWith('link.expired'));
    await reset(second);
  });

  it('rejects a link after an hour, a change of the address or a change of the password', async () => {
    const { id, email } = await signUp();
    const expired = await requestReset(email);
    const [link] = await db.database.query<{ minutes: number }>(
      `select extract(epoch from expires_at - now())::float8 / 60 as minutes from mail_links where hash = $1`,
      [hashToken(expired)],
    );
    expect(link!.minutes).toBeGreaterThan(58);
    expect(link!.minutes).toBeLessThanOrEqual(60);
    await db.database.query('update mail_links set expires_at = now() where hash = $1', [hashToken(expired)]);
    await expect(reset(expired)).rejects.toMatchObject(problemWith('link.expired'));

    const ofOldAddress = await requestReset(email);
    await members.changeEmail({ userId: id, email: `new-${email}`, password, visitor: visitor() });
    await received(`new-${email}`, 1);
    await expect(reset(ofOldAddress)).rejects.toMatchObject(problemWith('link.expired'));

    const ofOldPassword = await requestReset(`new-${email}`);
    const change = { userId: id, password, newPassword: another, endAccess: false, visitor: visitor() };
    await members.changePassword(change);
    await expect(reset(ofOldPassword)).rejects.toMatchObject(problemWith('link.expired'));
  });

  it('rejects a password that is easy to guess, and the link stays valid', async () => {
    const { email } = await signUp();
    const token = await requestReset(email);
    const rejected = mail.reset({ token, newPassword: email, endAccess: false, language: 'en' });
    await expect(rejected).rejects.toMatchObject(problemWith('password.easy-to-guess'));
    await reset(token);
  });

  it('sets a password for a user without one', async () => {
    const { id, name, email } = await signUp();
    await db.database.query('update users set password_hash = null where id = $1', [id]);
    await reset(await requestReset(email));
    await open(name, another);
  });

  it('sends nothing for an unknown address or a deleted user', async () => {
    const [{ id, email }, known] = [await signUp(), await signUp()];
    await db.database.query('delete from users where id = $1', [id]);
    for (const address of [email, 'unknown@example.com'])
      await mail.requestReset({ email: address, visitor: visitor() });
    await requestReset(known.email);
    expect([smtp.mailsTo(email), smtp.mailsTo('unknown@example.com')]).toMatchObject([{ length: 1 }, { length: 0 }]);
  });

  it('limits requests per address and per client, known or not', async () => {
    const { email } = await signUp();
    for (const address of [email, 'limited@example.com']) {
      for (let request = 1; request <= 5; request += 1) await mail.requestReset({ email: address, visitor: visitor() });
      await expect(mail.requestReset({ email: address, visitor: visitor() })).rejects.toMatchObject(
        problemWith('sign-in.too-many'),
      );
    }
    const client = visitor();
    for (let request = 1; request <= 50; request += 1)
      await mail.requestReset({ email: `other-${request}@example.com`, visitor: client });
    await expect(mail.requestReset({ email: 'one-more@example.com', visitor: client })).rejects.toMatchObject(
      problemWith('sign-in.too-many'),
    );
  });
});

describe('mail', () => {
  it('is sent after an outage of the server, and after temporary replies', async () => {
    const { email } = await signUp();
    const { port } = smtp;
    await smtp.close();
    await mail.requestReset({ email, visitor: visitor() });
    await eventually('the link is stored', async () => {
      const sql = `select from mail_links where email = $1 and purpose = 'password-reset'`;
      return (await db.database.query(sql, [email])).length === 1;
    });
    smtp = await TestSmtpServer.start(port);
    smtp.rejections.push(451);
    await received(email, 1);
    expect(smtp.rejections).toEqual([]);
    await reset(tokenIn(email, '/account/recovery/password'));
  });

  /**
   * Returns a function that delivers the same event at each call. `once` runs its work at the first
   * call only.
   */
  function delivery(userId: number, occurredAt = new Date()): () => Promise<void> {
    const consumed = new Set<string>();
    const event = {
      id: randomUUID(),
      name: 'password.reset-requested' as const,
      version: 1,
      occurredAt: occurredAt.toISOString(),
      payload: { userId, language: 'ja' as const },
      metadata: {},
    };
    const once = async (work: (tx: Tx) => Promise<void>) => {
      if (consumed.has(event.id)) return false;
      await db.database.transaction(work);
      consumed.add(event.id);
      return true;
    };
    const others = {
      attempt: 1,
      signal: new AbortController().signal,
      progress: () => Promise.resolve(),
      onceCalling: () => Promise.reject(new Error('unused')),
    };
    return () => app.get(MailConsumer).passwordResetRequested({ event, once, ...others });
  }

  it('has the same link when its event is delivered twice, and is not sent after the use of the link', async () => {
    const { id, email } = await signUp();
    const deliver = delivery(id);
    await deliver();
    await deliver();
    const [, first, second] = smtp.mailsTo(email);
    expect(first!.headers.get('subject')).toBe('パスワードの再設定');
    expect(second!.text).toBe(first!.text);
    await reset(tokenIn(email, '/account/recovery/password'));
    await received(email, 4);
    await deliver();
    expect(smtp.mailsTo(email)).toHaveLength(4);
  });

  it('is not sent for a request older than the latest, or older than the lifetime of the link', async () => {
    const { id, email } = await signUp();
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await delivery(id, ago(61))();
    expect(smtp.mailsTo(email)).toHaveLength(1);
    await delivery(id, ago(1))();
    await delivery(id, ago(2))();
    expect(smtp.mailsTo(email)).toHaveLength(2);
    await reset(tokenIn(email, '/account/recovery/password'));
  });
});

describe('confirmation of the address', () => {
  it('follows the sign-up, in the language of the pages', async () => {
    const { name, email, session } = await signUp('ja');
    expect(smtp.mailsTo(email)[0]!.headers.get('subject')).toBe('メールアドレスの確認');
    expect(await show(session)).toMatchObject({ user: { name, emailConfirmed: false } });
    const token = tokenIn(email, '/account/email/confirmation');
    await expect(reset(token)).rejects.toMatchObject(problemWith('link.expired'));
    await mail.confirmEmail({ token });
    expect(await show(session)).toMatchObject({ user: { emailConfirmed: true } });
    await expect(mail.confirmEmail({ token })).rejects.toMatchObject(problemWith('link.expired'));
  });

  it('is needed again after a change of the address, and not if the address stays', async () => {
    const { id, email, session } = await signUp();
    await mail.confirmEmail({ token: tokenIn(email, '/account/email/confirmation') });
    const change = (to: string) => members.changeEmail({ userId: id, email: to, password, visitor: visitor() });
    await change(email);
    expect(await show(session)).toMatchObject({ user: { emailConfirmed: true } });
    await change(`new-${email}`);
    expect(await show(session)).toMatchObject({ user: { emailConfirmed: false } });
    await received(`new-${email}`, 1);
    expect(smtp.mailsTo(email)).toHaveLength(1);
    await mail.confirmEmail({ token: tokenIn(`new-${email}`, '/account/email/confirmation') });
    expect(await show(session)).toMatchObject({ user: { emailConfirmed: true } });
  });

  it('is sent again on request, with a new link that replaces the first', async () => {
    const { id, email } = await signUp();
    const first = tokenIn(email, '/account/email/confirmation');
    await mail.requestConfirmation({ userId: id, visitor: visitor() });
    await received(email, 2);
    await expect(mail.confirmEmail({ token: first })).rejects.toMatchObject(problemWith('link.expired'));
    await mail.confirmEmail({ token: tokenIn(email, '/account/email/confirmation') });
  });
});
