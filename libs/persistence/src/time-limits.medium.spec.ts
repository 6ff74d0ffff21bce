import { runInCall } from '#request-queue';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { Database, serviceDataSource } from './database.js';
import { poolOf } from './pool-metrics.js';

let db: TestDatabase;

beforeAll(async () => {
  db = await testDatabase('social');
});
afterAll(() => db.close());

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );

describe('a session of a service', () => {
  it('has limits for statements, for locks and for doing nothing in a transaction', async () => {
    const [limits] = await db.database.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(limits).toEqual({ statement: '10s', lock: '5s', idle: '10s' });
  });

  it('gives up a statement over its limit, and says 503', async () => {
    const slow = db.database.transaction(async (tx) => {
      await tx.query("set local statement_timeout = '50ms'");
      await tx.query('select pg_sleep(60)');
    });
    expect(await refusal(slow)).toMatchObject({ kind: { code: 'service.overloaded' } });
  });

  it('gives up to wait for a lock over its limit, and says 503', async () => {
    await db.database.transaction(async (holder) => {
      await holder.query('select pg_advisory_xact_lock(1)');
      const waiting = db.database.transaction(async (tx) => {
        await tx.query("set local lock_timeout = '50ms'");
        await tx.query('select pg_advisory_xact_lock(1)');
      });
      expect(await refusal(waiting)).toMatchObject({ kind: { code: 'service.overloaded' } });
    });
  });

  it('is ended when a transaction does nothing over its limit, and says 503', async () => {
    const idle = db.database.transaction(async (tx) => {
      const [session] = await tx.query<{ pid: number }[]>('select pg_backend_pid() as pid');
      await tx.query("set local idle_in_transaction_session_timeout = '50ms'");
      const left = 'select from pg_stat_activity where pid = $1';
      await eventually('its end', async () => (await db.database.query(left, [session!.pid])).length === 0);
      await tx.query('select 1');
    });
    expect(await refusal(idle)).toMatchObject({ kind: { code: 'service.unavailable' } });
  });
});

describe('a statement with a limit of its own', () => {
  const sleeping = async () =>
    (
      await db.database.query(`select from pg_stat_activity where query like '%pg_sleep(61)%'
    and state = 'active' and pid <> pg_backend_pid()`)
    ).length;

  it('is given up over its limit and says 503, also when all connections wait like that', async () => {
    const source = serviceDataSource({ service: 'social', url: db.url, poolSize: 3, entities: [] });
    const { options, ...extra } = source.options.extra as { readonly options: string };
    // Nothing else ends it
    source.setOptions({ extra: { ...extra, query_timeout: 0, options: `${options} -c statement_timeout=0` } });
    const database = new Database(await source.initialize());
    const late = { status: 503, kind: { code: 'service.overloaded' }, headers: { 'retry-after': '1' } };
    const all = Array.from({ length: 3 }, () => refusal(database.read('select pg_sleep(61)', [], 100)));
    for (const one of all) expect(await one).toMatchObject(late);
    await eventually('nobody sleeps', async () => (await sleeping()) === 0);
    expect(await database.read('select 1 as one', [], 60_000)).toEqual([{ one: 1 }]);
    await source.destroy();
  });

  it('leaves its session to the next one, unless it was given up', async () => {
    const source = serviceDataSource({ service: 'social', url: db.url, poolSize: 1, entities: [] });
    const database = new Database(await source.initialize());
    const session = async (withinMs: number) =>
      (await database.read<{ pid: number }>('select pg_backend_pid() as pid', [], withinMs))[0]!.pid;
    const first = await session(60_000);
    expect(await session(60_000)).toBe(first);
    await refusal(database.read('select pg_sleep(61)', [], 100));
    expect(await session(60_000)).not.toBe(first);
    await source.destroy();
  });
});

describe('a pool whose connections are all in use', () => {
  it('gives up to wait for a connection over its limit, and says 503', async () => {
    const source = serviceDataSource({ service: 'social', url: db.url, poolSize: 1, entities: [] });
    const database = new Database(await source.initialize());
    const { options } = poolOf(source);
    const { connectionTimeoutMillis } = options;
    const away = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
    await database.transaction(() => {
      options.connectionTimeoutMillis = 300;
      return Promise.all([
        expect(database.query('select 1')).rejects.toMatchObject(away),
        expect(database.transaction(() => Promise.resolve())).rejects.toMatchObject(away),
      ]);
    });
    options.connectionTimeoutMillis = connectionTimeoutMillis;
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await source.destroy();
  });
});

describe('a handler whose caller has stopped waiting', () => {
  it('asks the database nothing any more, and begins no transaction', async () => {
    const call = { requestId: 'x', timeoutMs: 0 };
    const asked = runInCall(call, () => db.database.query('select 1'));
    expect(await refusal(asked)).toMatchObject({ kind: { code: 'service.no-answer' } });
    let hasBegun = false;
    const begun = runInCall(call, () => db.database.transaction(() => Promise.resolve((hasBegun = true))));
    expect(await refusal(begun)).toMatchObject({ kind: { code: 'service.no-answer' } });
    expect(hasBegun).toBe(false);
  });

  it('is asked as ever while there is time', async () => {
    const call = { requestId: 'x', timeoutMs: 60_000 };
    expect(await runInCall(call, () => db.database.query('select 1 as one'))).toEqual([{ one: 1 }]);
  });
});
