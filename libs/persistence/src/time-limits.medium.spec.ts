import { runInCall } from '#request-queue';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { Database, serviceDataSource } from './database.js';
import { poolOf } from './pool-metrics.js';

let db: TestDatabase;

beforeAll(async () => {
  db = await testDatabase('social');
});
afterAll(() => db.close());

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );

describe('a session of a service', () => {
  it('has time limits for statements, locks and idle transactions', async () => {
    const [limits] = await db.database.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(limits).toEqual({ statement: '10s', lock: '5s', idle: '10s' });
  });

  it('cancels a statement after its limit, with 503', async () => {
    const slow = db.database.transaction(async (tx) => {
      await tx.query("set local statement_timeout = '50ms'");
      await tx.query('select pg_sleep(60)');
    });
    expect(await outcome(slow)).toMatchObject({ kind: { code: 'service.overloaded' } });
  });

  it('stops waiting for a lock after its limit, with 503', async () => {
    await db.database.transaction(async (holder) => {
      await holder.query('select pg_advisory_xact_lock(1)');
      const waiting = db.database.transaction(async (tx) => {
        await tx.query("set local lock_timeout = '50ms'");
        await tx.query('select pg_advisory_xact_lock(1)');
      });
      expect(await outcome(waiting)).toMatchObject({ kind: { code: 'service.overloaded' } });
    });
  });

  it('is ended when its transaction is idle longer than the limit, with 503', async () => {
    const idle = db.database.transaction(async (tx) => {
      const [session] = await tx.query<{ pid: number }[]>('select pg_backend_pid() as pid');
      await tx.query("set local idle_in_transaction_session_timeout = '50ms'");
      const sessionQuery = 'select from pg_stat_activity where pid = $1';
      await eventually(
        'the session is ended',
        async () => (await db.database.query(sessionQuery, [session!.pid])).length === 0,
      );
      await tx.query('select 1');
    });
    expect(await outcome(idle)).toMatchObject({ kind: { code: 'service.unavailable' } });
  });
});

describe('a statement with a timeout', () => {
  const sleeping = async () =>
    (
      await db.database.query(`select from pg_stat_activity where query like '%pg_sleep(61)%'
    and state = 'active' and pid <> pg_backend_pid()`)
    ).length;

  it('is cancelled with 503, also when it occupies every connection', async () => {
    const source = serviceDataSource({ service: 'social', url: db.url, poolSize: 3, entities: [] });
    const { options, ...extra } = source.options.extra as { readonly options: string };
    // Disables the other limits
    source.setOptions({ extra: { ...extra, query_timeout: 0, options: `${options} -c statement_timeout=0` } });
    const database = new Database(await source.initialize());
    const overloaded = { status: 503, kind: { code: 'service.overloaded' }, headers: { 'retry-after': '1' } };
    const outcomes = Array.from({ length: 3 }, () => outcome(database.read('select pg_sleep(61)', [], 100)));
    for (const each of outcomes) expect(await each).toMatchObject(overloaded);
    await eventually('no statement sleeps', async () => (await sleeping()) === 0);
    expect(await database.read('select 1 as one', [], 60_000)).toEqual([{ one: 1 }]);
    await source.destroy();
  });

  it('reuses its session unless the statement was cancelled', async () => {
    const source = serviceDataSource({ service: 'social', url: db.url, poolSize: 1, entities: [] });
    const database = new Database(await source.initialize());
    const session = async (timeoutMs: number) =>
      (await database.read<{ pid: number }>('select pg_backend_pid() as pid', [], timeoutMs))[0]!.pid;
    const first = await session(60_000);
    expect(await session(60_000)).toBe(first);
    await outcome(database.read('select pg_sleep(61)', [], 100));
    expect(await session(60_000)).not.toBe(first);
    await source.destroy();
  });
});

describe('a pool whose connections are all in use', () => {
  it('stops waiting for a connection after its limit, with 503', async () => {
    const source = serviceDataSource({ service: 'social', url: db.url, poolSize: 1, entities: [] });
    const database = new Database(await source.initialize());
    const { options } = poolOf(source);
    const { connectionTimeoutMillis } = options;
    const unavailable = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
    await database.transaction(() => {
      options.connectionTimeoutMillis = 300;
      return Promise.all([
        expect(database.query('select 1')).rejects.toMatchObject(unavailable),
        expect(database.transaction(() => Promise.resolve())).rejects.toMatchObject(unavailable),
      ]);
    });
    options.connectionTimeoutMillis = connectionTimeoutMillis;
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await source.destroy();
  });
});

describe('a handler after the deadline of its request', () => {
  it('executes no statement and begins no transaction', async () => {
    const call = { requestId: 'x', timeoutMs: 0 };
    const queried = runInCall(call, () => db.database.query('select 1'));
    expect(await outcome(queried)).toMatchObject({ kind: { code: 'service.no-answer' } });
    let hasBegun = false;
    const begun = runInCall(call, () => db.database.transaction(() => Promise.resolve((hasBegun = true))));
    expect(await outcome(begun)).toMatchObject({ kind: { code: 'service.no-answer' } });
    expect(hasBegun).toBe(false);
  });

  it('executes statements before the deadline', async () => {
    const call = { requestId: 'x', timeoutMs: 60_000 };
    expect(await runInCall(call, () => db.database.query('select 1 as one'))).toEqual([{ one: 1 }]);
  });
});
