import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AbstractLogger, DataSource, MigrationExecutor, type MigrationInterface } from 'typeorm';
import { serviceNames, type ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { MigrationFailure } from './migration-failure.js';
import { LockRetry } from './lock-retry.js';
import { hasReplicator, ensureReplicator, ensureRole, ensureSchema } from './roles.js';

interface MigrateOptions {
  /** URL of the database, with a user who may create schemas and roles. */
  readonly url: string;
  /**
   * Secret from which the passwords of the services' roles are derived. Without it, new roles
   * cannot log in and existing roles are not changed.
   */
  readonly rolesSecret?: string;
  /** Services whose tables are in this database. Default: all. */
  readonly services?: readonly ServiceName[];
  /** Logs a line about each step. */
  readonly log?: (line: string) => void;
  /** Maximum of all waits for locks of one service's migrations. Default: 10 minutes. */
  readonly lockTimeoutMs?: number;
}

const defaultLockTimeoutMs = 600_000;

export type Migration = new () => MigrationInterface;
/** Loads the migrations of a service, oldest first. */
export type LoadMigrations = (service: ServiceName) => Promise<readonly Migration[]>;

const table = 'migrations';

// Key of the advisory lock that serializes migrations of a database. The same in every version
const lockKey = '7305214006021842';

/**
 * Polls, because a session that waits in pg_advisory_lock would block CREATE INDEX CONCURRENTLY.
 */
async function takeLock(owner: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await owner.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as taken`);
    if (rows[0]?.taken) return;
    await sleep(200);
  }
}

/**
 * Logger without output. TypeORM logs every failed attempt, even with `logging` off; failures are
 * thrown, and `LockRetry` logs waits.
 */
class SilentLogger extends AbstractLogger {
  protected override writeLog(): void {
    // Nothing
  }
}

/**
 * Runs the pending migrations of a service, each in a transaction unless it disables that, with
 * retries while other sessions hold locks. Returns their names.
 */
async function runMigrations(
  url: string,
  service: ServiceName,
  migrations: readonly Migration[],
  retry: LockRetry,
): Promise<string[]> {
  const schema = schemaOf(service);
  const source = new DataSource({
    type: 'postgres',
    // Without `driver`, TypeORM loads another copy of pg from node_modules
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
    // Finished migrations of a failed attempt are recorded: the next attempt runs the rest
    await retry.watch(rows[0]!.pid, () => retry.run(() => executor.executePendingMigrations()));
    return pending;
  } finally {
    await source.destroy();
  }
}

async function migrateService(
  owner: pg.Client,
  service: ServiceName,
  options: MigrateOptions,
  loadMigrations: LoadMigrations,
) {
  const migrations = await loadMigrations(service);
  const schema = schemaOf(service);
  const log = (line: string): void => options.log?.(`${schema.padEnd(10)} ${line}`);
  const retry = new LockRetry({ observer: owner, timeoutMs: options.lockTimeoutMs ?? defaultLockTimeoutMs, log });
  const done = await runMigrations(options.url, service, migrations, retry);
  // The role of the service must not write the record of migrations
  await owner.query(`revoke insert, update, delete on "${schema}"."${table}" from "${roleOf(service)}"`);
  log(done.length === 0 ? 'up to date' : done.join(', '));
}

/** Returns the schemas that are replicated from another server (`operator database receive`). */
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
    // Not the URL, which contains a password
    const { host } = new URL(url);
    throw new MigrationFailure(`The database at ${host} cannot be reached: ${(error as Error).message}`);
  }
}

/**
 * Migrates a database to this version: creates the roles of all services, then the schema and
 * grants of each service in this database, then runs its migrations. Schemas that are received from
 * another server are skipped. Services without tables in this database have roles, too, because
 * migrations may grant to them. Idempotent; concurrent runs wait for each other.
 *
 * @throws MigrationFailure with a message of one line, or the error of a failed statement
 */
export async function migrate(options: MigrateOptions, loadMigrations: LoadMigrations): Promise<void> {
  const owner = await connect(options.url);
  try {
    await takeLock(owner);
    // All roles first: a migration may grant to the role of another service
    for (const service of serviceNames) await ensureRole(owner, roleOf(service), options.rolesSecret);
    // A changed secret also changes the password of the replication role
    if (options.rolesSecret !== undefined && (await hasReplicator(owner)))
      await ensureReplicator(owner, options.rolesSecret);
    const received = await receivedSchemas(owner);
    const wanted = serviceNames.filter((service) => options.services?.includes(service) ?? true);
    const migrated = wanted.filter((service) => !received.includes(schemaOf(service)));
    for (const service of migrated) await ensureSchema(owner, service);
    for (const service of migrated) await migrateService(owner, service, options, loadMigrations);
    for (const schema of received) options.log?.(`${schema.padEnd(10)} received from another server`);
  } finally {
    // Ends the session, which releases the lock
    await owner.end();
  }
}
