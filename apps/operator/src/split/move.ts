import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { columnsOf, migrationsOf, nameOf, sequencesOf, type Table, tablesOf } from '../backup/tables.js';
import type { Ends } from './ends.js';
import { SplitFailure } from './failure.js';
import type { PrintLine } from './receive.js';

// No session should use the tables. A session that does, such as a dump, fails the move, because
// waiting for it would block all later sessions
const lockTimeoutMs = 5_000;

/**
 * Moves all rows of a stopped service into the migrated, empty schema of another database, in one
 * transaction on each side. Outbox and inbox are included, so that pending events are published and
 * consumed events are not consumed again. The schema in the source is renamed to SCHEMA_moved, so
 * that a service that is started there by mistake fails instead of writing. Closes both sessions if
 * it fails after the first checks.
 *
 * @param withinMs lock timeout
 * @returns number of rows
 * @throws SplitFailure, or the error of PostgreSQL, such as a lock timeout
 */
export async function move(
  { from, to }: Ends,
  service: ServiceName,
  print: PrintLine,
  withinMs = lockTimeoutMs,
): Promise<number> {
  const lockTimeout = `set local lock_timeout = ${withinMs}`;
  const schema = schemaOf(service);
  await rejectIfRunning(from, service);
  await rejectIfMoved(from, schema);
  await rejectOtherMigrations(from, to, service);
  const tables = (await tablesOf(from)).filter((table) => table.schema === schema);
  // Before the locks: if both URLs name the same database, the second lock would wait for the first
  await rejectNonEmpty(to, tables);
  const names = tables.map(nameOf).join(', ');
  try {
    await from.query(`begin isolation level repeatable read; ${lockTimeout}; lock table ${names} in share mode`);
    await to.query(`begin; ${lockTimeout}; lock table ${names} in access exclusive mode`);
    await rejectNonEmpty(to, tables);
    let rows = 0;
    for (const table of tables) rows += await moveTable(from, to, table, print);
    await to.query('set constraints all immediate');
    for (const { sequence, value, isCalled } of (await sequencesOf(from)).filter((it) => it.schema === schema))
      await to.query('select setval($1::regclass, $2, $3)', [`"${schema}"."${sequence}"`, value, isCalled]);
    await from.query(`alter schema "${schema}" rename to "${movedName(schema)}"`);
    await to.query('commit');
    await commitRename(from, schema);
    return rows;
  } catch (error) {
    // Closes the sessions instead of rolling back: nothing reads the rest of a failed COPY, and a
    // statement would wait behind it forever
    await Promise.all([from.end(), to.end()]);
    throw error;
  }
}

const movedName = (schema: string): string => `${schema}_moved`;

/**
 * Commits the rename. If this fails, both databases have the rows, and those in the source may
 * still be changed.
 *
 * @throws SplitFailure that says how to continue
 */
async function commitRename(from: pg.Client, schema: string): Promise<void> {
  try {
    await from.query('commit');
  } catch (error) {
    throw new SplitFailure(
      `All rows were copied, but DATABASE_URL did not confirm the rename of the schema ${schema}: ` +
        `${(error as Error).message}. Start no app. If DATABASE_URL has ${movedName(schema)} now, the move is complete. If it has ` +
        `${schema}, rows may be written there again: drop schema ${schema} cascade in the other database, migrate it, ` +
        'and move again.',
    );
  }
}

async function rejectIfMoved(from: pg.Client, schema: string): Promise<void> {
  const { rows } = await from.query('select from pg_namespace where nspname = $1', [movedName(schema)]);
  if (rows.length > 0)
    throw new SplitFailure(`DATABASE_URL has the schema ${movedName(schema)} of an earlier move: drop or rename it.`);
}

async function rejectNonEmpty(to: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await to.query(`select from ${nameOf(table)} limit 1`);
    if (rows.length > 0) throw new SplitFailure(`${nameOf(table)} is not empty in the target database.`);
  }
}

async function rejectIfRunning(from: pg.Client, service: ServiceName): Promise<void> {
  const { rows } = await from.query(
    'select from pg_stat_activity where usename = $1 and datname = current_database()',
    [roleOf(service)],
  );
  if (rows.length > 0)
    throw new SplitFailure(`${service} has ${rows.length} connections to the source database: stop it first.`);
}

async function rejectOtherMigrations(from: pg.Client, to: pg.Client, service: ServiceName): Promise<void> {
  const [here, there] = [(await migrationsOf(from))[service], (await migrationsOf(to))[service]];
  if (here.length === 0 || here.join() !== there.join())
    throw new SplitFailure(`The two databases have different migrations of ${service}: run migrate for both.`);
}

async function moveTable(from: pg.Client, to: pg.Client, table: Table, print: PrintLine): Promise<number> {
  const rows = from.query(copyTo(`copy ${nameOf(table)} (${columnsOf(table)}) to stdout`));
  const copy = to.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
  await pipeline(rows, copy);
  if (copy.rowCount !== rows.rowCount)
    throw new SplitFailure(`${nameOf(table)}: ${copy.rowCount} of ${rows.rowCount} rows were copied.`);
  if (copy.rowCount > 0) print(`${nameOf(table)}: ${copy.rowCount} rows`);
  return copy.rowCount;
}
