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

interface QueueList {
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
const logged: string[] = [];
const nothing = (): void => undefined;
const log = {
  warn: (message: string, context: string) => {
    if (context === 'QueueBoard') logged.push(message);
  },
  log: nothing,
  error: nothing,
};

async function openBoard(given: string | undefined): Promise<void> {
  await closeBoard?.();
  const board = QueueBoardModule.with({ password: given, jobsUrl: redis.url, prefix });
  const app = await NestFactory.createApplicationContext(board, { logger: log });
  closeBoard = () => app.close();
}

const basic = (user: string, given: string): string => `Basic ${Buffer.from(`${user}:${given}`).toString('base64')}`;
const correctHeaders = { authorization: basic('operator', password) };
const get = (path: string, headers: Record<string, string> = correctHeaders): Promise<Response> =>
  fetch(`${url}${path}`, { headers });
const put = (path: string, headers: Record<string, string> = { origin: url, 'sec-fetch-site': 'same-origin' }) =>
  fetch(`${url}/queues/api/queues/${queue.name}${path}`, { method: 'PUT', headers: { ...correctHeaders, ...headers } });
const listQueues = async (query = ''): Promise<QueueList['queues']> =>
  ((await (await get(`/queues/api/queues?${query}`)).json()) as QueueList).queues;

/** Runs a worker until no job is waiting or active. */
async function runWorker(consume: (job: Job) => Promise<void>): Promise<void> {
  const worker = new Worker(queue.name, consume, { connection: { url: redis.url }, prefix });
  await eventually('the end of the jobs', async () => (await queue.getJobCountByTypes('wait', 'active')) === 0);
  await worker.close();
}
const fail = (): Promise<void> => Promise.reject(new UnrecoverableError('no such user'));
const succeed = (): Promise<void> => Promise.resolve();

async function addFailed(name = 'user.deleted'): Promise<string> {
  const id = randomUUID();
  await queue.add(name, { id, name, payload: { userId: 7 } }, { jobId: id });
  await runWorker(fail);
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
  await openBoard(password);
  logged.length = 0;
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
  it('returns 404 without a configured password, and after its process has shut down', async () => {
    await openBoard(undefined);
    expect((await get('/queues')).status).toBe(404);
    await openBoard(password);
    expect((await get('/queues')).status).toBe(200);
    await closeBoard!();
    expect((await get('/queues')).status).toBe(404);
  });

  it.each([
    ['no credentials', undefined],
    ['another user', basic('admin', password)],
    ['a wrong password', basic('operator', `${password}.`)],
    ['no password', basic('operator', '')],
    ['a token', `Bearer ${password}`],
  ])('returns 401 on every path for %s', async (_, authorization) => {
    for (const path of ['/queues', '/queues/', '/queues/api/queues', '/queues/static/images/logo.svg', '/queues/x']) {
      const response = await get(path, authorization === undefined ? {} : { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="queues", charset="UTF-8"');
      expect(await response.text()).not.toContain('<html');
    }
  });

  it('returns 429 after ten wrong passwords', async () => {
    const wrong = { authorization: basic('operator', 'wrong') };
    const statuses = [];
    for (let guess = 0; guess < 12; guess++) statuses.push((await get('/queues', wrong)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const response = await get('/queues');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
  });

  it('is a page whose resources all exist and none of which is external', async () => {
    for (const path of ['/queues', '/queues/', `/queues/queue/${queue.name}`, `/queues/queue/${queue.name}/7`]) {
      const response = await get(path);
      const html = await response.text();
      expect([response.status, html]).toEqual([200, expect.stringContaining('<base href="/queues/" />')]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(html).not.toMatch(/<%|https?:/);
      const named = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, name]) => name!);
      expect(named.length).toBeGreaterThan(4);
      for (const name of named) expect([name, (await get(`/queues/${name}`)).status]).toEqual([name, 200]);
    }
  });

  it('serves no other files', async () => {
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

  it('lists the queues of all services with the counts of their jobs', async () => {
    await addFailed();
    await queue.add('favorite.placed', {}, { delay: 60_000 });
    await queue.add('favorite.placed', {});
    const queues = await listQueues();
    const subscribers = serviceNames.filter((service) => eventsFor(service).length > 0);
    expect(queues.map(({ name }) => name)).toEqual([
      ...subscribers.map((service) => `events-${service}`),
      'webhook-deliveries',
    ]);
    expect(queues.find(({ name }) => name === queue.name)).toMatchObject({
      counts: { waiting: 1, delayed: 1, failed: 1, completed: 0 },
      allowCompletedRetries: false,
    });
  });

  it('shows the number of events of a batch', async () => {
    const events = [1, 2, 3].map(() => ({ id: randomUUID(), name: 'favorite.placed', payload: {} }));
    await queue.add('favorite.placed', { id: randomUUID(), name: 'batch', version: 1, payload: { events } });
    await queue.add('user.deleted', { id: randomUUID(), name: 'user.deleted', version: 1, payload: {} });
    const queues = await listQueues(`activeQueue=${queue.name}&status=waiting&page=1&jobsPerPage=10`);
    const activity = queues.find(({ name }) => name === queue.name);
    expect(activity!.jobs.map(({ name }) => name).sort()).toEqual(['favorite.placed × 3', 'user.deleted']);
  });

  it('retries a failed job', async () => {
    const id = await addFailed();
    expect((await put(`/${id}/retry`)).status).toBe(200);
    expect(logged).toEqual([`Operator action: retry events-activity ${id} failed`]);
    await runWorker(succeed);
    expect(await stateOf(id)).toBe('completed');
  });

  it('retries all failed jobs, and promotes delayed jobs', async () => {
    const failed = [await addFailed(), await addFailed()];
    const delayed = await queue.add('user.deleted', {}, { delay: 60_000 });
    expect(await (await put('/retry/failed')).json()).toEqual({ retried: 2, skipped: 0 });
    expect((await put('/promote')).status).toBe(200);
    await runWorker(succeed);
    for (const id of [...failed, delayed.id!]) expect(await stateOf(id)).toBe('completed');
  });

  it('removes failed and delayed jobs', async () => {
    const ids = [await addFailed(), (await queue.add('from.tomorrow', {}, { delay: 60_000 })).id!];
    for (const id of ids) {
      expect((await put(`/${id}/clean`)).status).toBe(200);
      expect(await stateOf(id)).toBeUndefined();
    }
    // Returns 200, but Bull Board does not remove jobs that have just failed
    expect((await put('/clean/failed')).status).toBe(200);
  });

  it('resumes a paused queue', async () => {
    await queue.pause();
    const { id } = await queue.add('user.deleted', {});
    expect((await put('/resume')).status).toBe(200);
    expect(logged).toEqual(['Operator action: resume events-activity']);
    expect(await queue.isPaused()).toBe(false);
    await runWorker(succeed);
    expect(await stateOf(id!)).toBe('completed');
  });

  it('rejects the removal of waiting jobs and the retry of completed jobs', async () => {
    const done = (await queue.add('user.deleted', {})).id!;
    await runWorker(succeed);
    const waiting = (await queue.add('user.deleted', {})).id!;
    const paths = [`/${waiting}/clean`, `/${done}/clean`, `/${done}/retry`, '/retry/completed', '/unknown-id/clean'];
    for (const path of paths) expect([path, (await put(path)).status]).toEqual([path, 403]);
    expect([await stateOf(done), await stateOf(waiting)]).toEqual(['completed', 'waiting']);
    expect(logged).toEqual([]);
  });

  it.each(['/empty', '/obliterate', '/pause', '/clean/delayed', '/clean/wait', '/concurrency', '/rate-limit/release'])(
    'rejects %s',
    async (path) => {
      await addFailed();
      expect((await put(path)).status).toBeGreaterThanOrEqual(400);
      expect(await queue.isPaused()).toBe(false);
      expect(await queue.getFailedCount()).toBe(1);
    },
  );

  it('returns 405 for methods that add or edit', async () => {
    for (const [method, path] of [
      ['POST', '/add'],
      ['PATCH', '/1/update-data'],
      ['DELETE', '/1'],
      ['OPTIONS', '/1/retry'],
    ] as const)
      expect(
        (await fetch(`${url}/queues/api/queues/${queue.name}${path}`, { method, headers: correctHeaders })).status,
      ).toBe(405);
  });

  it.each([
    ['another site', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site, by a browser without fetch metadata', { origin: 'http://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a file', { origin: 'null' }],
    ['a client without an origin', {}],
  ])('rejects a change that is requested by %s', async (_, headers) => {
    const id = await addFailed();
    expect((await put(`/${id}/retry`, headers as Record<string, string>)).status).toBe(403);
    expect(await stateOf(id)).toBe('failed');
  });

  it('rejects a request body', async () => {
    const headers = { ...correctHeaders, origin: url };
    const response = await fetch(`${url}/queues/api/queues/pause`, { method: 'PUT', headers, body: '{}' });
    expect(response.status).toBe(413);
  });

  it('does not block health checks while its Redis does not respond', async () => {
    expect((await get('/queues/api/queues')).status).toBe(200);
    redis.blackhole();
    const received: number[] = [];
    const pending = Array.from({ length: 20 }, async () => {
      const { status } = await get('/queues/api/queues');
      received.push(status);
      return status;
    });
    await eventually('the first responses', () => received.includes(503));
    for (const path of ['/health/live', '/metrics']) expect((await fetch(url + path)).status).toBe(200);
    // The 503 responses arrive before the responses to the requests that wait for Redis
    expect(new Set(received)).toEqual(new Set([503]));
    const statuses = await Promise.all(pending);
    expect(statuses.filter((status) => status === 503)).toHaveLength(8);
    expect(statuses.filter((status) => status >= 500)).toHaveLength(20);
    redis.heal();
    redis.cut();
    await eventually('the queues', async () => (await get('/queues/api/queues')).status === 200);
  });
});
