import pg from 'pg';
import { openQueueClients, type QueueClients } from '#request-queue';
import { eventually, TcpProxy, testDatabase, type TestDatabase, TestProgram, testRedisUrl } from '#testing';

let db: TestDatabase;
let database: TcpProxy;
let jobs: TcpProxy;
let environment: Record<string, string>;
let unproxied: Record<string, string>;
let program: TestProgram;
let clients: QueueClients;

beforeAll(async () => {
  db = await testDatabase('social');
  const redisUrl = testRedisUrl();
  const jobsUrl = testRedisUrl();
  [database, jobs] = [await TcpProxy.before(db.url), await TcpProxy.before(jobsUrl)];
  unproxied = { DATABASE_URL: db.url, REDIS_JOBS_URL: jobsUrl };
  environment = {
    DATABASE_URL: database.through(db.url),
    REDIS_REQUESTS_URL: redisUrl,
    REDIS_JOBS_URL: jobs.through(jobsUrl),
  };
  program = await TestProgram.start('social', environment);
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['social'] });
});
afterAll(async () => {
  await program.kill();
  await clients.close();
  database.close();
  jobs.close();
  await db.close();
});

/**
 * Waits until exactly these parts are unavailable. On a busy machine another part may be reported
 * as unavailable for a moment.
 */
function waitForUnavailableParts(...unavailable: string[]): Promise<unknown> {
  const states = ['database', 'jobs', 'requests'].map((part) => [
    part,
    unavailable.includes(part) ? 'unavailable' : 'ok',
  ]);
  return eventually(`unavailable: ${unavailable.join()}`, async () => {
    const response = await program.ready();
    if (response?.status !== (unavailable.length === 0 ? 200 : 503)) return false;
    return String(Object.entries(response.body.parts).sort()) === String(states);
  });
}

describe('a service', () => {
  it('is live before it is ready', async () => {
    await eventually('it is live', async () => {
      const live = await fetch(`${program.internalUrl}/health/live`).catch(() => undefined);
      return live?.status === 200;
    });
    await waitForUnavailableParts();
  });

  it('exposes metrics of its requests and its database', async () => {
    const before = await program.scrape();
    await clients.of('social').call('choices.list', { viewerId: 1, limit: 20, offset: 0 });
    const after = await program.scrape();
    const moved = (name: string, labels = {}) => (after.sum(name, labels) ?? 0) - (before.sum(name, labels) ?? 0);
    expect(moved('rq_server_exec_seconds_count', { service: 'social', pattern: 'choices.list' })).toBe(1);
    expect(moved('rq_server_queue_wait_seconds_count')).toBe(1);
    expect(moved('database_pool_wait_seconds_count')).toBeGreaterThan(0);
    expect(moved('nodejs_eventloop_active_seconds_total')).toBeGreaterThan(0);
    expect(after.sum('database_pool_size')).toBe(10);
    expect(after.sum('database_pool_connections')).toBeGreaterThan(0);
    expect(after.sum('database_pool_in_use')).toBe(0);
    expect(after.sum('rq_server_slots', { service: 'social' })).toBe(64);
    expect(after.sum('rq_queue_length', { service: 'social' })).toBe(0);
    expect(after.sum('storefront_build_info', { app: 'social' })).toBe(1);
  });

  it('reports 0 waiting events for empty queues', async () => {
    const scrape = await eventually('a scrape with queue metrics', async () => {
      const now = await program.scrape();
      return now.sum('event_queue_oldest_seconds') !== undefined && now;
    });
    expect(scrape.sum('outbox_oldest_seconds', { service: 'social' })).toBe(0);
    expect(scrape.sum('event_queue_oldest_seconds', { service: 'social' })).toBe(0);
    for (const state of ['waiting', 'paused', 'active', 'delayed', 'failed'])
      expect([state, scrape.sum('event_queue_jobs', { service: 'social', state })]).toEqual([state, 0]);
  });

  it('reports the database as unavailable while it does not respond, and is ready when it responds again', async () => {
    database.blackhole();
    await waitForUnavailableParts('database');
    database.heal();
    await waitForUnavailableParts();
  });

  it('reports the Redis of the jobs as unavailable when it is down, and omits the metrics of its queue', async () => {
    jobs.close();
    await waitForUnavailableParts('jobs');
    // The last values are cached for half a second
    const scrape = await eventually('no metrics of the queue', async () => {
      const now = await program.scrape();
      return now.sum('event_queue_jobs') === undefined && now;
    });
    expect(scrape.sum('event_queue_oldest_seconds')).toBeUndefined();
    expect(scrape.sum('rq_queue_length')).toBe(0);
  });

  it('also reports the database as unavailable when it is down, and stays live', async () => {
    database.close();
    await waitForUnavailableParts('database', 'jobs');
    const live = await fetch(`${program.internalUrl}/health/live`);
    expect(live.status).toBe(200);
  });

  it('fails to start on a port in use and logs the port', async () => {
    const { port } = new URL(program.internalUrl);
    const other = await TestProgram.start('social', { ...environment, INTERNAL_PORT: port });
    expect(await other.ended()).toBe(1);
    expect(other.output).toContain(`INTERNAL_PORT: port ${port} is used by another program`);
  });
});

describe('a service that receives SIGTERM', () => {
  it('reports that it is shutting down, and responds to probes and open requests before it exits', async () => {
    const redisUrl = testRedisUrl();
    const closing = await TestProgram.start('social', { ...environment, ...unproxied, REDIS_REQUESTS_URL: redisUrl });
    const callers = await openQueueClients({ app: 'gateway', redisUrl, services: ['social'] });
    const owner = new pg.Client(db.ownerUrl);
    await owner.connect();
    try {
      await closing.untilReady();
      // A request in flight delays the exit until readiness was probed
      await owner.query('begin; lock table social.choices');
      const inFlight = callers.of('social').call('choices.list', { viewerId: 1, limit: 20, offset: 0 });
      await eventually(
        'the request is in flight',
        async () => ((await closing.scrape()).sum('database_pool_in_use') ?? 0) > 0,
      );
      closing.signal('SIGTERM');
      await eventually('it is not ready', async () => (await closing.ready())?.status === 503);
      expect((await closing.ready())!.body.status).toBe('shutting-down');
      await owner.query('rollback');
      expect(await inFlight).toMatchObject({ choices: [] });
      expect(await closing.ended()).toBe(0);
    } finally {
      await owner.end();
      await callers.close();
      await closing.kill();
    }
  });
});
