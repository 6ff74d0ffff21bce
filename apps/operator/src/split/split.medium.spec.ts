import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { type ServiceName, serviceNames } from '#contracts';
import { startPostgres, type RunningPostgres } from '#dev-stack';
import { openQueueClients, type QueueClients } from '#request-queue';
import { eventually, TestProgram, testRedisUrl } from '#testing';
import { seed } from '../../../../tools/bench/calls/seed.js';
import { migrate, serviceDatabaseUrl, ensureReplicator } from '#migrations';
import { openDatabase } from '../connections/database.js';
import type { Ends } from './ends.js';
import { move } from './move.js';
import { receive } from './receive.js';
import { migrationsOfApp } from '../../../migrations.js';

// Moves a service to a separate server, as in docs/operations.md, with two servers and the apps as
// processes

const rolesSecret = randomBytes(32).toString('hex');
const noOutput = (): void => undefined;
const creator = 1;
const creatorEmail = 'creator@example.com';

let folder: string;
const servers: RunningPostgres[] = [];
const urls: string[] = [];
const owners: pg.Client[] = [];
const programs: TestProgram[] = [];
let clients: QueueClients;

/** Starts PostgreSQL with logical replication. */
async function logicalServer(name: string): Promise<RunningPostgres> {
  const dataDir = join(folder, name);
  const plain = await startPostgres({ dataDir, durable: false });
  const admin = await openDatabase(plain.url, 'test');
  await admin.query('alter system set wal_level = logical');
  // A failed subscription retries after 500 ms instead of the default 5 s
  await admin.query("alter system set wal_retrieve_retry_interval = '500ms'");
  await admin.query('create database shop');
  await admin.end();
  await plain.stop();
  return startPostgres({ dataDir, durable: false, port: plain.port });
}

const between = (from: number, to: number): Ends => ({
  from: owners[from]!,
  to: owners[to]!,
  url: urls[from]!,
  rolesSecret,
});

/** Runs `work` with new sessions, for operations that close them. */
async function withSessions<R>(from: number, to: number, work: (ends: Ends) => Promise<R>): Promise<R> {
  const sessions = [await openDatabase(urls[from]!, 'test'), await openDatabase(urls[to]!, 'test')] as const;
  try {
    return await work({ ...between(from, to), from: sessions[0], to: sessions[1] });
  } finally {
    for (const session of sessions) await session.end();
  }
}

const moveCatalog = (print = noOutput, withinMs?: number): Promise<number> =>
  withSessions(0, 1, (ends) => move(ends, 'catalog', print, withinMs));

async function rows<Row extends pg.QueryResultRow>(at: number, sql: string): Promise<Row[]> {
  return (await owners[at]!.query<Row>(sql)).rows;
}

async function as<Row extends pg.QueryResultRow>(service: ServiceName, at: number, sql: string): Promise<Row[]> {
  const client = await openDatabase(serviceDatabaseUrl(urls[at]!, service, rolesSecret), 'test');
  return (await client.query<Row>(sql).finally(() => client.end())).rows;
}

const firstPage = { viewerId: 0, limit: 20, offset: 0 };
const listed = async (userId = creator) => {
  const { products } = await clients.of('catalog').call('products.list', { ...firstPage, userId });
  return products;
};
const shownNames = async (userId?: number): Promise<(string | null)[]> => [
  ...new Set((await listed(userId)).map(({ material }) => material.user.displayName)),
];
const rename = (displayName: string) => clients.of('accounts').call('users.update', { viewerId: creator, displayName });

/**
 * Returns the milliseconds from the reply of accounts until the page of catalog has the new name.
 */
async function msUntilShown(displayName: string): Promise<number> {
  await rename(displayName);
  const since = performance.now();
  await eventually(`the page shows ${displayName}`, async () => (await shownNames()).join() === displayName);
  return performance.now() - since;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-split-'));
  for (const name of ['first', 'second']) servers.push(await logicalServer(name));
  urls.push(...servers.map(({ url }) => url.replace(/postgres$/, 'shop')));
  for (const url of urls) owners.push(await openDatabase(url, 'test'));
  await migrate({ url: urls[0]!, rolesSecret }, migrationsOfApp);
  await migrate({ url: urls[1]!, rolesSecret, services: ['catalog'] }, migrationsOfApp);
  await owners[0]!.query(
    `insert into accounts.users (id, name, email, password_hash) overriding system value
     values (${creator}, 'creator', '${creatorEmail}', 'the hash of a password')`,
  );
  await seed(urls[0]!, { products: 500, users: 20, items: 8, creators: [creator] });
  // The seed creates this table for measurements
  await owners[0]!.query('drop table catalog.floor_outbox');
}, 120_000);

afterAll(async () => {
  for (const program of programs) await program.kill();
  // Undefined if the setup failed; the servers must be stopped anyway
  await (clients as QueueClients | undefined)?.close();
  for (const owner of owners) await owner.end();
  for (const server of servers) await server.stop();
  await rm(folder, { recursive: true });
});

describe('a receiving database', () => {
  it('times out for a publisher that does not respond', async () => {
    const sockets: Socket[] = [];
    const unresponsive = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(unresponsive, 'listening');
    const connection = `host=127.0.0.1 port=${(unresponsive.address() as AddressInfo).port} dbname=shop`;
    await expect(receive(between(0, 1), ['catalog'], { connection, withinMs: 1_000 }, noOutput)).rejects.toThrow(
      /^The receiving server cannot subscribe: .*statement timeout/,
    );
    for (const socket of sockets) socket.destroy();
    unresponsive.close();
    // The created tables remain; the next `receive` replaces them
    expect(await rows(1, 'select from accounts.users')).toEqual([]);
  });

  it('does not replace a schema of another origin', async () => {
    await owners[1]!.query('alter schema accounts rename to theirs; create schema accounts');
    await expect(receive(between(0, 1), ['catalog'], {}, noOutput)).rejects.toThrow(
      /^The receiving database already has the schema accounts\./,
    );
    await owners[1]!.query('drop schema accounts; alter schema theirs rename to accounts');
  });

  it('rejects a second receive while one is running', async () => {
    await owners[1]!.query('select pg_advisory_lock(7305214006021843)');
    const second = withSessions(0, 1, (ends) => receive(ends, ['catalog'], {}, noOutput));
    await expect(second).rejects.toThrow(/^Another `receive` is running/);
    await owners[1]!.query('select pg_advisory_unlock(7305214006021843)');
  });
});

describe('tables of accounts that catalog reads, on another server', () => {
  beforeAll(() => receive(between(0, 1), ['catalog'], {}, noOutput));

  it('have exactly the granted columns', async () => {
    const granted = await rows(
      0,
      `select table_name as name, string_agg(column_name, ',' order by column_name) as columns
       from information_schema.column_privileges
       where grantee = 'storefront_catalog' and table_schema = 'accounts' group by 1 order by 1`,
    );
    const received = await rows(
      1,
      `select table_name as name, string_agg(column_name, ',' order by column_name) as columns
       from information_schema.columns where table_schema = 'accounts' group by 1 order by 1`,
    );
    expect(received).toEqual(granted);
    expect(received.map(({ name }) => name as string)).toEqual([
      'data_versions',
      'deleted_users',
      'identities',
      'users',
    ]);
    const sent = await rows<{ attnames: string }>(0, 'select attnames::text from pg_publication_tables');
    for (const { attnames } of sent) expect(attnames).not.toMatch(/email|password/);
  });

  it('have the existing rows', async () => {
    const [there] = await rows(1, 'select count(*)::int, min(id)::int from accounts.users');
    expect(there).toEqual({ count: 21, min: 0 });
  });

  it('are readable for catalog and not for social, and not writable for catalog', async () => {
    expect(await as('catalog', 1, 'select id from accounts.users limit 1')).toHaveLength(1);
    await expect(as('social', 1, 'select id from accounts.users')).rejects.toThrow(/permission denied/);
    await expect(as('catalog', 1, 'delete from accounts.users')).rejects.toThrow(/permission denied/);
  });

  it('are readable for the replication role in the granted columns only, as access tokens are not at all', async () => {
    const url = new URL(urls[0]!);
    Object.assign(url, await ensureReplicator(owners[0]!, rolesSecret), { username: 'storefront_replication' });
    const replicator = await openDatabase(url.href, 'test');
    try {
      expect((await replicator.query('select id, name from accounts.users')).rows).toHaveLength(21);
      await expect(replicator.query('select email from accounts.users')).rejects.toThrow(/permission denied/);
      await expect(replicator.query('select * from accounts.access_tokens')).rejects.toThrow(/permission denied/);
    } finally {
      await replicator.end();
    }
  });

  it('have the index of user names', async () => {
    const [{ indexdef } = {}] = await rows(
      1,
      `select indexdef from pg_indexes where schemaname = 'accounts' and indexdef like '%lower(name)%'`,
    );
    expect(indexdef).toMatch(/^CREATE INDEX/);
  });

  it('are created once; a second receive updates the password', async () => {
    const others = { ...between(0, 1), rolesSecret: randomBytes(32).toString('hex') };
    const lines: string[] = [];
    await receive(others, ['catalog'], {}, (line) => lines.push(line));
    expect(lines).toEqual([expect.stringMatching(/^storefront_catalog_from_accounts already exists/)]);
    await owners[0]!.query('select pg_terminate_backend(pid) from pg_stat_replication');
    await owners[0]!.query(`update accounts.users set display_name = 'by a new password' where id = ${creator}`);
    const shown = `select from accounts.users where display_name = 'by a new password'`;
    await eventually('it is shown', async () => (await rows(1, shown)).length === 1);
    await receive(between(0, 1), ['catalog'], {}, noOutput);
  });

  it('are not extended when more columns are granted', async () => {
    await owners[0]!.query('grant select (email) on accounts.users to storefront_catalog');
    await expect(receive(between(0, 1), ['catalog'], {}, noOutput)).rejects.toThrow(
      'The publication storefront_catalog_from_accounts differs from the granted columns',
    );
    await owners[0]!.query('revoke select (email) on accounts.users from storefront_catalog');
  });

  it('are not shared with another service', async () => {
    await expect(receive(between(0, 1), ['social'], {}, noOutput)).rejects.toThrow(
      /^The receiving database already has the schema accounts\. .* receive for all services of that database at once\.$/,
    );
  });

  it('stay subscribed when another database is configured by mistake', async () => {
    await owners[1]!.query('create database mistaken');
    const to = await openDatabase(urls[1]!.replace(/shop$/, 'mistaken'), 'test');
    await to.query('create schema catalog; create table catalog.migrations ()');
    const before = await rows(0, 'select oid from pg_publication');
    const mistaken = receive({ ...between(0, 1), to }, ['catalog'], {}, noOutput).finally(() => to.end());
    await expect(mistaken).rejects.toThrow(
      /replication slot storefront_catalog_from_accounts, .* Check RECEIVING_DATABASE_URL\./,
    );
    expect(await rows(0, 'select oid from pg_publication')).toEqual(before);
  });
});

describe('the rows of catalog', () => {
  it('are not moved while catalog runs', async () => {
    const running = await openDatabase(serviceDatabaseUrl(urls[0]!, 'catalog', rolesSecret), 'test');
    await expect(moveCatalog()).rejects.toThrow(/^catalog has \d+ connections .* stop it first/);
    await running.end();
    await eventually('all sessions are closed', async () => {
      const others = await rows(0, `select from pg_stat_activity where usename = 'storefront_catalog'`);
      return others.length === 0;
    });
  });

  it('are not moved, and no lock remains, when the target rejects a row', async () => {
    for (const at of [0, 1]) await owners[at]!.query('create table catalog.bulk (id int primary key, filler text)');
    await owners[0]!.query(`insert into catalog.bulk select i, repeat('x', 500) from generate_series(1, 100000) i`);
    await owners[1]!.query('alter table catalog.bulk add constraint rejecting check (id <> 10)');
    await expect(moveCatalog()).rejects.toThrow(/violates check constraint "rejecting"/);
    const locks = `select from pg_locks where mode in ('ShareLock', 'AccessExclusiveLock') and relation is not null`;
    for (const at of [0, 1]) await eventually('nothing is locked', async () => (await rows(at, locks)).length === 0);
    for (const at of [0, 1]) await owners[at]!.query('drop table catalog.bulk');
    expect(await rows(1, 'select from catalog.products')).toEqual([]);
  });

  it.each([0, 1])('are not moved when a table is locked on server %d', async (at) => {
    await owners[at]!.query('begin; lock table catalog.products in row exclusive mode');
    await expect(moveCatalog(noOutput, 500)).rejects.toThrow('canceling statement due to lock timeout');
    await owners[at]!.query('rollback');
  });

  it('are not moved into the same database', async () => {
    const same = withSessions(0, 0, (ends) => move(ends, 'catalog', noOutput));
    await expect(same).rejects.toThrow(/is not empty in the target database/);
  });

  it('can be moved again when only the target has committed', async () => {
    // The rename of the schema inserts a row that violates a constraint at commit
    await owners[0]!.query(`
      create table public.late (id int primary key, before int references public.late deferrable initially deferred);
      create function public.reject() returns event_trigger language plpgsql
        as 'begin insert into public.late values (1, 2); end';
      create event trigger rejecting on ddl_command_end when tag in ('ALTER SCHEMA') execute function public.reject()`);
    await expect(moveCatalog()).rejects.toThrow(
      /^All rows were copied, but .*late_before_fkey.* If DATABASE_URL has catalog_moved now, .* drop schema catalog cascade in the/,
    );
    await owners[0]!.query('drop event trigger rejecting; drop function public.reject; drop table public.late');
    expect(await rows(0, 'select from catalog.products limit 1')).toHaveLength(1);
    await expect(moveCatalog()).rejects.toThrow(/is not empty in the target database/);
    await owners[1]!.query('drop schema catalog cascade');
    await migrate({ url: urls[1]!, rolesSecret, services: ['catalog'] }, migrationsOfApp);
  });

  it('are moved with their sequences', async () => {
    const everything = (schema: string) =>
      `select count(*)::int, md5(string_agg(p::text, ',' order by id)), nextval('${schema}.products_id_seq')
       from ${schema}.products p`;
    const written: Promise<string>[] = [];
    // Write of a service that is started too early
    const writeLate = (): void => {
      const late = as('catalog', 0, 'update catalog.products set published = false');
      written.push(
        late.then(
          () => 'written',
          (error: unknown) => (error as Error).message,
        ),
      );
    };
    expect(await moveCatalog(writeLate)).toBeGreaterThan(600);
    expect(new Set(await Promise.all(written))).toEqual(new Set(['relation "catalog.products" does not exist']));
    expect(await rows(1, everything('catalog'))).toEqual(await rows(0, everything('catalog_moved')));
    await expect(moveCatalog()).rejects.toThrow(/^DATABASE_URL has the schema catalog_moved of an earlier move/);
  });

  it('are replicated back to services that read them, with the view', async () => {
    const { tables } = await receive(between(1, 0), ['social'], {}, noOutput);
    expect(tables.map((table) => table.split(' ')[0])).toEqual([
      'catalog.items',
      'catalog.materials',
      'catalog.products',
    ]);
    const visible =
      'select count(*)::int, count(*) filter (where listed)::int as listed, max(title) from catalog.titled_products';
    expect(await as('social', 0, visible)).toEqual(await rows(1, visible));
    const lines: string[] = [];
    await migrate({ url: urls[0]!, rolesSecret, log: (line) => lines.push(line) }, migrationsOfApp);
    expect(lines).toContain('catalog    received from another server');
    expect(lines).toHaveLength(serviceNames.length);
    await owners[1]!.query('update catalog.products set published = false where id = 7');
    const seen = () => as<{ listed: boolean }>('social', 0, 'select listed from catalog.products where id = 7');
    await eventually('it is hidden', async () => !(await seen())[0]!.listed);
    await expect(as('social', 0, 'select title from catalog.materials')).rejects.toThrow(/permission denied/);
  });
});

describe('catalog on the second server', () => {
  beforeAll(async () => {
    const [requests, jobs] = [testRedisUrl(), testRedisUrl()];
    const common = { REDIS_REQUESTS_URL: requests, REDIS_JOBS_URL: jobs, BASE_URL: 'https://shop.example.com' };
    const secrets = { KEY_ENCRYPTION_SECRET: 'k'.repeat(32), IMAGE_SIGNING_SECRET: 's'.repeat(32) };
    for (const [at, app] of (['accounts', 'catalog'] as const).entries()) {
      const DATABASE_URL = serviceDatabaseUrl(urls[at]!, app, rolesSecret);
      programs.push(await TestProgram.start(app, { ...common, ...secrets, DATABASE_URL, LOG_LEVEL: 'warn' }));
    }
    for (const program of programs) await program.untilReady();
    clients = await openQueueClients({ app: 'operator', redisUrl: requests, services: ['accounts', 'catalog'] });
  }, 150_000);

  it('shows a changed display name within a second in cached pages under load', async () => {
    for (let time = 0; time < 3; time++) expect(await listed()).toHaveLength(20);
    let isMeasured = false;
    let served = 0;
    const visitors = Array.from({ length: 8 }, async () => {
      while (!isMeasured) served += (await listed()).length > 0 ? 1 : 0;
    });
    await eventually('visitors are served', () => served > 20);
    // Repeated, because a busy machine may take longer
    const times: number[] = [];
    do times.push(await msUntilShown(`Sea Glass ${times.length}`));
    while (times.at(-1)! >= 1_000 && times.length < 10);
    isMeasured = true;
    await Promise.all(visitors);
    console.log(`display name shown after ${times.map(Math.round).join(', ')} ms, during ${served} other requests`);
    expect(Math.min(...times)).toBeLessThan(1_000);
  });

  it('shows new users and their products', async () => {
    const email = 'new@example.com';
    const { id } = await clients
      .of('accounts')
      .call('users.create', { name: 'newcomer', email, password: 'a password of theirs', displayName: 'Newcomer' });
    await eventually('the user is known', async () => {
      return (await rows(1, `select from accounts.users where id = ${id}`)).length === 1;
    });
    await owners[1]!.query(`update catalog.materials set user_id = ${id} where id = 1`);
    expect(await shownNames(id)).toEqual(['Newcomer']);
    const all = await rows<{ row: string }>(1, 'select u::text as row from accounts.users u');
    expect(all.filter(({ row }) => row.includes('@example.com') || row.includes('hash'))).toEqual([]);
  });

  it('shows no products of a deleted user', async () => {
    const [{ id } = {}] = await rows<{ id: number }>(1, `select id from accounts.users where name = 'newcomer'`);
    expect(await listed(id)).not.toEqual([]);
    await clients.of('accounts').call('users.remove', { name: 'newcomer' });
    await eventually('nothing is shown', async () => (await listed(id)).length === 0);
    // `user.deleted` may arrive before the replicated rows
    await eventually('the user is deleted', async () => {
      return (await rows(1, `select from accounts.users where id = ${id}`)).length === 0;
    });
  });

  it('receives changes made while its server was down', async () => {
    await owners[1]!.end();
    await servers[1]!.stop();
    await rename('While you were out');
    servers[1] = await startPostgres({ dataDir: join(folder, 'second'), durable: false, port: servers[1]!.port });
    owners[1] = await openDatabase(urls[1]!, 'test');
    const since = performance.now();
    await eventually(
      'the page shows it',
      () =>
        shownNames().then(
          (names) => names.join() === 'While you were out',
          () => false,
        ),
      60_000,
    );
    console.log(`caught up ${Math.round(performance.now() - since)} ms after the server was back`);
  }, 120_000);
});
