import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readEnvironment } from '#config';
import { createLog } from '#observability';
import { NoticeListener, openQueueClients, ProblemFilter, QueueServer, type QueueClients } from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { AccountsModule } from './accounts.module.js';
import { Env } from './env.js';

let db: TestDatabase;
let app: INestMicroservice;
let clients: QueueClients;
let notices: NoticeListener;

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
  await app.listen();
  clients = await openQueueClients({ redisUrl, services: ['accounts'] });
  notices = new NoticeListener({ redisUrl });
  await notices.start();
});
afterAll(async () => {
  notices.close();
  await clients.close();
  await app.close();
  await db.close();
});

it('answers that it is healthy', async () => {
  expect(await clients.accounts.call('health.check', {})).toEqual({ status: 'ok' });
});

it('makes a user, shows it, and knows its key and its tokens', async () => {
  const { id, apiKey } = await clients.accounts.call('users.create', hanako);
  expect(await clients.accounts.call('users.show', { name: 'hanako' })).toMatchObject({ id, name: 'hanako' });
  expect(await clients.accounts.call('keys.show', { userName: 'hanako' })).toEqual({ apiKey });
  const { token } = await clients.accounts.call('tokens.create', { userName: 'hanako', scopes: ['read'] });
  expect(await clients.accounts.call('tokens.introspect', { token })).toMatchObject({ active: true, userId: id });
});

it('refuses a taken name with 409', async () => {
  await expect(clients.accounts.call('users.create', hanako)).rejects.toMatchObject({
    kind: { code: 'user.name-taken', status: 409 },
  });
});

it('shows the e-mail address to the user itself and to nobody else', async () => {
  const { id: userId } = await clients.accounts.call('users.show', { name: 'hanako' });
  const page = { viewerId: userId, limit: 20, offset: 0 };
  const itself = [
    await clients.accounts.request('users.update', { viewerId: userId, displayName: 'H', profile: { body: 'Cats.' } }),
    await clients.accounts.request('users.update', { viewerId: userId }),
    await clients.accounts.request('users.self', { viewerId: userId }),
  ].map(({ body }) => JSON.parse(body.toString()) as unknown);
  expect(new Set(itself.map((it) => JSON.stringify(it)))).toHaveProperty('size', 1);
  expect(itself[0]).toMatchObject({ user: { displayName: 'H', profile: { body: 'Cats.' }, email: hanako.email } });
  const others = [
    await clients.accounts.request('users.get', { viewerId: userId, userId }),
    await clients.accounts.request('users.list', page),
    await clients.accounts.request('users.list', { ...page, name: 'hanako' }),
  ].map(({ body }) => body.toString());
  for (const answer of others) {
    expect(answer).toContain('Cats.');
    expect(answer).not.toContain('@');
  }
});

it('marks an official user', async () => {
  const mark = (official: boolean) => clients.accounts.call('users.mark-official', { name: 'hanako', official });
  expect(await mark(true)).toMatchObject({ name: 'hanako', official: true });
  expect(await mark(false)).toMatchObject({ official: false });
  await expect(clients.accounts.call('users.mark-official', { name: 'nobody', official: true })).rejects.toMatchObject({
    kind: { code: 'user.not-found', status: 404 },
  });
});

it('answers 404 to a viewer who has left', async () => {
  const viewerId = 999_999;
  for (const answer of [
    await clients.accounts.request('users.self', { viewerId }),
    await clients.accounts.request('users.update', { viewerId }),
    await clients.accounts.request('users.update', { viewerId, displayName: 'H' }),
  ]) {
    expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([404, { code: 'user.not-found' }]);
  }
});

it('tells everyone that a key is dead as soon as it was replaced', async () => {
  const { apiKey } = await clients.accounts.call('keys.show', { userName: 'hanako' });
  const introspection = await clients.accounts.call('tokens.introspect', { token: apiKey });
  const heard: string[] = [];
  notices.on('token.revoked', ({ payload }) => heard.push(payload.tokenHash));
  await clients.accounts.call('keys.replace', { userName: 'hanako' });
  await eventually('the notice', () => heard.length > 0);
  expect(introspection).toMatchObject({ active: true, tokenHash: heard[0] });
});
