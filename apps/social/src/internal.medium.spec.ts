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

/** Until these are missing, and no others: a busy machine may for a moment take another one for silent. */
function untilMissing(...missing: string[]): Promise<unknown> {
  const states = ['database', 'jobs', 'requests'].map((part) => [part, missing.includes(part) ? 'unavailable' : 'ok']);
  return eventually(`missing: ${missing.join()}`, async () => {
    const answer = await program.ready();
    if (answer?.status !== (missing.length === 0 ? 200 : 503)) return false;
    return String(Object.entries(answer.body.parts).sort()) === String(states);
  });
}

describe('a service', () => {
  it('lives before it is ready', async () => {
    await eventually('it lives', async () => {
      const live = await fetch(`${program.internalUrl}/health/live`).catch(() => undefined);
      return live?.status === 200;
    });
    await untilMissing();
  });

  it('shows what its requests and its database do', async () => {
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

  it('says that nothing waits while there is nothing', async () => {
    const scrape = await eventually('a look at the queue in time', async () => {
      const now = await program.scrape();
      return now.sum('event_queue_oldest_seconds') !== undefined && now;
    });
    expect(scrape.sum('outbox_oldest_seconds', { service: 'social' })).toBe(0);
    expect(scrape.sum('event_queue_oldest_seconds', { service: 'social' })).toBe(0);
    for (const state of ['waiting', 'paused', 'active', 'delayed', 'failed'])
      expect([state, scrape.sum('event_queue_jobs', { service: 'social', state })]).toEqual([state, 0]);
  });

  it('names the database while it is silent, and is ready again when it answers', async () => {
    database.blackhole();
    await untilMissing('database');
    database.heal();
    await untilMissing();
  });

  it('names the Redis of the jobs when it is away, and shows nothing of what it cannot see', async () => {
    jobs.close();
    await untilMissing('jobs');
    // What was seen last is kept for half a second
    const scrape = await eventually('nothing of the queue', async () => {
      const now = await program.scrape();
      return now.sum('event_queue_jobs') === undefined && now;
    });
    expect(scrape.sum('event_queue_oldest_seconds')).toBeUndefined();
    expect(scrape.sum('rq_queue_length')).toBe(0);
  });

  it('names the database, too, when it is away', async () => {
    database.close();
    await untilMissing('database', 'jobs');
    const live = await fetch(`${program.internalUrl}/health/live`);
    expect(live.status).toBe(200);
  });

  it('fails to start on a port that is taken, and says which', async () => {
    const { port } = new URL(program.internalUrl);
    const other = await TestProgram.start('social', { ...environment, INTERNAL_PORT: port });
    expect(await other.ended()).toBe(1);
    expect(other.output).toContain(`INTERNAL_PORT: port ${port} is used by another program`);
  });
});

describe('a service that is asked to end', () => {
  it('is not ready any more at once, and can be asked until it ends', async () => {
    const redisUrl = testRedisUrl();
    const leaving = await TestProgram.start('social', { ...environment, ...unproxied, REDIS_REQUESTS_URL: redisUrl });
    const asking = await openQueueClients({ app: 'gateway', redisUrl, services: ['social'] });
    const owner = new pg.Client(db.ownerUrl);
    await owner.connect();
    try {
      await leaving.untilReady();
      // A request under way keeps it from ending before it was looked at
      await owner.query('begin; lock table social.choices');
      const underWay = asking.of('social').call('choices.list', { viewerId: 1, limit: 20, offset: 0 });
      await eventually(
        'the request is under way',
        async () => ((await leaving.scrape()).sum('database_pool_in_use') ?? 0) > 0,
      );
      leaving.signal('SIGTERM');
      await eventually('it says so', async () => (await leaving.ready())?.status === 503);
      expect((await leaving.ready())!.body.status).toBe('shutting-down');
      await owner.query('rollback');
      expect(await underWay).toMatchObject({ choices: [] });
      expect(await leaving.ended()).toBe(0);
    } finally {
      await owner.end();
      await asking.close();
      await leaving.kill();
    }
  });
});
