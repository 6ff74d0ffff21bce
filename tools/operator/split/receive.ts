import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceName } from '#contracts';
import { schemaOf, schemas } from '#persistence';
import { provideReplicator } from '../../migrate/roles.js';
import type { Ends } from './ends.js';
import { SplitFailure } from './failure.js';
import { publishedColumns, publishedTo, type Published, receivingTables, relation, schemasOf } from './published.js';

/** Takes the lines that tell what is done. */
export type Say = (line: string) => void;

export interface Received {
  /** Of the publication, the subscription and its slot. */
  readonly name: string;
  readonly tables: readonly string[];
}

/** Words of libpq that say where the publishing server is, without user and password. Seen from the other server. */
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

/**
 * Gives services the tables of others that they read, in a database on another server: a publication of just the columns
 * that they are granted, the same tables there, and a subscription. Returns when all rows have come.
 *
 * @param connection words of libpq, where the other server sees this one elsewhere than DATABASE_URL says
 * @throws SplitFailure
 */
export async function receive(
  { from, to, url, rolesSecret }: Ends,
  services: readonly ServiceName[],
  connection: string | undefined,
  say: Say,
): Promise<Received> {
  if (rolesSecret === undefined)
    throw new SplitFailure('DATABASE_ROLES_SECRET is missing: the role that replicates logs in.');
  await needLogicalWal(from);
  const published = await publishedTo(from, services, await schemasBetween(from, to));
  if (published.tables.length === 0)
    throw new SplitFailure(
      `Of what DATABASE_URL has and the other database has not, nothing is read by ${services.join(', ')}.`,
    );
  await refuseSchemasThatAreThere(to, published);
  const name = ['storefront', ...services.map(schemaOf), 'from', ...schemasOf(published)].join('_');
  const replicator = await provideReplicator(from, rolesSecret);
  for (const statement of publication(name, published, replicator.role)) await from.query(statement);
  const tables = published.tables.map((table) => `${table.schema}.${table.table} (${publishedColumns(table)})`);
  for (const table of tables) say(table);
  await makeTables(to, receivingTables(published, services));
  // What is said later holds: a role that somebody else looks after may be named among the words
  const words = `user=${replicator.role} password=${replicator.password} ${connection ?? connectionTo(url)}`;
  try {
    await to.query(`create subscription "${name}" connection ${to.escapeLiteral(words)} publication "${name}"`);
  } catch (error) {
    // So that it can be done again
    for (const schema of schemasOf(published)) await to.query(`drop schema "${schema}" cascade`);
    throw new SplitFailure(`The other server cannot subscribe: ${(error as Error).message}`);
  }
  await untilCopied(to, name);
  return { name, tables };
}

async function needLogicalWal(from: pg.Client): Promise<void> {
  const { rows } = await from.query<{ level: string }>(`select current_setting('wal_level') as level`);
  if (rows[0]!.level !== 'logical')
    throw new SplitFailure('The server of DATABASE_URL has wal_level = replica; it takes logical, and a restart.');
}

/** Those that the first database owns, because it has migrated them, and the second does not. */
async function schemasBetween(from: pg.Client, to: pg.Client): Promise<string[]> {
  const [own, others] = [await migratedIn(from), await migratedIn(to)];
  return own.filter((schema) => !others.includes(schema));
}

async function migratedIn(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ schema: string }>(
    `select relnamespace::regnamespace::text as schema from pg_class
     where relname = 'migrations' and relkind = 'r' and relnamespace::regnamespace::text = any($1)`,
    [Object.values(schemas)],
  );
  return rows.map(({ schema }) => schema);
}

async function refuseSchemasThatAreThere(to: pg.Client, published: Published): Promise<void> {
  const { rows } = await to.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname = any($1)',
    [schemasOf(published)],
  );
  if (rows.length > 0)
    throw new SplitFailure(`The other database has the schema ${rows.map(({ name }) => name).join(', ')} already.`);
}

function publication(name: string, published: Published, role: string): string[] {
  const tables = published.tables.map((table) => ({ name: relation(table), columns: publishedColumns(table) }));
  return [
    `drop publication if exists "${name}"`,
    `create publication "${name}" for table ${tables.map((it) => `${it.name} (${it.columns})`).join(', ')}`,
    ...schemasOf(published).map((schema) => `grant usage on schema "${schema}" to "${role}"`),
    // What is there already is read by a query of the role; what changes afterwards comes out of the log
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

async function untilCopied(to: pg.Client, name: string): Promise<void> {
  for (;;) {
    const { rows } = await to.query<{ left: number; errors: number }>(
      `select count(*) filter (where srsubstate <> 'r') as left,
         (select apply_error_count + sync_error_count from pg_stat_subscription_stats where subid = s.oid) as errors
       from pg_subscription s join pg_subscription_rel on srsubid = s.oid where subname = $1 group by s.oid`,
      [name],
    );
    const { left, errors } = rows[0]!;
    if (left === 0) return;
    if (errors > 0)
      throw new SplitFailure(`The subscription ${name} fails, and tries again; the log of the other server says why.`);
    await sleep(200);
  }
}
