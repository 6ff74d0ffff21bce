import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { type Job, type Queue, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { eventsFor, serviceNames } from '#contracts';
import { eventQueues } from '#events';
import { InternalServer, Readiness } from '#observability';
import { eventually, TcpProxy, testRedisUrl } from '#testing';
import { boardFiles } from './board-files.js';
import { QueueBoardModule } from './queue-board.module.js';

const password = 'a password of at least 32 characters';
const prefix = 'board-test';

interface Shown {
  readonly queues: {
    readonly name: string;
    readonly counts: Record<string, number>;
    readonly jobs: { readonly name: string; readonly id: string; readonly data: unknown }[];
    readonly allowCompletedRetries: boolean;
  }[];
}

let redis: TcpProxy;
let connection: Redis;
let queue: Queue;
let server: InternalServer;
let url: string;
let closeBoard: (() => Promise<void>) | undefined;
const told: string[] = [];
const nothing = (): void => undefined;
const log = {
  warn: (said: string, of: string) => {
    if (of === 'QueueBoard') told.push(said);
  },
  log: nothing,
  error: nothing,
};

async function showBoard(given: string | undefined): Promise<void> {
  await closeBoard?.();
  const board = QueueBoardModule.with({ password: given, jobsUrl: redis.url, prefix });
  const app = await NestFactory.createApplicationContext(board, { logger: log });
  closeBoard = () => app.close();
}

const basic = (user: string, given: string): string => `Basic ${Buffer.from(`${user}:${given}`).toString('base64')}`;
const right = { authorization: basic('operator', password) };
const get = (path: string, headers: Record<string, string> = right): Promise<Response> =>
  fetch(`${url}${path}`, { headers });
const put = (path: string, headers: Record<string, string> = { origin: url, 'sec-fetch-site': 'same-origin' }) =>
  fetch(`${url}/queues/api/queues/${queue.name}${path}`, { method: 'PUT', headers: { ...right, ...headers } });
const shown = async (query = ''): Promise<Shown['queues']> =>
  ((await (await get(`/queues/api/queues?${query}`)).json()) as Shown).queues;

/** Works until the jobs that wait have ended, one way or another. */
async function work(consume: (job: Job) => Promise<void>): Promise<void> {
  const worker = new Worker(queue.name, consume, { connection: { url: redis.url }, prefix });
  await eventually('the end of the jobs', async () => (await queue.getJobCountByTypes('wait', 'active')) === 0);
  await worker.close();
}
const fail = (): Promise<void> => Promise.reject(new UnrecoverableError('no such user'));
const succeed = (): Promise<void> => Promise.resolve();

async function addFailed(name = 'user.deleted'): Promise<string> {
  const id = randomUUID();
  await queue.add(name, { id, name, payload: { userId: 7 } }, { jobId: id });
  await work(fail);
  return id;
}
const stateOf = async (id: string) => (await queue.getJob(id))?.getState();

beforeAll(async () => {
  redis = await TcpProxy.before(testRedisUrl());
  connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  queue = eventQueues(connection, prefix).get('activity')!;
  server = new InternalServer({ port: 0, registry: new Registry(), readiness: new Readiness() });
  url = `http://127.0.0.1:${await server.open()}`;
});
beforeEach(async () => {
  await showBoard(password);
  told.length = 0;
});
afterEach(() => queue.obliterate({ force: true }));
afterAll(async () => {
  await closeBoard?.();
  server.close();
  await queue.close();
  connection.disconnect();
  redis.close();
});

describe('the queue board', () => {
  it('is not there without a password, and goes with its process', async () => {
    await showBoard(undefined);
    expect((await get('/queues')).status).toBe(404);
    await showBoard(password);
    expect((await get('/queues')).status).toBe(200);
    await closeBoard!();
    expect((await get('/queues')).status).toBe(404);
  });

  it.each([
    ['nobody', undefined],
    ['another user', basic('admin', password)],
    ['a wrong password', basic('operator', `${password}.`)],
    ['no password', basic('operator', '')],
    ['a token', `Bearer ${password}`],
  ])('asks %s for a password, whatever is asked for', async (_, authorization) => {
    for (const path of ['/queues', '/queues/', '/queues/api/queues', '/queues/static/images/logo.svg', '/queues/x']) {
      const answer = await get(path, authorization === undefined ? {} : { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="queues", charset="UTF-8"');
      expect(await answer.text()).not.toContain('<html');
    }
  });

  it('stops listening to who guesses', async () => {
    const wrong = { authorization: basic('operator', 'wrong') };
    const statuses = [];
    for (let guess = 0; guess < 12; guess++) statuses.push((await get('/queues', wrong)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const answer = await get('/queues');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
  });

  it('is a page with all that it names, and nothing from elsewhere', async () => {
    for (const path of ['/queues', '/queues/', `/queues/queue/${queue.name}`, `/queues/queue/${queue.name}/7`]) {
      const answer = await get(path);
      const html = await answer.text();
      expect([answer.status, html]).toEqual([200, expect.stringContaining('<base href="/queues/" />')]);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(html).not.toMatch(/<%|https?:/);
      const named = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, name]) => name!);
      expect(named.length).toBeGreaterThan(4);
      for (const name of named) expect([name, (await get(`/queues/${name}`)).status]).toEqual([name, 200]);
    }
  });

  it('shows no other files', async () => {
    const files = boardFiles();
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    for (const path of [
      'static/..%2findex.ejs',
      'static/../index.ejs',
      'static/%2e%2e/index.ejs',
      'static/',
      'static/js',
    ])
      expect((await get(`/queues/${path}`)).status).toBe(404);
  });

  it('lists the queues of all services with what is in them', async () => {
    await addFailed();
    await queue.add('favorite.placed', {}, { delay: 60_000 });
    await queue.add('favorite.placed', {});
    const queues = await shown();
    const subscribers = serviceNames.filter((service) => eventsFor(service).length > 0);
    expect(queues.map(({ name }) => name)).toEqual(subscribers.map((service) => `events-${service}`));
    expect(queues.find(({ name }) => name === queue.name)).toMatchObject({
      counts: { waiting: 1, delayed: 1, failed: 1, completed: 0 },
      allowCompletedRetries: false,
    });
  });

  it('says how many events a job has', async () => {
    const events = [1, 2, 3].map(() => ({ id: randomUUID(), name: 'favorite.placed', payload: {} }));
    await queue.add('favorite.placed', { id: randomUUID(), name: 'batch', version: 1, payload: { events } });
    await queue.add('user.deleted', { id: randomUUID(), name: 'user.deleted', version: 1, payload: {} });
    const queues = await shown(`activeQueue=${queue.name}&status=waiting&page=1&jobsPerPage=10`);
    const activity = queues.find(({ name }) => name === queue.name);
    expect(activity!.jobs.map(({ name }) => name).sort()).toEqual(['favorite.placed × 3', 'user.deleted']);
  });

  it('retries one that has failed, which is then done', async () => {
    const id = await addFailed();
    expect((await put(`/${id}/retry`)).status).toBe(200);
    expect(told).toEqual([`an operator: retry events-activity ${id} failed`]);
    await work(succeed);
    expect(await stateOf(id)).toBe('completed');
  });

  it('retries all that have failed, and lets go at once what waits for its next attempt', async () => {
    const failed = [await addFailed(), await addFailed()];
    const delayed = await queue.add('user.deleted', {}, { delay: 60_000 });
    expect(await (await put('/retry/failed')).json()).toEqual({ retried: 2, skipped: 0 });
    expect((await put('/promote')).status).toBe(200);
    await work(succeed);
    for (const id of [...failed, delayed.id!]) expect(await stateOf(id)).toBe('completed');
  });

  it('removes what has failed or is put back', async () => {
    const ids = [await addFailed(), (await queue.add('from.tomorrow', {}, { delay: 60_000 })).id!];
    for (const id of ids) {
      expect((await put(`/${id}/clean`)).status).toBe(200);
      expect(await stateOf(id)).toBeUndefined();
    }
    // All of them: those that failed a moment ago stay
    expect((await put('/clean/failed')).status).toBe(200);
  });

  it('lets a queue go on that somebody has stopped', async () => {
    await queue.pause();
    const { id } = await queue.add('user.deleted', {});
    expect((await put('/resume')).status).toBe(200);
    expect(told).toEqual(['an operator: resume events-activity']);
    expect(await queue.isPaused()).toBe(false);
    await work(succeed);
    expect(await stateOf(id!)).toBe('completed');
  });

  it('takes nothing away that waits, and repeats nothing that is done', async () => {
    const done = (await queue.add('user.deleted', {})).id!;
    await work(succeed);
    const waiting = (await queue.add('user.deleted', {})).id!;
    const paths = [`/${waiting}/clean`, `/${done}/clean`, `/${done}/retry`, '/retry/completed', '/of-nobody/clean'];
    for (const path of paths) expect([path, (await put(path)).status]).toEqual([path, 403]);
    expect([await stateOf(done), await stateOf(waiting)]).toEqual(['completed', 'waiting']);
    expect(told).toEqual([]);
  });

  it.each(['/empty', '/obliterate', '/pause', '/clean/delayed', '/clean/wait', '/concurrency', '/rate-limit/release'])(
    'refuses %s',
    async (path) => {
      await addFailed();
      expect((await put(path)).status).toBeGreaterThanOrEqual(400);
      expect(await queue.isPaused()).toBe(false);
      expect(await queue.getFailedCount()).toBe(1);
    },
  );

  it('knows no method that adds or edits', async () => {
    for (const [method, path] of [
      ['POST', '/add'],
      ['PATCH', '/1/update-data'],
      ['DELETE', '/1'],
      ['OPTIONS', '/1/retry'],
    ] as const)
      expect((await fetch(`${url}/queues/api/queues/${queue.name}${path}`, { method, headers: right })).status).toBe(
        405,
      );
  });

  it.each([
    ['another site', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site, by a browser that says no more', { origin: 'http://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a file', { origin: 'null' }],
    ['nobody knows whom', {}],
  ])('changes nothing for %s', async (_, headers) => {
    const id = await addFailed();
    expect((await put(`/${id}/retry`, headers as Record<string, string>)).status).toBe(403);
    expect(await stateOf(id)).toBe('failed');
  });

  it('takes no bodies', async () => {
    const headers = { ...right, origin: url };
    const answer = await fetch(`${url}/queues/api/queues/pause`, { method: 'PUT', headers, body: '{}' });
    expect(answer.status).toBe(413);
  });

  it('keeps nobody from asking how the process is while its Redis is silent', async () => {
    expect((await get('/queues/api/queues')).status).toBe(200);
    redis.swallow();
    const answered: number[] = [];
    const asked = Array.from({ length: 20 }, async () => {
      const { status } = await get('/queues/api/queues');
      answered.push(status);
      return status;
    });
    await eventually('the first answers', () => answered.includes(503));
    for (const path of ['/health/live', '/metrics']) expect((await fetch(url + path)).status).toBe(200);
    // Before those that wait for Redis
    expect(new Set(answered)).toEqual(new Set([503]));
    const statuses = await Promise.all(asked);
    expect(statuses.filter((status) => status === 503)).toHaveLength(8);
    expect(statuses.filter((status) => status >= 500)).toHaveLength(20);
    redis.heal();
    redis.cut();
    await eventually('the queues', async () => (await get('/queues/api/queues')).status === 200);
  });
});
