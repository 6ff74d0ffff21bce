import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '#config';
import { createLog } from '#observability';
import { BroadcastListener, openQueueClients, ProblemFilter, QueueServer, type QueueClients } from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { AccountsModule } from './accounts.module.js';
import { Env } from './env.js';
import { SignInRateLimiter } from './sessions/sign-in.limiter.js';

let db: TestDatabase;
let app: INestMicroservice;
let clients: QueueClients;
let notices: BroadcastListener;

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
  app = await NestFactory.createMicroservice(AccountsModule.with(env), { strategy, logger: false });
  app.useGlobalFilters(new ProblemFilter(log));
  // On a busy machine Redis takes longer than it may
  app.get(SignInRateLimiter).answerWithinMs = 20_000;
  await app.listen();
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['accounts'] });
  notices = new BroadcastListener({ redisUrl });
  const hears = new Promise<void>((resolve) => notices.onGap(resolve));
  await notices.start();
  await hears;
});
afterAll(async () => {
  notices.close();
  await clients.close();
  await app.close();
  await db.close();
});

it('answers that it is healthy', async () => {
  expect(await clients.of('accounts').call('health.check', {})).toEqual({ status: 'ok' });
});

it('makes a user, shows it, and knows its key and its tokens', async () => {
  const { id, apiKey } = await clients.of('accounts').call('users.create', hanako);
  expect(await clients.of('accounts').call('users.show', { name: 'hanako' })).toMatchObject({ id, name: 'hanako' });
  expect(await clients.of('accounts').call('keys.show-by-name', { userName: 'hanako' })).toEqual({ apiKey });
  const { token } = await clients.of('accounts').call('tokens.create', { userName: 'hanako', scopes: ['read'] });
  expect(await clients.of('accounts').call('tokens.introspect', { token })).toMatchObject({ active: true, userId: id });
});

it('refuses a taken name with 409', async () => {
  await expect(clients.of('accounts').call('users.create', hanako)).rejects.toMatchObject({
    kind: { code: 'user.name-taken', status: 409 },
  });
});

it('shows the e-mail address to the user itself and to nobody else', async () => {
  const { id: userId } = await clients.of('accounts').call('users.show', { name: 'hanako' });
  const page = { viewerId: userId, limit: 20, offset: 0 };
  const itself = [
    await clients
      .of('accounts')
      .request('users.update', { viewerId: userId, displayName: 'H', profile: { body: 'Cats.' } }),
    await clients.of('accounts').request('users.update', { viewerId: userId }),
    await clients.of('accounts').request('users.self', { viewerId: userId }),
  ].map(({ body }) => JSON.parse(body.toString()) as unknown);
  expect(new Set(itself.map((it) => JSON.stringify(it)))).toHaveProperty('size', 1);
  expect(itself[0]).toMatchObject({ user: { displayName: 'H', profile: { body: 'Cats.' }, email: hanako.email } });
  const others = [
    await clients.of('accounts').request('users.get', { viewerId: userId, userId }),
    await clients.of('accounts').request('users.list', page),
    await clients.of('accounts').request('users.list', { ...page, name: 'hanako' }),
  ].map(({ body }) => body.toString());
  for (const answer of others) {
    expect(answer).toContain('Cats.');
    expect(answer).not.toContain('@');
  }
});

it('marks an official user', async () => {
  const mark = (official: boolean) => clients.of('accounts').call('users.mark-official', { name: 'hanako', official });
  expect(await mark(true)).toMatchObject({ name: 'hanako', official: true });
  expect(await mark(false)).toMatchObject({ official: false });
  await expect(
    clients.of('accounts').call('users.mark-official', { name: 'nobody', official: true }),
  ).rejects.toMatchObject({
    kind: { code: 'user.not-found', status: 404 },
  });
});

it('answers 404 to a viewer who has left', async () => {
  const viewerId = 999_999;
  for (const answer of [
    await clients.of('accounts').request('users.self', { viewerId }),
    await clients.of('accounts').request('users.update', { viewerId }),
    await clients.of('accounts').request('users.update', { viewerId, displayName: 'H' }),
  ]) {
    expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([404, { code: 'user.not-found' }]);
  }
});

it('has told everyone that a key is dead when it answers that it was replaced', async () => {
  const heard: string[] = [];
  notices.on('token.revoked', ({ payload }) => heard.push(payload.tokenHash));
  // It waits for a second at most, which may be too little here
  await eventually('an answer within a second', async () => {
    const { apiKey } = await clients.of('accounts').call('keys.show-by-name', { userName: 'hanako' });
    const introspection = await clients.of('accounts').call('tokens.introspect', { token: apiKey });
    const since = performance.now();
    await clients.of('accounts').call('keys.replace-by-name', { userName: 'hanako' });
    if (performance.now() - since >= 1_000) return false;
    expect(introspection).toMatchObject({ active: true, tokenHash: heard.at(-1) });
    return true;
  });
});

describe('text that PostgreSQL cannot hold', () => {
  const visitor = { address: '192.0.2.1', userAgent: 'Tests' };
  const [userId, ownerId, applicationId, identityId] = [999_999, 999_999, 999_999, 999_999];
  const [password, newPassword, email] = ['correct horse', 'battery staple', 'odd@example.com'];
  const opaque = { session: 'session', visit: 'visit', ticket: 'ticket' };
  const [visit, session] = [opaque.visit, opaque.session];
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
    'users.sign-up': { name: 'odd', email, password: newPassword, visitor },
    'sessions.open': { login: 'nobody', password, visitor },
    'sessions.show': { session },
    'sessions.close': { session },
    'users.change-email': { userId, email, password, visitor },
    'users.change-password': { userId, password, newPassword, visitor },
    'users.leave': { userId, name: 'nobody', password, visitor },
    'identities.begin': { provider: 'none', visit, userId: null, returnTo: '/', visitor },
    'identities.finish': { provider: 'none', visit, parameters: { state: 'state', code: 'code', iss: 'iss' }, visitor },
    'identities.sign-up': { ticket: opaque.ticket, visit, name: 'odd', email, visitor },
    'identities.unlink': { userId, identityId },
    'applications.create': { ownerId, ...registration, confidential: true },
    'applications.update': { ownerId, applicationId, ...registration },
    'applications.find': { ownerName: 'nobody' },
    'oauth.authorize': { query, userId: null, decision: null },
    'oauth.token': { authorization: 'Basic YTpi', form },
    'oauth.revoke': { authorization: null, form },
    'oauth.introspect': { authorization: null, form },
    'keys.show-by-name': { userName: 'nobody' },
    'keys.replace-by-name': { userName: 'nobody' },
  };

  /** The payload again and again, each time with one of its texts replaced. */
  function* spoiled(it: unknown, odd: string): Generator {
    if (typeof it === 'string') yield it + odd;
    else if (it !== null && typeof it === 'object')
      for (const [key, value] of Object.entries(it))
        for (const other of spoiled(value, odd))
          yield Array.isArray(it)
            ? it.map((each, index) => (String(index) === key ? other : each))
            : { ...it, [key]: other };
  }

  it.each(Object.entries(messages))('is no failure of ours, wherever it stands in %s', async (name, payload) => {
    for (const odd of ['\0', '\ud800'])
      for (const it of spoiled(payload, odd)) {
        const { status } = await clients.of('accounts').request(name as 'sessions.show', it as { session: string });
        if (status >= 500) throw new Error(`${status} for ${JSON.stringify(it)}`);
      }
  });
});
