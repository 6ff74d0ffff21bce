import pg from 'pg';
import type { DataSource } from 'typeorm';
import { eventually, TcpProxy, testDatabase, type TestDatabase } from '#testing';
import { Database, serviceDataSource, type Tx } from './database.js';

const unavailable = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
const noAnswer = { status: 504, kind: { code: 'service.no-answer' } };

describe('a database that is lost', () => {
  let own: TestDatabase;
  let owner: pg.Client;
  let proxy: TcpProxy;
  let source: DataSource;
  let database: Database;

  const write = (tx: Database | Tx): Promise<unknown> => tx.query(`insert into effects (note) values ('written')`);
  const effects = async () => (await owner.query('select from effects')).rowCount;
  /** As a server does that is stopped: it ends the session of whoever asks, or of whoever waits for it. */
  const endSessions = () =>
    owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'storefront-social'`);

  /** One connection: what breaks is what is used next. @param queryTimeoutMs instead of 12 seconds */
  const connect = async (queryTimeoutMs: number): Promise<void> => {
    source = serviceDataSource({ service: 'social', url: proxy.url, poolSize: 1, entities: [] });
    source.setOptions({ extra: { ...(source.options.extra as object), query_timeout: queryTimeoutMs } });
    database = new Database(await source.initialize());
  };
  const patient = async (): Promise<void> => {
    await source.destroy();
    await connect(60_000);
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
    await connect(500);
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
      proxy.swallowAnswers();
    });
    await expect(written).rejects.toMatchObject(noAnswer);
    await eventually('the COMMIT that arrived', async () => (await effects()) === 1);
  });

  it('before the COMMIT has surely not committed', async () => {
    const written = database.transaction(async (tx) => {
      await write(tx);
      proxy.swallowAnswers();
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
    proxy.swallowAnswers();
    await expect(write(database)).rejects.toMatchObject(noAnswer);
    await eventually('the write that arrived', async () => (await effects()) === 1);
  });

  it('while it was read is away', async () => {
    proxy.swallowAnswers();
    await expect(database.query('  select 1')).rejects.toMatchObject(unavailable);
  });

  it('on a dead link is noticed before the time is over, by asking on another one', async () => {
    await patient();
    proxy.swallow();
    const since = performance.now();
    await expect(database.query('select 1')).rejects.toMatchObject(unavailable);
    expect(performance.now() - since).toBeLessThan(30_000);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is not taken for lost while it is at work', async () => {
    await patient();
    expect(await database.query('select 1 as one from pg_sleep(6)')).toEqual([{ one: 1 }]);
  });

  it('on a link that is silent for ever is asked on another one by the next statement', async () => {
    proxy.swallow();
    await expect(database.query('select 1')).rejects.toMatchObject(unavailable);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });
});
