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

// On a separate server, because roles and their passwords belong to the server
describe('the migration of a database', () => {
  const rolesSecret = 'a secret of at least 32 characters';
  let folder: string;
  let server: RunningPostgres;
  let url: string;

  async function query<Row extends pg.QueryResultRow>(address: string, sql: string): Promise<Row[]> {
    const client = new pg.Client(address);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async function emptyDatabase(name: string): Promise<string> {
    await query(server.url, `create database ${name}`);
    return server.url.replace(/postgres$/, name);
  }

  const as = (service: ServiceName, sql: string) => query(serviceDatabaseUrl(url, service, rolesSecret), sql);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-migrate-'));
    server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
    url = await emptyDatabase('first');
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  describe('on a server without the roles of services', () => {
    it('fails with one line when the user may not create roles', async () => {
      await query(server.url, "create role weak login password 'weak'; grant all on database postgres to weak");
      const weak = new URL(server.url);
      [weak.username, weak.password] = ['weak', 'weak'];
      const failure = /^The user of DATABASE_URL may not create the role "storefront_accounts"\. .*$/;
      await expect(migrate({ url: weak.href, rolesSecret }, migrationsOfApp)).rejects.toThrow(failure);
    });

    it('creates roles without a password when there is no secret', async () => {
      await migrate({ url }, migrationsOfApp);
      const roles = await query(server.url, "select rolcanlogin from pg_roles where rolname ~ '^storefront_'");
      expect(roles).toEqual(serviceNames.map(() => ({ rolcanlogin: false })));
    });
  });

  it('sets the passwords of existing roles when there is a secret', async () => {
    await migrate({ url, rolesSecret }, migrationsOfApp);
    expect(await as('social', 'select current_user::text as role')).toEqual([{ role: 'storefront_social' }]);
  });

  it('creates a schema with a record of migrations for every service', async () => {
    const rows = await query<{ schema: string }>(
      url,
      "select table_schema as schema from information_schema.tables where table_name = 'migrations' order by 1",
    );
    expect(rows.map(({ schema }) => schema)).toEqual([...schemaNames].sort());
  });

  it('logs that every schema is up to date when it runs again', async () => {
    const lines: string[] = [];
    await migrate({ url, rolesSecret, log: (line) => lines.push(line) }, migrationsOfApp);
    expect(lines).toHaveLength(serviceNames.length);
    for (const line of lines) expect(line).toMatch(/up to date$/);
  });

  it('creates only the schemas of the given services, and grants to the roles of all', async () => {
    const part = await emptyDatabase('part');
    const lines: string[] = [];
    await migrate({ url: part, rolesSecret, services: ['catalog'], log: (line) => lines.push(line) }, migrationsOfApp);
    // Lines about waits for another session, such as autovacuum, depend on timing
    expect(lines.filter((line) => !line.includes('waiting for session'))).toEqual([
      expect.stringMatching(/^catalog +CreateItems/),
    ]);
    const schemas = await query(
      part,
      "select nspname from pg_namespace where nspname in ('accounts', 'catalog', 'social')",
    );
    expect(schemas).toEqual([{ nspname: 'catalog' }]);
    const isGranted = "select has_table_privilege('storefront_social', 'catalog.titled_products', 'select') as granted";
    expect(await query(part, isGranted)).toEqual([{ granted: true }]);
  });

  it('runs each migration once when two processes start at the same time', async () => {
    const second = await emptyDatabase('second');
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    await Promise.all([
      migrate({ url: second, rolesSecret, log }, migrationsOfApp),
      migrate({ url: second, rolesSecret, log }, migrationsOfApp),
    ]);
    expect(lines.filter((line) => line.endsWith('up to date'))).toHaveLength(serviceNames.length);
    expect(lines.filter((line) => /Create/.test(line))).toHaveLength(serviceNames.length);
  });

  it('allows a service to write its own tables', async () => {
    await query(url, 'create table social.later (value int); create table catalog.later (value int)');
    await as(
      'social',
      'insert into social.later values (1); update social.later set value = 2; delete from social.later',
    );
    expect(await as('social', 'select * from social.later')).toEqual([]);
  });

  it('sets the password of an existing replication role', async () => {
    const role = 'storefront_replication';
    expect(await query(url, `select from pg_roles where rolname = '${role}'`)).toEqual([]);
    await query(url, `create role ${role} login replication password 'derived from an old secret'`);
    await migrate({ url, rolesSecret }, migrationsOfApp);
    const connectWith = (password: string) =>
      query(Object.assign(new URL(url), { username: role, password }).href, 'select 1');
    await expect(connectWith('derived from an old secret')).rejects.toThrow(/password authentication failed/);
    await expect(connectWith(createHmac('sha256', rolesSecret).update(role).digest('hex'))).resolves.toHaveLength(1);
  });

  it.each([
    ['insert into catalog.later values (1)', /permission denied for table later/],
    ['select * from catalog.later', /permission denied for table later/],
    ['create table social.own (value int)', /permission denied for schema social/],
    ['drop table social.later', /must be owner of table later/],
    ['create table public.own (value int)', /permission denied for schema public/],
    ['delete from social.migrations', /permission denied for table migrations/],
    ['create role intruder', /permission denied to create role/],
  ])('does not allow a service: %s', async (sql, reason) => {
    await expect(as('social', sql)).rejects.toThrow(reason);
  });

  it('fails with one line without a password when the database is unreachable', async () => {
    const wrong = server.url.replace(/:\d+\/postgres$/, ':1/postgres');
    const start = migrate({ url: wrong, rolesSecret }, migrationsOfApp);
    await expect(start).rejects.toThrow(/^The database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
  });
});
