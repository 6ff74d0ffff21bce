import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import pg from 'pg';
import { readiness } from '#observability';
import { eventually, TcpProxy, testDatabase, type TestDatabase } from '#testing';
import { Database } from './database.js';
import { PersistenceModule } from './persistence.module.js';
import { poolOf } from './pool-metrics.js';

const poolSize = 3;

describe('a database whose pool is busy', () => {
  let own: TestDatabase;
  let owner: pg.Client;
  let proxy: TcpProxy;
  let app: INestApplicationContext;
  let database: Database;
  let busy: Promise<unknown>;

  /** All connections carry a statement, and as many wait for one, until the owner lets them go on. */
  const keepBusy = async (): Promise<void> => {
    await owner.query('select pg_advisory_lock(1)');
    const all = Array.from({ length: 2 * poolSize }, () => database.query('select pg_advisory_xact_lock_shared(1)'));
    busy = Promise.allSettled(all);
    const pool = poolOf(database.source);
    await eventually('all are busy', () => pool.totalCount === poolSize && pool.waitingCount === poolSize);
  };
  const status = async () => (await readiness.answer()).parts['database'];
  /** It has two seconds to say so, and a machine that is busy may need them for something else. */
  const isThere = () => eventually('it is there', async () => (await status()) === 'ok');

  /** As it was: those that wait give up after 5 s. */
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

  it('is there: the others would have to do its work too', async () => {
    await keepBusy();
    await isThere();
    expectBusy();
  });

  it('is there, too, when the server has room for nobody else', async () => {
    await keepBusy();
    const name = new URL(own.url).pathname.slice(1);
    await owner.query(`alter database "${name}" connection limit ${poolSize}`);
    await isThere();
    expectBusy();
    await owner.query(`alter database "${name}" connection limit -1`);
  });

  it('is not there when nothing comes back from it', async () => {
    await keepBusy();
    proxy.disturb({ delayMs: 5_000, stalled: 0 });
    expect(await status()).toBe('unavailable');
    proxy.heal();
    proxy.cut();
    await isThere();
  });

  it('is not there when nobody listens', async () => {
    await keepBusy();
    proxy.close();
    expect(await status()).toBe('unavailable');
  });
});
