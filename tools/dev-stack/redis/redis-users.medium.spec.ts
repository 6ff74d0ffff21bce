import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { type RunningRedis, startRedis } from '#dev-stack';
import { isBatched, apps, type EventEnvelope, type ServiceName, serviceNames, services } from '#contracts';
import { FailedEvents, QueuedEvents } from '#events';
import { BroadcastListener, openQueueClients, publishBroadcast, QueueServer } from '#request-queue';
import { eventually } from '#testing';
import type { RenderingEnv } from '../../../apps/material-rendering/src/env.js';
import type { AccountsEnv } from '../../../apps/accounts/src/env.js';
import { SignInRateLimiter } from '../../../apps/accounts/src/sessions/sign-in.limiter.js';
import { RateLimiter } from '../../../apps/gateway/src/edge/rate-limits/rate-limiter.js';
import { FormDrafts } from '../../../apps/gateway/src/site/pages/form-drafts.js';
import { RenderLock } from '../../../apps/material-rendering/src/images/render.lock.js';
import { Publisher } from '../../../libs/events/src/publisher.js';
import { encodeRequest } from '../../../libs/request-queue/src/wire/frames.js';
import { QueueKeys } from '../../../libs/request-queue/src/wire/keys.js';
import { broadcastUsers, redisUsers } from './redis-users.mjs';

let folder: string;
let requests: RunningRedis;
let jobs: RunningRedis;
let closing: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-users-'));
  [requests, jobs] = await Promise.all([
    startRedis({ dataDir: join(folder, 'requests'), users: 'requests' }),
    startRedis({ dataDir: join(folder, 'jobs'), users: 'jobs' }),
  ]);
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});
afterAll(async () => {
  await Promise.all([requests.stop(), jobs.stop()]);
  await rm(folder, { recursive: true });
});

function connect(server: RunningRedis, user: string): Redis {
  const redis = new Redis(server.urlOf(user), { maxRetriesPerRequest: null });
  closing.push(() => redis.disconnect());
  return redis;
}

/** Starts a replica with a handler for each message, which replies with the name of the message. */
async function serve(service: ServiceName): Promise<void> {
  const server = new QueueServer({ service, redisUrl: requests.urlOf(service), registry: new Registry() });
  for (const name of Object.keys(services[service]))
    server.addHandler(name, () => Promise.resolve(name === 'health.check' ? { status: 'ok' } : { apiKey: name }));
  await new Promise<void>((resolve, reject) =>
    server.listen((error) => (error instanceof Error ? reject(error) : resolve())),
  );
  closing.push(() => server.close());
}

interface AppEntry {
  readonly kind: string;
  readonly calls?: readonly ServiceName[];
  readonly publishesTo?: readonly ServiceName[];
}
const servicesBy = (field: 'calls' | 'publishesTo'): Readonly<Record<string, readonly ServiceName[]>> =>
  Object.fromEntries(
    Object.entries<AppEntry>(apps).flatMap(([app, entry]) => (entry[field] ? [[app, entry[field]]] : [])),
  );
const callees = servicesBy('calls');
const subscribers = servicesBy('publishesTo');

async function clientsOf(app: string) {
  const clients = await openQueueClients({
    app,
    redisUrl: requests.urlOf(app),
    registry: new Registry(),
    services: callees[app]!,
  });
  closing.push(() => clients.close());
  return clients;
}

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
/** Errors of Redis 7.0 and later for a denied command, and for one in a script. */
const isDenied = /^NOPERM|ERR The user executing the script can't|ACL failure in script/;
const outcomeOf = async (user: Redis, words: readonly string[]): Promise<string> =>
  user.call(words[0]!, ...words.slice(1)).then(
    (reply) => `replied ${JSON.stringify(reply)}`,
    (error: unknown) => (isDenied.test((error as Error).message) ? 'NOPERM' : (error as Error).message),
  );

/** Commands that would read, change or delete data of other users. */
const administration = [
  ...['FLUSHALL', 'FLUSHDB', 'SHUTDOWN NOSAVE', 'KEYS *', 'SCAN 0', 'RANDOMKEY', 'DBSIZE', 'MONITOR', 'ACL LIST'],
  ...['ACL SETUSER x on', 'CONFIG GET *', 'CONFIG SET save x', 'CLIENT LIST', 'CLIENT KILL ID 1'],
  ...['SAVE', 'REPLICAOF NO ONE', 'SWAPDB 0 1', 'FUNCTION FLUSH', 'SCRIPT FLUSH', 'PUBSUB CHANNELS', 'PSUBSCRIBE *'],
].map((words) => words.split(' '));

/**
 * True for FLUSHALL by the operator, which is allowed on redis-jobs for the restore of a backup.
 */
const isAllowedFlush = (server: string, user: string, [word]: readonly string[]): boolean =>
  server === 'jobs' && user === 'operator' && word === 'FLUSHALL';

describe('the Redis of requests', () => {
  it.each(Object.keys(callees).filter((app) => callees[app]!.length > 0))(
    '%s receives replies from the services that it calls',
    async (app) => {
      await Promise.all(callees[app]!.map(serve));
      const clients = await clientsOf(app);
      for (const service of callees[app]!)
        expect(await clients.of(service).call('health.check', {})).toEqual({ status: 'ok' });
    },
  );

  it('lets callers remove aborted requests from the list', async () => {
    const clients = await clientsOf('catalog');
    const server = connect(requests, 'material-rendering');
    const keys = new QueueKeys();
    await server.set(keys.live('material-rendering', 'slow'), 100, 'PX', 60_000);
    const source = { kind: 'url' as const, url: 'https://slow.example.com' };
    const late = clients
      .of('material-rendering')
      .call('textures.store', { userId: 1, sources: [source] }, { timeoutMs: 300 });
    await expect(late).rejects.toMatchObject({ kind: { code: expect.stringMatching(/^service\./) } });
    await eventually(
      'the end of the request',
      async () => (await server.llen(keys.requests('material-rendering', 'slow'))) === 0,
    );
  });

  it('limits reads to requests and replies of the app', async () => {
    for (const app of redisUsers.requests) {
      const user = connect(requests, app);
      for (const other of serviceNames.filter((it) => it !== app))
        for (const lane of ['', 'slow:', 'operator:'])
          for (const words of [
            ['BLMPOP', '1', '1', `rq:{${other}}:${lane}q`, 'LEFT'],
            ['LRANGE', `rq:{${other}}:${lane}q`, '0', '-1'],
            ['LPOP', `rq:{${other}}:${lane}q`],
            ['EVAL', `return redis.call('LRANGE', KEYS[1], 0, -1)`, '1', `rq:{${other}}:${lane}q`],
          ])
            expect([app, words, await outcomeOf(user, words)]).toEqual([app, words, 'NOPERM']);
      for (const other of redisUsers.requests.filter((it) => it !== app)) {
        const words = ['BLMPOP', '1', '1', `rq:{${other}-0123456789abcdef}:r`, 'LEFT'];
        expect([app, other, await outcomeOf(user, words)]).toEqual([app, other, 'NOPERM']);
      }
    }
  });

  it('limits pushes to the lists of the services that the app calls', async () => {
    for (const app of redisUsers.requests) {
      const user = connect(requests, app);
      for (const service of serviceNames) {
        const may = callees[app]!.includes(service);
        const pushes = await Promise.all(
          ['q', 'slow:q', 'operator:q'].map((list) => outcomeOf(user, ['RPUSH', `rq:{${service}}:${list}`, 'x'])),
        );
        const [yes, no] = [expect.stringMatching(/^replied/), 'NOPERM'];
        expect([app, service, ...pushes]).toEqual([
          app,
          service,
          ...[may, may, app === 'operator'].map((it) => (it ? yes : no)),
        ]);
      }
    }
  });

  it('accepts operator messages from the operator only', async () => {
    await serve('accounts');
    const operator = await clientsOf('operator');
    expect(await operator.of('accounts').call('keys.show-by-name', { userName: 'aya' })).toEqual({
      apiKey: 'keys.show-by-name',
    });
    const gateway = await clientsOf('gateway');
    await expect(gateway.of('accounts').call('keys.show-by-name', { userName: 'aya' })).rejects.toMatchObject({
      kind: { code: 'service.unavailable' },
    });
    // A compromised gateway could send the message to the list that it may write to
    const user = connect(requests, 'gateway');
    const [replyKey, keys] = ['rq:{gateway-00000000000000fd}:r', new QueueKeys()];
    const [seconds] = await user.time();
    const frame = { flags: 0, correlation: 1, deadline: (Number(seconds) + 60) * 1_000, ttl: 60_000, headers: {} };
    const payload = Buffer.from(JSON.stringify({ userName: 'aya' }));
    await user.rpush(
      keys.requests('accounts'),
      encodeRequest({ ...frame, replyKey, pattern: 'keys.show-by-name', payload }),
    );
    const popped = await user.blmpop(20, 1, replyKey, 'LEFT');
    expect(popped![1].join()).toContain('request.operator-only');
    expect(popped![1].join()).not.toContain('apiKey');
  });

  it('delivers broadcasts from publishers to subscribers', async () => {
    const received: string[] = [];
    for (const app of broadcastUsers.subscribe) {
      const listener = new BroadcastListener({ redisUrl: requests.urlOf(app), registry: new Registry() });
      closing.push(() => listener.close());
      listener.on('items.changed', () => received.push(app));
      await listener.start();
    }
    for (const app of broadcastUsers.publish) {
      const broadcast = {
        id: 'x',
        name: 'items.changed',
        version: 1,
        occurredAt: '',
        payload: {},
        metadata: {},
      } as const;
      expect(await publishBroadcast(connect(requests, app), broadcast)).toBe(broadcastUsers.subscribe.length);
    }
    await eventually(
      'all broadcasts',
      () => received.length === broadcastUsers.publish.length * broadcastUsers.subscribe.length,
    );
    for (const app of redisUsers.requests.filter((it) => !broadcastUsers.publish.includes(it)))
      expect(await outcomeOf(connect(requests, app), ['PUBLISH', 'rq:broadcasts:0', 'x'])).toBe('NOPERM');
  });

  it('allows sign-in attempt counters, rate limits, drafts of forms and render locks', async () => {
    const attempts = new SignInRateLimiter({ REDIS_REQUESTS_URL: requests.urlOf('accounts') } as AccountsEnv);
    attempts.redisTimeoutMs = 20_000;
    closing.push(() => attempts.onApplicationShutdown());
    expect(await attempts.check('aya', '192.0.2.1', () => Promise.resolve('right'))).toBe('right');
    let draftId = '';
    const cookies = {
      draftIdOf: () => draftId,
      setDraftCookie: (_: unknown, id: string) => (draftId = id),
      clearDraftCookie: () => undefined,
    };
    const limits = { of: () => ({ limit: 3, periodSeconds: 60 }) };
    const env = { REDIS_REQUESTS_URL: requests.urlOf('gateway') };
    const limiter = new RateLimiter(limits as never, env as never, log as never);
    closing.push(() => limiter.onApplicationShutdown());
    await eventually('a count', async () => (await limiter.count('favorites.create', 1))?.remaining !== 3);
    expect((await limiter.peek('favorites.create', 1))?.remaining).toBeLessThan(3);
    const drafts = new FormDrafts(env as never, cookies as never, log as never);
    closing.push(() => drafts.onApplicationShutdown());
    const form = { url: '/x', headers: { 'content-type': 'multipart/form-data' }, body: { given: { title: 'Sun' } } };
    await eventually('a draft', () => drafts.save(form as never, {} as never, { path: '/x', fields: ['title'] }));
    expect(await drafts.take(form as never, {} as never, undefined)).toEqual({ title: 'Sun' });
    const lock = new RenderLock(
      { REDIS_REQUESTS_URL: requests.urlOf('material-rendering') } as RenderingEnv,
      log as never,
    );
    closing.push(() => lock.onApplicationShutdown());
    expect(await lock.tryRun('an image', () => Promise.resolve())).toBe(true);
    expect(await lock.waitForResult('an image', () => Promise.resolve(false))).toBe(false);
    for (const [app, key] of [
      ['social', 'attempts:login:x'],
      ['accounts', 'rate-limit:x:1'],
      ['catalog', 'render-lock:x'],
      ['accounts', 'form-draft:1'],
    ])
      expect(await outcomeOf(connect(requests, app!), ['SET', key!, '1'])).toBe('NOPERM');
  });
});

describe('the Redis of jobs', () => {
  const queueOf = (user: string, service: string): Queue =>
    new Queue(`events-${service}`, { connection: connect(jobs, user), prefix: 'storefront' });
  const event = (name: string, id: string, payload: object = { userId: 7 }): EventEnvelope =>
    ({ id, name, version: 1, occurredAt: new Date().toISOString(), payload, metadata: {} }) as unknown as EventEnvelope;
  const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

  /** Runs a worker in the queue of a service as its user until `count` jobs have ended. */
  async function work(service: ServiceName, consume: (id: string) => Promise<void>, count: number): Promise<void> {
    let ended = 0;
    const worker = new Worker(`events-${service}`, (job) => consume(job.id!), {
      connection: connect(jobs, service),
      prefix: 'storefront',
    });
    worker.on('completed', () => (ended += 1)).on('failed', () => (ended += 1));
    await eventually('the end of the jobs', () => ended === count);
    await worker.close();
  }

  it('delivers the events of each service to its subscribers', async () => {
    let number = 0;
    for (const [service, its] of Object.entries(subscribers)) {
      const errors: Error[] = [];
      const publisher = new Publisher({
        jobsUrl: jobs.urlOf(service),
        requestsUrl: requests.urlOf(service),
        prefix: 'storefront',
        timeoutMs: 20_000,
        onError: (error) => errors.push(error),
        attempts: 1,
        backoffMs: 1_000,
      });
      closing.push(() => publisher.close());
      for (const subscriber of its as ServiceName[]) {
        const done: string[] = [];
        // The second event may have a fair-queue priority, the last two may be batched
        const events = ['user.deleted', 'material.created', 'favorite.placed', 'favorite.placed'].map((name) =>
          event(name, uuid((number += 1))),
        );
        await publisher.publish(subscriber, events);
        // Published again, as after a lost reply
        await publisher.publish(subscriber, events);
        const count = isBatched(subscriber, 'favorite.placed') ? 3 : 4;
        await work(subscriber, (id) => Promise.resolve(void done.push(id)), count);
        expect(done).toHaveLength(count);
      }
      expect(errors).toEqual([]);
    }
  });

  it('lets the operator and the queue board list and retry failed jobs', async () => {
    await queueOf('operator', 'catalog').add('user.deleted', event('user.deleted', uuid(900)), { jobId: uuid(900) });
    await work('catalog', () => Promise.reject(new Error('no')), 1);
    expect(await queueOf('activity', 'catalog').getFailedCount()).toBe(1);
    const failed = new FailedEvents(jobs.urlOf('operator'));
    closing.push(() => failed.close());
    expect((await failed.retry(uuid(900))).map(({ id }) => id)).toEqual([uuid(900)]);
    const queued = new QueuedEvents(jobs.urlOf('operator'));
    closing.push(() => queued.close());
    expect((await queued.snapshot(new Date(0))).get('catalog')!.get('waiting')).toEqual([uuid(900)]);
    await work('catalog', () => Promise.resolve(), 1);
  });

  it('limits each service except activity to its own queue, and to adding jobs to its subscriber queues', async () => {
    for (const app of serviceNames.filter((it) => it !== 'activity')) {
      const user = connect(jobs, app);
      for (const other of serviceNames.filter((it) => it !== app)) {
        const key = `storefront:events-${other}`;
        const publishes = subscribers[app]!.includes(other);
        for (const words of [
          ['LPUSH', `${key}:wait`, 'x'],
          ['HGETALL', `${key}:1`],
          ['RPOP', `${key}:wait`],
          ['LRANGE', `${key}:wait`, '0', '-1'],
          ['ZRANGE', `${key}:completed`, '0', '-1'],
          ['ZREMRANGEBYSCORE', `${key}:failed`, '-inf', '+inf'],
          ['ZREM', `${key}:prioritized`, 'x'],
          ['SET', `${key}:wait`, 'x'],
          ['DEL', `${key}:1`],
          ['UNLINK', key],
        ])
          expect([app, words, await outcomeOf(user, words)]).toEqual([
            ...[app, words],
            publishes && words[0] === 'LPUSH' ? expect.stringMatching(/^replied/) : 'NOPERM',
          ]);
      }
    }
  });
});

it.each(['requests', 'jobs'] as const)(
  'denies administration of the Redis of %s, and connections without a password',
  async (name) => {
    const server = name === 'requests' ? requests : jobs;
    for (const app of redisUsers[name]) {
      const user = connect(server, app);
      for (const words of administration.filter((it) => !isAllowedFlush(name, app, it)))
        expect([app, words, await outcomeOf(user, words)]).toEqual([app, words, 'NOPERM']);
    }
    const stranger = new Redis({ port: server.port, enableReadyCheck: false, retryStrategy: null });
    closing.push(() => stranger.disconnect());
    stranger.on('error', () => undefined);
    await expect(stranger.get('x')).rejects.toThrow(/^NOAUTH/);
    await expect(stranger.call('AUTH', 'gateway', 'a guess')).rejects.toThrow(/^WRONGPASS/);
  },
);
