import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AbstractLogger, DataSource, MigrationExecutor, type MigrationInterface } from 'typeorm';
import { serviceNames, type ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { MigrationFailure } from './migration-failure.js';
import { LockRetry } from './lock-retry.js';
import { hasReplicator, provideReplicator, provideRole, provideSchema } from './roles.js';

interface MigrateOptions {
  /** The database, as a user who may create schemas and roles. */
  readonly url: string;
  /** The services' roles can log in with passwords made from it; without it they cannot log in. */
  readonly rolesSecret?: string;
  /** Those whose tables are in this database, when it has not all of them. */
  readonly services?: readonly ServiceName[];
  /** Takes the lines that tell what is done. */
  readonly say?: (line: string) => void;
  /** How long the migrations of one service may wait for locks in all. Default: 10 minutes. */
  readonly lockWaitMs?: number;
}

const defaultLockWaitMs = 600_000;

export type Migration = new () => MigrationInterface;
/** Where the migrations of a service come from. */
export type MigrationSource = (service: ServiceName) => Promise<readonly Migration[]>;

const table = 'migrations';

// The same number in every version of this program: it makes a second migration of a database wait for the first
const lock = '7305214006021842';

/** Waits by asking again: a session that sleeps inside pg_advisory_lock would block CREATE INDEX CONCURRENTLY. */
async function takeLock(owner: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await owner.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}) as taken`);
    if (rows[0]?.taken) return;
    await sleep(200);
  }
}

/** TypeORM prints every failed attempt, even with `logging` off. Failures are thrown, waiting is logged by `LockRetry`. */
class SilentLogger extends AbstractLogger {
  protected override writeLog(): void {
    // Nothing
  }
}

/** Runs what is new of a service's migrations, each in its own transaction, retried while other sessions hold locks. */
async function runMigrations(
  url: string,
  service: ServiceName,
  migrations: readonly Migration[],
  retry: LockRetry,
): Promise<string[]> {
  const schema = schemaOf(service);
  const source = new DataSource({
    type: 'postgres',
    // By itself TypeORM looks for another copy of it, in node_modules
    driver: pg,
    url,
    schema,
    migrations: [...migrations],
    migrationsTableName: table,
    logger: new SilentLogger(),
    applicationName: `storefront-migrate-${service}`,
    extra: { max: 2, options: `-c search_path=${schema}` },
  });
  await source.initialize();
  try {
    const runner = source.createQueryRunner();
    const rows = (await runner.query('select pg_backend_pid() as pid')) as { pid: number }[];
    await retry.attach(runner);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'each';
    const pending = (await executor.getPendingMigrations()).map(({ name }) => name);
    // Those that were done before an attempt failed are recorded: the next attempt goes on with the rest
    await retry.watch(rows[0]!.pid, () => retry.run(() => executor.executePendingMigrations()));
    return pending;
  } finally {
    await source.destroy();
  }
}

async function migrateService(owner: pg.Client, service: ServiceName, options: MigrateOptions, from: MigrationSource) {
  const migrations = await from(service);
  const schema = schemaOf(service);
  const log = (line: string): void => options.say?.(`${schema.padEnd(10)} ${line}`);
  const retry = new LockRetry({ observer: owner, giveUpAfterMs: options.lockWaitMs ?? defaultLockWaitMs, log });
  const done = await runMigrations(options.url, service, migrations, retry);
  // The service's role has no business with the record of migrations
  await owner.query(`revoke insert, update, delete on "${schema}"."${table}" from "${roleOf(service)}"`);
  log(done.length === 0 ? 'up to date' : done.join(', '));
}

/** What another server sends is changed by `operator database receive`. */
async function receivedSchemas(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ schema: string }>(
    `select distinct relnamespace::regnamespace::text as schema
     from pg_subscription_rel join pg_class on pg_class.oid = srrelid order by 1`,
  );
  return rows.map(({ schema }) => schema);
}

async function connect(url: string): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: url, application_name: 'storefront-migrate' });
  try {
    await owner.connect();
    return owner;
  } catch (error) {
    // Never the URL itself: it holds a password
    const { host } = new URL(url);
    throw new MigrationFailure(`The database at ${host} cannot be reached: ${(error as Error).message}`);
  }
}

/**
 * Brings a database to what this version needs: a role, a schema and grants for every service, then its migrations.
 * Running it again changes nothing; two at once do it once.
 * Where only some services have their tables, all of them have roles: they may be granted something.
 *
 * @throws MigrationFailure one line that says what is wrong
 */
export async function migrate(options: MigrateOptions, from: MigrationSource): Promise<void> {
  const owner = await connect(options.url);
  try {
    await takeLock(owner);
    // All roles first: a migration may grant to the role of another service
    for (const service of serviceNames) await provideRole(owner, roleOf(service), options.rolesSecret);
    // Whoever knew the old secret knows its old password
    if (options.rolesSecret !== undefined && (await hasReplicator(owner)))
      await provideReplicator(owner, options.rolesSecret);
    const received = await receivedSchemas(owner);
    const wanted = serviceNames.filter((service) => options.services?.includes(service) ?? true);
    const here = wanted.filter((service) => !received.includes(schemaOf(service)));
    for (const service of here) await provideSchema(owner, service);
    for (const service of here) await migrateService(owner, service, options, from);
    for (const schema of received) options.say?.(`${schema.padEnd(10)} received from another server`);
  } finally {
    // Ends the session, and with it the lock
    await owner.end();
  }
}
