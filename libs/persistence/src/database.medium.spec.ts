import { jest } from '@jest/globals';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { eventually, TcpProxy, testDatabase, type TestDatabase } from '#testing';
import { Database, serviceDataSource, type Tx, violatedConstraint } from './database.js';
import { poolOf } from './pool-metrics.js';

const unavailable = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
const noAnswer = { status: 504, kind: { code: 'service.no-answer' } };

describe('a database that is lost', () => {
  let own: TestDatabase;
  let owner: pg.Client;
  let proxy: TcpProxy;
  let source: DataSource;
  let database: Database;

  const write = (tx: Database | Tx): Promise<unknown> => tx.query(`insert into effects (note) values ('written')`);
  const prepared = 'insert into effects (note) values ($1)';
  const effects = async () => (await owner.query('select from effects')).rowCount;
  /**
   * Like a server that is stopped: ends the session that sends the query, or those that wait for it. Of this database
   * only: the tests of other files have sessions of that name on the same server.
   */
  const endSessions = () =>
    owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'storefront-social' and datname = current_database()`,
    );

  /** One connection, that waits for a minute instead of 12 seconds: what breaks is what is used next. */
  const connect = async (): Promise<void> => {
    source = serviceDataSource({ service: 'social', url: proxy.url, poolSize: 1, entities: [] });
    source.setOptions({ extra: { ...(source.options.extra as object), query_timeout: 60_000 } });
    database = new Database(await source.initialize());
  };
  /** The connection that there is waits no longer than that from now on: nothing comes back on it. */
  const giveUpSoon = (): void => {
    const { _clients } = poolOf(source) as unknown as {
      readonly _clients: readonly { readonly connectionParameters: { query_timeout: number } }[];
    };
    for (const { connectionParameters } of _clients) connectionParameters.query_timeout = 300;
  };
  const dropResponses = (): void => {
    proxy.dropResponses();
    giveUpSoon();
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

  it('before it confirmed a COMMIT has perhaps committed, which is 504 and not 503', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      dropResponses();
    });
    await expect(written).rejects.toMatchObject(noAnswer);
    await eventually('the COMMIT that arrived', async () => (await effects()) === 1);
  });

  it('before the COMMIT has surely not committed', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      dropResponses();
      await write(tx);
    });
    await expect(written).rejects.toMatchObject(unavailable);
    expect(await effects()).toBe(0);
  });

  it('between two statements of a transaction is away, and no defect', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      await endSessions();
      await eventually('the session is missed', () => tx.queryRunner!.isReleased);
      await write(tx);
    });
    await expect(written).rejects.toMatchObject(unavailable);
    expect(await effects()).toBe(0);
  });

  it('between the last statement and the COMMIT has surely not committed', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      await endSessions();
      await eventually('the session is missed', () => tx.queryRunner!.isReleased);
    });
    await expect(written).rejects.toMatchObject(unavailable);
    expect(await effects()).toBe(0);
  });

  it('before it confirmed a write of one statement has perhaps written', async () => {
    dropResponses();
    await expect(write(database)).rejects.toMatchObject(noAnswer);
    await eventually('the write that arrived', async () => (await effects()) === 1);
  });

  it('before it confirmed a prepared write has perhaps written', async () => {
    dropResponses();
    await expect(database.write(prepared, ['written'])).rejects.toMatchObject(noAnswer);
    await eventually('the write that arrived', async () => (await effects()) === 1);
  });

  it('before a prepared write had a connection has surely not written', async () => {
    proxy.close();
    await eventually('its connections are gone', () =>
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
  ])('while it was read is away: %s', async (_, ask) => {
    dropResponses();
    await expect(ask()).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['a statement', () => database.query('select 1')],
    ['a prepared read', () => database.read('select 1')],
  ])('on a dead link is noticed before the time is over, by asking on another one: %s', async (_, ask) => {
    proxy.blackhole();
    const since = performance.now();
    await expect(ask()).rejects.toMatchObject(unavailable);
    expect(performance.now() - since).toBeLessThan(30_000);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is not taken for lost while it is at work', async () => {
    expect(await database.query('select 1 as one from pg_sleep(6)')).toEqual([{ one: 1 }]);
  });

  it('on a link that is silent for ever is asked on another one by the next statement', async () => {
    proxy.blackhole();
    giveUpSoon();
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

  it('writes at once, gives what it returns, and tells of its commit', async () => {
    const told = jest.fn();
    own.database.onCommit(told);
    expect(await own.database.write(insert, [1, 'one'])).toEqual([{ id: 1 }]);
    expect((await owner.query('select note from effects')).rows).toEqual([{ note: 'one' }]);
    expect(told).toHaveBeenCalledTimes(1);
    await own.database.transaction((tx) => tx.query(`insert into effects values (2, 'two')`));
    expect(told).toHaveBeenCalledTimes(2);
    await own.database.write(insert, [1, 'again']).catch(() => undefined);
    await own.database.transaction(() => Promise.reject(new Error('refused'))).catch(() => undefined);
    expect(told).toHaveBeenCalledTimes(2);
  });

  it('that is refused says by which rule, and costs no connection', async () => {
    const before = await sessions();
    await own.database.write(insert, [1, 'one']);
    const refused: unknown = await own.database.write(insert, [1, 'again']).catch((error: unknown) => error);
    expect(violatedConstraint(refused)).toBe('effects_pkey');
    await expect(own.database.read('select 1 / 0')).rejects.toThrow('division by zero');
    expect(await sessions()).toEqual(before);
  });

  it('that writes is tried again after a deadlock', async () => {
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
