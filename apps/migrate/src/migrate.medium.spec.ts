import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type RunningPostgres } from '#dev-stack';
import { type ServiceName, serviceNames } from '#contracts';
import { migrate, serviceDatabaseUrl } from '#migrations';
import { schemaNames } from '#persistence';
import { migrationsOfApp } from '../../migrations.js';

// A server of its own: roles and their passwords belong to a whole cluster, and other tests use theirs
describe('the migration of a database', () => {
  const rolesSecret = 'a secret of at least 32 characters';
  let folder: string;
  let server: RunningPostgres;
  let url: string;

  async function ask<Row extends pg.QueryResultRow>(address: string, sql: string): Promise<Row[]> {
    const client = new pg.Client(address);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async function emptyDatabase(name: string): Promise<string> {
    await ask(server.url, `create database ${name}`);
    return server.url.replace(/postgres$/, name);
  }

  const as = (service: ServiceName, sql: string) => ask(serviceDatabaseUrl(url, service, rolesSecret), sql);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-migrate-'));
    server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
    url = await emptyDatabase('first');
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  describe('of a server without the roles of services', () => {
    it('says in one line that the user may not create roles', async () => {
      await ask(server.url, "create role weak login password 'weak'; grant all on database postgres to weak");
      const weak = new URL(server.url);
      [weak.username, weak.password] = ['weak', 'weak'];
      const failure = /^The user of DATABASE_URL may not create the role "storefront_accounts"\. .*$/;
      await expect(migrate({ url: weak.href, rolesSecret }, migrationsOfApp)).rejects.toThrow(failure);
    });

    it('gives no password to roles that are made without a secret', async () => {
      await migrate({ url }, migrationsOfApp);
      const roles = await ask(server.url, "select rolcanlogin from pg_roles where rolname ~ '^storefront_'");
      expect(roles).toEqual(serviceNames.map(() => ({ rolcanlogin: false })));
    });
  });

  it('gives a password to roles that have none, where there is a secret', async () => {
    await migrate({ url, rolesSecret }, migrationsOfApp);
    expect(await as('social', 'select current_user::text as role')).toEqual([{ role: 'storefront_social' }]);
  });

  it('makes a schema with a record of migrations for every service', async () => {
    const rows = await ask<{ schema: string }>(
      url,
      "select table_schema as schema from information_schema.tables where table_name = 'migrations' order by 1",
    );
    expect(rows.map(({ schema }) => schema)).toEqual([...schemaNames].sort());
  });

  it('does nothing the second time, and says so', async () => {
    const lines: string[] = [];
    await migrate({ url, rolesSecret, say: (line) => lines.push(line) }, migrationsOfApp);
    expect(lines).toHaveLength(serviceNames.length);
    for (const line of lines) expect(line).toMatch(/up to date$/);
  });

  it('makes the tables of some services only, and all roles, where it is told so', async () => {
    const part = await emptyDatabase('part');
    const lines: string[] = [];
    await migrate({ url: part, rolesSecret, services: ['catalog'], say: (line) => lines.push(line) }, migrationsOfApp);
    // Roles belong to the server: migrations of other test files may lock them meanwhile
    expect(lines.filter((line) => !line.includes('waits for session'))).toEqual([
      expect.stringMatching(/^catalog +CreateItems/),
    ]);
    const schemas = await ask(
      part,
      "select nspname from pg_namespace where nspname in ('accounts', 'catalog', 'social')",
    );
    expect(schemas).toEqual([{ nspname: 'catalog' }]);
    const granted = "select has_table_privilege('storefront_social', 'catalog.titled_products', 'select') as it";
    expect(await ask(part, granted)).toEqual([{ it: true }]);
  });

  it('does its work once when two start at the same time', async () => {
    const second = await emptyDatabase('second');
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    await Promise.all([
      migrate({ url: second, rolesSecret, say }, migrationsOfApp),
      migrate({ url: second, rolesSecret, say }, migrationsOfApp),
    ]);
    expect(lines.filter((line) => line.endsWith('up to date'))).toHaveLength(serviceNames.length);
    expect(lines.filter((line) => /Create/.test(line))).toHaveLength(serviceNames.length);
  });

  it('lets a service write its own tables', async () => {
    await ask(url, 'create table social.later (value int); create table catalog.later (value int)');
    await as(
      'social',
      'insert into social.later values (1); update social.later set value = 2; delete from social.later',
    );
    expect(await as('social', 'select * from social.later')).toEqual([]);
  });

  it('gives the role that replicates a new password, where there is one', async () => {
    const role = 'storefront_replication';
    expect(await ask(url, `select from pg_roles where rolname = '${role}'`)).toEqual([]);
    await ask(url, `create role ${role} login replication password 'of an old secret'`);
    await migrate({ url, rolesSecret }, migrationsOfApp);
    const by = (password: string) => ask(Object.assign(new URL(url), { username: role, password }).href, 'select 1');
    await expect(by('of an old secret')).rejects.toThrow(/password authentication failed/);
    await expect(by(createHmac('sha256', rolesSecret).update(role).digest('hex'))).resolves.toHaveLength(1);
  });

  it.each([
    ['insert into catalog.later values (1)', /permission denied for table later/],
    ['select * from catalog.later', /permission denied for table later/],
    ['create table social.own (value int)', /permission denied for schema social/],
    ['drop table social.later', /must be owner of table later/],
    ['create table public.own (value int)', /permission denied for schema public/],
    ['delete from social.migrations', /permission denied for table migrations/],
    ['create role intruder', /permission denied to create role/],
  ])('refuses to a service: %s', async (sql, reason) => {
    await expect(as('social', sql)).rejects.toThrow(reason);
  });

  it('says in one line that the database cannot be reached, without its password', async () => {
    const wrong = server.url.replace(/:\d+\/postgres$/, ':1/postgres');
    const start = migrate({ url: wrong, rolesSecret }, migrationsOfApp);
    await expect(start).rejects.toThrow(/^The database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
  });
});
