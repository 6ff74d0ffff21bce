import { jest } from '@jest/globals';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { eventually, TcpProxy, testDatabase, type TestDatabase } from '#testing';
import { Database, serviceDataSource, type Tx, violatedConstraint } from './database.js';
import { poolOf } from './pool-metrics.js';

const unavailable = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
const noAnswer = { status: 504, kind: { code: 'service.no-answer' } };

describe('a lost connection', () => {
  let own: TestDatabase;
  let owner: pg.Client;
  let proxy: TcpProxy;
  let source: DataSource;
  let database: Database;

  const write = (tx: Database | Tx): Promise<unknown> => tx.query(`insert into effects (note) values ('written')`);
  const prepared = 'insert into effects (note) values ($1)';
  const effects = async () => (await owner.query('select from effects')).rowCount;
  /**
   * Ends the sessions of the service, as a server that stops does. Only those of this database:
   * tests of other files have sessions of the same name on the same server.
   */
  const endSessions = () =>
    owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'storefront-social' and datname = current_database()`,
    );

  /** Opens a pool of one connection, with a timeout of a minute instead of 12 seconds. */
  const connect = async (): Promise<void> => {
    source = serviceDataSource({ service: 'social', url: proxy.url, poolSize: 1, entities: [] });
    source.setOptions({ extra: { ...(source.options.extra as object), query_timeout: 60_000 } });
    database = new Database(await source.initialize());
  };
  /** Reduces the timeout of the open connection. */
  const shortenTimeout = (): void => {
    const { _clients } = poolOf(source) as unknown as {
      readonly _clients: readonly { readonly connectionParameters: { query_timeout: number } }[];
    };
    for (const { connectionParameters } of _clients) connectionParameters.query_timeout = 300;
  };
  const dropResponses = (): void => {
    proxy.dropResponses();
    shortenTimeout();
  };

  beforeAll(async () => {
    own = await testDatabase('social');
    owner = new pg.Client({ connectionString: own.ownerUrl, options: '-c search_path=social' });
    await owner.connect();
    await owner.query('create table effects (note text not null)');
  });

  beforeEach(async () => {
    await owner.query('truncate effects');
    proxy = await TcpProxy.before(own.url);
    await connect();
  });

  afterEach(async () => {
    await source.destroy();
    proxy.close();
  });

  afterAll(async () => {
    await owner.end();
    await own.close();
  });

  it('during the COMMIT gives 504, because it may have committed', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      dropResponses();
    });
    await expect(written).rejects.toMatchObject(noAnswer);
    await eventually('the COMMIT that arrived', async () => (await effects()) === 1);
  });

  it('before the COMMIT gives 503, and nothing is committed', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      dropResponses();
      await write(tx);
    });
    await expect(written).rejects.toMatchObject(unavailable);
    expect(await effects()).toBe(0);
  });

  it('between two statements of a transaction gives 503', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      await endSessions();
      await eventually('the lost session is noticed', () => tx.queryRunner!.isReleased);
      await write(tx);
    });
    await expect(written).rejects.toMatchObject(unavailable);
    expect(await effects()).toBe(0);
  });

  it('between the last statement and the COMMIT gives 503, and nothing is committed', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      await endSessions();
      await eventually('the lost session is noticed', () => tx.queryRunner!.isReleased);
    });
    await expect(written).rejects.toMatchObject(unavailable);
    expect(await effects()).toBe(0);
  });

  it('during a write of one statement gives 504, because it may have written', async () => {
    dropResponses();
    await expect(write(database)).rejects.toMatchObject(noAnswer);
    await eventually('the write that arrived', async () => (await effects()) === 1);
  });

  it('during a prepared write gives 504, because it may have written', async () => {
    dropResponses();
    await expect(database.write(prepared, ['written'])).rejects.toMatchObject(noAnswer);
    await eventually('the write that arrived', async () => (await effects()) === 1);
  });

  it('before a prepared write gives 503', async () => {
    proxy.close();
    await eventually('its connections are closed', () =>
      database.query('select 1').then(
        () => false,
        () => true,
      ),
    );
    await expect(database.write(prepared, ['written'])).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['a statement', () => database.query('  select 1')],
    ['a prepared read', () => database.read('select 1')],
  ])('during a read gives 503: %s', async (_, read) => {
    dropResponses();
    await expect(read()).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['a statement', () => database.query('select 1')],
    ['a prepared read', () => database.read('select 1')],
  ])('without a reset is detected before the timeout by a check on another connection: %s', async (_, read) => {
    proxy.blackhole();
    const startedAt = performance.now();
    await expect(read()).rejects.toMatchObject(unavailable);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is not assumed while the server executes a statement', async () => {
    expect(await database.query('select 1 as one from pg_sleep(6)')).toEqual([{ one: 1 }]);
  });

  it('is closed after the timeout, and the next statement gets another connection', async () => {
    proxy.blackhole();
    shortenTimeout();
    await expect(database.query('select 1')).rejects.toMatchObject(unavailable);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a prepared statement', () => {
  let own: TestDatabase;
  let owner: pg.Client;

  beforeAll(async () => {
    own = await testDatabase('social');
    owner = new pg.Client({ connectionString: own.ownerUrl, options: '-c search_path=social' });
    await owner.connect();
    await owner.query('create table effects (id integer primary key, note text not null)');
  });
  beforeEach(() => owner.query('truncate effects'));

  afterAll(async () => {
    await owner.end();
    await own.close();
  });

  const insert = 'insert into effects (id, note) values ($1, $2) returning id';
  const sessions = () => own.database.query<{ pid: number }>('select pg_backend_pid() as pid');

  it('writes, returns its rows and notifies the commit listeners', async () => {
    const onCommit = jest.fn();
    own.database.onCommit(onCommit);
    expect(await own.database.write(insert, [1, 'one'])).toEqual([{ id: 1 }]);
    expect((await owner.query('select note from effects')).rows).toEqual([{ note: 'one' }]);
    expect(onCommit).toHaveBeenCalledTimes(1);
    await own.database.transaction((tx) => tx.query(`insert into effects values (2, 'two')`));
    expect(onCommit).toHaveBeenCalledTimes(2);
    await own.database.write(insert, [1, 'again']).catch(() => undefined);
    await own.database.transaction(() => Promise.reject(new Error('rejected'))).catch(() => undefined);
    expect(onCommit).toHaveBeenCalledTimes(2);
  });

  it('that violates a constraint gives its name and does not close the connection', async () => {
    const before = await sessions();
    await own.database.write(insert, [1, 'one']);
    const violation: unknown = await own.database.write(insert, [1, 'again']).catch((error: unknown) => error);
    expect(violatedConstraint(violation)).toBe('effects_pkey');
    await expect(own.database.read('select 1 / 0')).rejects.toThrow('division by zero');
    expect(await sessions()).toEqual(before);
  });

  it('that writes is retried after a deadlock', async () => {
    await owner.query(`
      create sequence tries;
      create function third_time() returns bigint language plpgsql as $$
      begin
        if nextval('tries') < 3 then raise exception using errcode = 'deadlock_detected'; end if;
        return currval('tries');
      end $$;
      grant usage on sequence tries to public`);
    expect(await own.database.write('select third_time() as tries', [])).toEqual([{ tries: 3 }]);
  });
});
