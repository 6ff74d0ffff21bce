import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '#config';
import { createLog } from '#observability';
import {
  BroadcastListener,
  openQueueClients,
  QueueProblemFilter,
  QueueServer,
  type QueueClients,
} from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { AccountsModule } from './accounts.module.js';
import { Env } from './env.js';
import { SignInRateLimiter } from './sessions/sign-in.limiter.js';

let db: TestDatabase;
let app: INestMicroservice;
let clients: QueueClients;
let broadcasts: BroadcastListener;

const log = createLog({ app: 'accounts', level: 'silent', format: 'json' });
const hanako = { name: 'hanako', email: 'hanako@example.com', password: 'correct horse', displayName: null };

beforeAll(async () => {
  db = await testDatabase('accounts');
  const redisUrl = testRedisUrl();
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: testRedisUrl(),
    BASE_URL: 'https://shop.example.com',
    KEY_ENCRYPTION_SECRET: 'a secret of at least thirty-two characters',
  });
  const strategy = new QueueServer({ service: 'accounts', redisUrl });
  app = await NestFactory.createMicroservice(AccountsModule.with(env, log), { strategy, logger: false });
  app.useGlobalFilters(new QueueProblemFilter(log));
  // On a busy machine Redis exceeds the default timeout
  app.get(SignInRateLimiter).redisTimeoutMs = 20_000;
  await app.listen();
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['accounts'] });
  broadcasts = new BroadcastListener({ redisUrl });
  const connected = new Promise<void>((resolve) => broadcasts.onGap(resolve));
  await broadcasts.start();
  await connected;
});
afterAll(async () => {
  broadcasts.close();
  await clients.close();
  await app.close();
  await db.close();
});

it('replies to a health check', async () => {
  expect(await clients.of('accounts').call('health.check', {})).toEqual({ status: 'ok' });
});

it('creates a user with a key, and introspects the key and new tokens', async () => {
  const { id, apiKey } = await clients.of('accounts').call('users.create', hanako);
  expect(await clients.of('accounts').call('users.show', { name: 'hanako' })).toMatchObject({ id, name: 'hanako' });
  expect(await clients.of('accounts').call('keys.show-by-name', { userName: 'hanako' })).toEqual({ apiKey });
  const { token } = await clients.of('accounts').call('tokens.create', { userName: 'hanako', scopes: ['read'] });
  expect(await clients.of('accounts').call('tokens.introspect', { token })).toMatchObject({ active: true, userId: id });
});

it('rejects a taken name with 409', async () => {
  await expect(clients.of('accounts').call('users.create', hanako)).rejects.toMatchObject({
    kind: { code: 'user.name-taken', status: 409 },
  });
});

it('shows the e-mail address only to the user itself', async () => {
  const { id: userId } = await clients.of('accounts').call('users.show', { name: 'hanako' });
  const page = { viewerId: userId, limit: 20, offset: 0 };
  const ownReplies = [
    await clients
      .of('accounts')
      .request('users.update', { viewerId: userId, displayName: 'H', profile: { body: 'Cats.' } }),
    await clients.of('accounts').request('users.update', { viewerId: userId }),
    await clients.of('accounts').request('users.self', { viewerId: userId }),
  ].map(({ body }) => JSON.parse(body.toString()) as unknown);
  expect(new Set(ownReplies.map((reply) => JSON.stringify(reply)))).toHaveProperty('size', 1);
  expect(ownReplies[0]).toMatchObject({ user: { displayName: 'H', profile: { body: 'Cats.' }, email: hanako.email } });
  const publicReplies = [
    await clients.of('accounts').request('users.get', { viewerId: userId, userId }),
    await clients.of('accounts').request('users.list', page),
    await clients.of('accounts').request('users.list', { ...page, name: 'hanako' }),
  ].map(({ body }) => body.toString());
  for (const reply of publicReplies) {
    expect(reply).toContain('Cats.');
    expect(reply).not.toContain('@');
  }
});

it('finds users by part of the name, and by the e-mail address, for operators', async () => {
  const found = await clients.of('accounts').call('users.show', { name: 'hanako' });
  const page = { limit: 50, offset: 0 };
  expect(await clients.of('accounts').call('users.find', page)).toEqual({ users: [found], nextOffset: null });
  for (const text of ['ANA', hanako.email])
    expect((await clients.of('accounts').call('users.find', { text, ...page })).users).toEqual([found]);
});

it('marks a user as official', async () => {
  const mark = (official: boolean) => clients.of('accounts').call('users.mark-official', { name: 'hanako', official });
  expect(await mark(true)).toMatchObject({ name: 'hanako', official: true });
  expect(await mark(false)).toMatchObject({ official: false });
  await expect(
    clients.of('accounts').call('users.mark-official', { name: 'unknown', official: true }),
  ).rejects.toMatchObject({
    kind: { code: 'user.not-found', status: 404 },
  });
});

it('replies 404 to a viewer who does not exist', async () => {
  const viewerId = 999_999;
  for (const reply of [
    await clients.of('accounts').request('users.self', { viewerId }),
    await clients.of('accounts').request('users.update', { viewerId }),
    await clients.of('accounts').request('users.update', { viewerId, displayName: 'H' }),
  ]) {
    expect([reply.status, JSON.parse(reply.body.toString())]).toMatchObject([404, { code: 'user.not-found' }]);
  }
});

it('broadcasts the revocation of a replaced key before the reply', async () => {
  const revoked: string[] = [];
  broadcasts.on('token.revoked', ({ payload }) => revoked.push(payload.tokenHash));
  // After 200 checks, about a second, the reply is sent without the broadcast. So only a faster
  // reply proves the order
  await eventually('a reply within a second', async () => {
    const { apiKey } = await clients.of('accounts').call('keys.show-by-name', { userName: 'hanako' });
    const introspection = await clients.of('accounts').call('tokens.introspect', { token: apiKey });
    const since = performance.now();
    await clients.of('accounts').call('keys.replace-by-name', { userName: 'hanako' });
    if (performance.now() - since >= 1_000) return false;
    expect(introspection).toMatchObject({ active: true, tokenHash: revoked.at(-1) });
    return true;
  });
});

describe('text that PostgreSQL cannot store', () => {
  const visitor = { address: '192.0.2.1', userAgent: 'Tests' };
  const [userId, ownerId, applicationId, identityId] = [999_999, 999_999, 999_999, 999_999];
  const [password, newPassword, email] = ['correct horse', 'battery staple', 'odd@example.com'];
  const opaque = { session: 'session', browserToken: 'browserToken', ticket: 'ticket' };
  const [browserToken, session] = [opaque.browserToken, opaque.session];
  const registration = {
    name: 'App',
    description: 'One.',
    homePage: 'https://a.example.com/',
    redirectUris: ['https://a.example.com/'],
    scopes: ['read'],
  };
  const query = {
    given: {
      client_id: 'client',
      redirect_uri: 'https://a.example.com/',
      response_type: 'code',
      scope: 'read',
      state: 'state',
      code_challenge: 'challenge',
      code_challenge_method: 'S256',
    },
    repeated: ['other'],
  };
  const form = {
    given: {
      client_id: 'client',
      client_secret: 'secret',
      code: 'code',
      redirect_uri: 'https://a.example.com/',
      grant_type: 'authorization_code',
      refresh_token: 'token',
      code_verifier: 'verifier',
      token: 'token',
    },
    repeated: [],
  };
  const messages: Record<string, object> = {
    'users.sign-up': { name: 'invalid', email, password: newPassword, visitor },
    'users.check-sign-up': { name: 'invalid', email, password: newPassword, visitor },
    'sessions.open': { login: 'unknown', password, visitor },
    'sessions.show': { session },
    'sessions.close': { session },
    'users.change-email': { userId, email, password, visitor },
    'users.check-passwords': { userId, password, newPassword, visitor },
    'users.change-password': { userId, password, newPassword, visitor },
    'users.delete-account': { userId, name: 'unknown', password, visitor },
    'identities.begin': { provider: 'none', browserToken, userId: null, returnTo: '/', visitor },
    'identities.finish': {
      provider: 'none',
      browserToken,
      parameters: { state: 'state', code: 'code', iss: 'iss' },
      visitor,
    },
    'identities.sign-up': { ticket: opaque.ticket, browserToken, name: 'invalid', email, visitor },
    'identities.unlink': { userId, identityId },
    'passwords.request-reset': { email, visitor },
    'passwords.show-reset': { token: 'token' },
    'passwords.reset': { token: 'token', newPassword },
    'emails.request-confirmation': { userId, visitor },
    'emails.confirm': { token: 'token' },
    'applications.create': { ownerId, ...registration, confidential: true },
    'applications.update': { ownerId, applicationId, ...registration },
    'users.find': { text: 'unknown', limit: 1, offset: 0 },
    'applications.find': { ownerName: 'unknown' },
    'oauth.authorize': { query, userId: null, decision: null },
    'oauth.token': { authorization: 'Basic YTpi', form },
    'oauth.revoke': { authorization: null, form },
    'oauth.introspect': { authorization: null, form },
    'keys.show-by-name': { userName: 'unknown' },
    'keys.replace-by-name': { userName: 'unknown' },
  };

  /** Yields copies of the payload, each with an invalid character in one of its strings. */
  function* corrupt(it: unknown, invalid: string): Generator {
    if (typeof it === 'string') yield it + invalid;
    else if (it !== null && typeof it === 'object')
      for (const [key, value] of Object.entries(it))
        for (const other of corrupt(value, invalid))
          yield Array.isArray(it)
            ? it.map((each, index) => (String(index) === key ? other : each))
            : { ...it, [key]: other };
  }

  it.each(Object.entries(messages))('causes no server error in any field of %s', async (name, payload) => {
    for (const invalid of ['\0', '\ud800'])
      for (const it of corrupt(payload, invalid)) {
        const { status } = await clients.of('accounts').request(name as 'sessions.show', it as { session: string });
        if (status >= 500) throw new Error(`${status} for ${JSON.stringify(it)}`);
      }
  });
});
