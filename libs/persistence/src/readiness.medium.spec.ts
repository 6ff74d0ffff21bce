import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import pg from 'pg';
import { readiness } from '#observability';
import { eventually, TcpProxy, testDatabase, type TestDatabase } from '#testing';
import { Database } from './database.js';
import { PersistenceModule } from './persistence.module.js';
import { poolOf } from './pool-metrics.js';

const poolSize = 3;

describe('readiness while the pool is busy', () => {
  let own: TestDatabase;
  let owner: pg.Client;
  let proxy: TcpProxy;
  let app: INestApplicationContext;
  let database: Database;
  let busy: Promise<unknown>;

  /** Occupies all connections and queues as many statements, until `owner` releases its lock. */
  const occupyPool = async (): Promise<void> => {
    await owner.query('select pg_advisory_lock(1)');
    const statements = Array.from({ length: 2 * poolSize }, () =>
      database.query('select pg_advisory_xact_lock_shared(1)'),
    );
    busy = Promise.allSettled(statements);
    const pool = poolOf(database.source);
    await eventually(
      'all connections are in use',
      () => pool.totalCount === poolSize && pool.waitingCount === poolSize,
    );
  };
  const status = async () => (await readiness.report()).parts['database'];
  /** Retries, because the check has a timeout of two seconds, which a busy machine can exceed. */
  const expectReady = () => eventually('the database is ready', async () => (await status()) === 'ok');

  /** The statements that wait for a connection fail after 5 s. */
  const expectBusy = () => expect(poolOf(database.source).waitingCount).toBe(poolSize);

  beforeAll(async () => {
    own = await testDatabase('social');
    owner = new pg.Client(own.ownerUrl);
    await owner.connect();
    proxy = await TcpProxy.before(own.url);
    const service = { service: 'social', url: proxy.url, poolSize, entities: [] } as const;
    app = await NestFactory.createApplicationContext(PersistenceModule.forService(service), { logger: false });
    database = app.get(Database);
  });
  afterEach(async () => {
    await owner.query('select pg_advisory_unlock_all()');
    await busy;
  });
  afterAll(async () => {
    await app.close();
    proxy.close();
    await owner.end();
    await own.close();
  });

  it('is ok, because other replicas would get the work', async () => {
    await occupyPool();
    await expectReady();
    expectBusy();
  });

  it('is ok when the server accepts no further connection', async () => {
    await occupyPool();
    const name = new URL(own.url).pathname.slice(1);
    await owner.query(`alter database "${name}" connection limit ${poolSize}`);
    await expectReady();
    expectBusy();
    await owner.query(`alter database "${name}" connection limit -1`);
  });

  it('is unavailable when the server sends nothing', async () => {
    await occupyPool();
    proxy.disturb({ delayMs: 5_000, stalled: 0 });
    expect(await status()).toBe('unavailable');
    proxy.heal();
    proxy.cut();
    await expectReady();
  });

  it('is unavailable when connections are rejected', async () => {
    await occupyPool();
    proxy.close();
    expect(await status()).toBe('unavailable');
  });
});
