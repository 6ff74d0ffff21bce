import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ServiceName } from '#contracts';
import { schemaNames, schemaOf } from '#persistence';
import { provideReplicator } from '#migrations';
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

/** Takes the lines that tell what is done. */
export type Say = (line: string) => void;

interface Received {
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

/** Where and how the other server subscribes. */
interface Publisher {
  /** Words of libpq, where the other server sees this one elsewhere than DATABASE_URL says. */
  readonly connection?: string | undefined;
  /** Until it has answered with a slot. */
  readonly withinMs?: number;
}

// The same number in every version of this program. The session of one that was interrupted has it until its statement ends
const turn = '7305214006021843';

/**
 * Gives services the tables of others that they read, in a database on another server: a publication of just the columns
 * that they are granted, the same tables there, and a subscription. Returns when all rows have come. Doing it again
 * changes nothing but the password and the place that the subscription connects with; what an interrupted one has left
 * is made anew.
 *
 * @throws SplitFailure
 */
export async function receive(
  ends: Ends,
  services: readonly ServiceName[],
  publisher: Publisher,
  say: Say,
): Promise<Received> {
  const { rows } = await ends.to.query<{ taken: boolean }>(`select pg_try_advisory_lock(${turn}) as taken`);
  if (!rows[0]!.taken)
    throw new SplitFailure(
      'Another receive is at work in the other database, or was interrupted within a minute: wait.',
    );
  try {
    return await receiveAlone(ends, services, publisher, say);
  } finally {
    // A session that has ended has left it
    await ends.to.query(`reset statement_timeout; select pg_advisory_unlock(${turn})`).catch(() => undefined);
  }
}

async function receiveAlone(
  { from, to, url, rolesSecret }: Ends,
  services: readonly ServiceName[],
  { connection, withinMs }: Publisher,
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
  const name = ['storefront', ...services.map(schemaOf), 'from', ...schemasOf(published)].join('_');
  const isThere = await isSubscribed(from, to, name);
  if (isThere) await refuseOtherColumns(from, name, published);
  const left = isThere ? [] : await schemasLeft(to, published);
  const replicator = await provideReplicator(from, rolesSecret);
  // What is said later holds: a role that somebody else looks after may be named among the words
  const login = `user=${replicator.role} password=${replicator.password}`;
  const words = to.escapeLiteral(`${login} ${connection ?? connectionTo(url)}`);
  const tables = published.tables.map((table) => `${table.schema}.${table.table} (${publishedColumns(table)})`);
  if (isThere) {
    await to.query(`alter subscription "${name}" connection ${words}`);
    say(`${name} is there already, and has the password and the place that are right now`);
  } else {
    for (const statement of publication(name, published, replicator.role)) await from.query(statement);
    for (const table of tables) say(table);
    await makeTables(to, [
      ...left.map((schema) => `drop schema "${schema}" cascade`),
      ...receivingTables(published, services),
      ...schemasOf(published).map((schema) => `comment on schema "${schema}" is '${mark}${name}'`),
    ]);
    await subscribe(to, name, words, withinMs);
  }
  await untilCopied(to, name);
  return { name, tables };
}

/** By which a schema that was received is known, also where no subscription fills it. */
const mark = 'received by the subscription ';

/** @throws SplitFailure where only one of the two servers knows of it */
async function isSubscribed(from: pg.Client, to: pg.Client, name: string): Promise<boolean> {
  const { rows: slots } = await from.query('select from pg_replication_slots where slot_name = $1', [name]);
  const { rows: subscriptions } = await to.query(
    'select from pg_subscription where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())',
    [name],
  );
  if (slots.length > subscriptions.length)
    throw new SplitFailure(
      `The server of DATABASE_URL has the replication slot ${name}, and the other database no such subscription. Does ` +
        'RECEIVING_DATABASE_URL name the right one? If nobody replicates by that slot: ' +
        `select pg_drop_replication_slot('${name}'), and receive again.`,
    );
  if (slots.length < subscriptions.length)
    throw new SplitFailure(
      `The other database has the subscription ${name}, and the server of DATABASE_URL no such replication slot. Does ` +
        `DATABASE_URL name the right one? If the slot is lost: alter subscription "${name}" disable, alter subscription ` +
        `"${name}" set (slot_name = none), drop subscription "${name}", and receive again.`,
    );
  return slots.length > 0;
}

async function refuseOtherColumns(from: pg.Client, name: string, published: Published): Promise<void> {
  const { rows } = await from.query<{ table: string; columns: string[] }>(
    `select format('"%s"."%s"', schemaname, tablename) as table, attnames::text[] as columns
     from pg_publication_tables where pubname = $1`,
    [name],
  );
  const described = (table: string, columns: readonly string[]): string => `${table} ${columns.toSorted().join()}`;
  const sent = rows.map(({ table, columns }) => described(table, columns)).toSorted();
  const wanted = published.tables.map((it) => described(relation(it), sentColumns(it))).toSorted();
  if (sent.join() !== wanted.join())
    throw new SplitFailure(
      `The publication ${name} has other columns than are granted now: drop subscription "${name}" in the other ` +
        'database, and receive again.',
    );
}

/** Those of the schemas that an interrupted run has left: marked, and filled by no subscription. */
async function schemasLeft(to: pg.Client, published: Published): Promise<string[]> {
  const { rows } = await to.query<{ name: string; left: boolean }>(
    `select nspname as name, starts_with(obj_description(oid, 'pg_namespace'), $2) and not exists (
         select from pg_subscription_rel join pg_class c on c.oid = srrelid where relnamespace = n.oid) is true as left
     from pg_namespace n where nspname = any($1)`,
    [schemasOf(published), mark],
  );
  const kept = rows.filter(({ left }) => !left).map(({ name }) => name);
  if (kept.length > 0)
    throw new SplitFailure(
      `The other database has the schema ${kept.join(', ')} already. If another subscription fills it: drop that, and ` +
        'receive for all services of that database at once.',
    );
  return rows.map(({ name }) => name);
}

async function subscribe(to: pg.Client, name: string, words: string, withinMs = 20_000): Promise<void> {
  // Making a slot waits for whoever writes at the publisher, but a publisher that says nothing would be waited for for ever:
  // PostgreSQL 18.4 does not heed connect_timeout among the words
  await to.query(`set statement_timeout = ${withinMs}`);
  try {
    await to.query(`create subscription "${name}" connection ${words} publication "${name}"`);
  } catch (error) {
    throw new SplitFailure(
      `The other server cannot subscribe, and receive can be run again: ${(error as Error).message}`,
    );
  }
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
  // Of a subscription that was there it counts what was wrong before, too
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
      throw new SplitFailure(`The subscription ${name} fails, and tries again; the log of the other server says why.`);
    await sleep(200);
  }
}
