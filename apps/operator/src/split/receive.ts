import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceName } from '#contracts';
import { schemaNames, schemaOf } from '#persistence';
import { ensureReplicator } from '#migrations';
import type { Ends } from './ends.js';
import { SplitFailure } from './failure.js';
import {
  publishedColumns,
  publishedTo,
  type Published,
  receivingTables,
  relation,
  schemasOf,
  sentColumns,
} from './published.js';

/** Receives progress messages, one line each. */
export type PrintLine = (line: string) => void;

interface Received {
  /** Name of the publication, the subscription and its slot. */
  readonly name: string;
  readonly tables: readonly string[];
}

/** Returns the libpq connection string of the publishing server, without user and password. */
export function connectionTo(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const sslmode = searchParams.get('sslmode');
  return [
    `host=${hostname}`,
    `port=${port || '5432'}`,
    `dbname=${decodeURIComponent(pathname.slice(1))}`,
    ...(sslmode ? [`sslmode=${sslmode}`] : []),
  ].join(' ');
}

/** Connection of the receiving server to the publisher. */
interface Publisher {
  /**
   * libpq connection string, if the receiving server reaches the publisher by another address than
   * DATABASE_URL.
   */
  readonly connection?: string | undefined;
  /** Timeout of creating the subscription, which connects and creates the replication slot. */
  readonly withinMs?: number;
}

// Key of the advisory lock, which must be the same in all versions. The session of an interrupted
// run has the lock until its current statement ends
const lockKey = '7305214006021843';

/**
 * Replicates the tables that services read of others into a database on another server: creates a
 * publication of the granted columns and those that they need, the tables, and a subscription.
 * Returns when all rows are copied. If the subscription exists, only its password and address are
 * updated; the remains of an interrupted run are replaced.
 *
 * @throws SplitFailure
 */
export async function receive(
  ends: Ends,
  services: readonly ServiceName[],
  publisher: Publisher,
  print: PrintLine,
): Promise<Received> {
  const { rows } = await ends.to.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lockKey}) as taken`);
  if (!rows[0]!.taken)
    throw new SplitFailure(
      'Another `receive` is running in the receiving database, or was interrupted less than a minute ago: wait.',
    );
  try {
    return await receiveLocked(ends, services, publisher, print);
  } finally {
    // An ended session has released the lock
    await ends.to.query(`reset statement_timeout; select pg_advisory_unlock(${lockKey})`).catch(() => undefined);
  }
}

async function receiveLocked(
  { from, to, url, rolesSecret }: Ends,
  services: readonly ServiceName[],
  { connection, withinMs }: Publisher,
  print: PrintLine,
): Promise<Received> {
  if (rolesSecret === undefined)
    throw new SplitFailure('DATABASE_ROLES_SECRET is missing: the replication role needs its password.');
  await needLogicalWal(from);
  const published = await publishedTo(from, services, await schemasBetween(from, to));
  if (published.tables.length === 0)
    throw new SplitFailure(
      `${services.join(', ')} need no schema of DATABASE_URL: the receiving database has all schemas that they read.`,
    );
  const name = ['storefront', ...services.map(schemaOf), 'from', ...schemasOf(published)].join('_');
  const exists = await isSubscribed(from, to, name);
  if (exists) await rejectOtherColumns(from, name, published);
  const remains = exists ? [] : await interruptedSchemas(to, published);
  const replicator = await ensureReplicator(from, rolesSecret);
  // Later parameters take precedence, so that `connection` may name another role
  const login = `user=${replicator.role} password=${replicator.password}`;
  const connectionString = to.escapeLiteral(`${login} ${connection ?? connectionTo(url)}`);
  const tables = published.tables.map((table) => `${table.schema}.${table.table} (${publishedColumns(table)})`);
  if (exists) {
    await to.query(`alter subscription "${name}" connection ${connectionString}`);
    print(`${name} already exists; its password and address are up to date`);
  } else {
    for (const statement of publication(name, published, replicator.role)) await from.query(statement);
    for (const table of tables) print(table);
    await makeTables(to, [
      ...remains.map((schema) => `drop schema "${schema}" cascade`),
      ...receivingTables(published, services),
      ...schemasOf(published).map((schema) => `comment on schema "${schema}" is '${schemaComment}${name}'`),
    ]);
    await subscribe(to, name, connectionString, withinMs);
  }
  await waitUntilCopied(to, name);
  return { name, tables };
}

/**
 * Prefix of the comment on a received schema, by which the schemas of an interrupted run are found.
 */
const schemaComment = 'received by the subscription ';

/** @throws SplitFailure if only one of slot and subscription exists */
async function isSubscribed(from: pg.Client, to: pg.Client, name: string): Promise<boolean> {
  const { rows: slots } = await from.query('select from pg_replication_slots where slot_name = $1', [name]);
  const { rows: subscriptions } = await to.query(
    'select from pg_subscription where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())',
    [name],
  );
  if (slots.length > subscriptions.length)
    throw new SplitFailure(
      `The server of DATABASE_URL has the replication slot ${name}, and the receiving database no such subscription. Check ` +
        'RECEIVING_DATABASE_URL. If the slot is unused: ' +
        `select pg_drop_replication_slot('${name}'), and receive again.`,
    );
  if (slots.length < subscriptions.length)
    throw new SplitFailure(
      `The receiving database has the subscription ${name}, and the server of DATABASE_URL no such replication slot. Check ` +
        `DATABASE_URL. If the slot is lost: alter subscription "${name}" disable, alter subscription ` +
        `"${name}" set (slot_name = none), drop subscription "${name}", and receive again.`,
    );
  return slots.length > 0;
}

async function rejectOtherColumns(from: pg.Client, name: string, published: Published): Promise<void> {
  const { rows } = await from.query<{ table: string; columns: string[] }>(
    `select format('"%s"."%s"', schemaname, tablename) as table, attnames::text[] as columns
     from pg_publication_tables where pubname = $1`,
    [name],
  );
  const described = (table: string, columns: readonly string[]): string => `${table} ${columns.toSorted().join()}`;
  const current = rows.map(({ table, columns }) => described(table, columns)).toSorted();
  const expected = published.tables.map((it) => described(relation(it), sentColumns(it))).toSorted();
  if (current.join() !== expected.join())
    throw new SplitFailure(
      `The publication ${name} differs from the granted columns: drop subscription "${name}" in the receiving ` +
        'database, and receive again.',
    );
}

/**
 * Returns the schemas of an interrupted run, which have the comment of a received schema and no
 * subscription.
 *
 * @throws SplitFailure if a published schema exists for another reason
 */
async function interruptedSchemas(to: pg.Client, published: Published): Promise<string[]> {
  const { rows } = await to.query<{ name: string; left: boolean }>(
    `select nspname as name, starts_with(obj_description(oid, 'pg_namespace'), $2) and not exists (
         select from pg_subscription_rel join pg_class c on c.oid = srrelid where relnamespace = n.oid) is true as left
     from pg_namespace n where nspname = any($1)`,
    [schemasOf(published), schemaComment],
  );
  const foreign = rows.filter(({ left }) => !left).map(({ name }) => name);
  if (foreign.length > 0)
    throw new SplitFailure(
      `The receiving database already has the schema ${foreign.join(', ')}. If it belongs to another subscription: drop that, and ` +
        'receive for all services of that database at once.',
    );
  return rows.map(({ name }) => name);
}

async function subscribe(to: pg.Client, name: string, connectionString: string, withinMs = 20_000): Promise<void> {
  // Creating a slot waits for open transactions of the publisher. A timeout is needed for a
  // publisher that does not respond: PostgreSQL 18.4 ignores connect_timeout in the connection
  // string
  await to.query(`set statement_timeout = ${withinMs}`);
  try {
    await to.query(`create subscription "${name}" connection ${connectionString} publication "${name}"`);
  } catch (error) {
    throw new SplitFailure(
      `The receiving server cannot subscribe: ${(error as Error).message}. Run \`receive\` again.`,
    );
  }
}

async function needLogicalWal(from: pg.Client): Promise<void> {
  const { rows } = await from.query<{ level: string }>(`select current_setting('wal_level') as level`);
  if (rows[0]!.level !== 'logical')
    throw new SplitFailure(
      'The server of DATABASE_URL has wal_level = replica: set wal_level = logical and restart it.',
    );
}

/** Returns the schemas that the first database has migrated and the second has not. */
async function schemasBetween(from: pg.Client, to: pg.Client): Promise<string[]> {
  const [own, others] = [await migratedIn(from), await migratedIn(to)];
  return own.filter((schema) => !others.includes(schema));
}

async function migratedIn(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ schema: string }>(
    `select relnamespace::regnamespace::text as schema from pg_class
     where relname = 'migrations' and relkind = 'r' and relnamespace::regnamespace::text = any($1)`,
    [schemaNames],
  );
  return rows.map(({ schema }) => schema);
}

function publication(name: string, published: Published, role: string): string[] {
  const tables = published.tables.map((table) => ({ name: relation(table), columns: publishedColumns(table) }));
  return [
    `drop publication if exists "${name}"`,
    `create publication "${name}" for table ${tables.map((it) => `${it.name} (${it.columns})`).join(', ')}`,
    ...schemasOf(published).map((schema) => `grant usage on schema "${schema}" to "${role}"`),
    // The initial copy is a query of the role; later changes come from WAL
    ...tables.map((it) => `grant select (${it.columns}) on ${it.name} to "${role}"`),
  ];
}

async function makeTables(to: pg.Client, statements: readonly string[]): Promise<void> {
  await to.query('begin');
  try {
    for (const statement of statements) await to.query(statement);
    await to.query('commit');
  } catch (error) {
    await to.query('rollback');
    throw error;
  }
}

async function waitUntilCopied(to: pg.Client, name: string): Promise<void> {
  // The counter of an existing subscription includes earlier errors
  let before: number | undefined;
  for (;;) {
    const { rows } = await to.query<{ left: number; errors: number }>(
      `select count(*) filter (where srsubstate <> 'r') as left,
         (select apply_error_count + sync_error_count from pg_stat_subscription_stats where subid = s.oid) as errors
       from pg_subscription s join pg_subscription_rel on srsubid = s.oid where subname = $1 group by s.oid`,
      [name],
    );
    const { left, errors } = rows[0]!;
    if (left === 0) return;
    before ??= errors;
    if (errors > before)
      throw new SplitFailure(
        `The subscription ${name} fails and retries; the log of the receiving server has the error.`,
      );
    await sleep(200);
  }
}
