import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { columnsOf, migrationsOf, nameOf, sequencesOf, type Table, tablesOf } from '../backup/tables.js';
import type { Ends } from './ends.js';
import { SplitFailure } from './failure.js';
import type { Say } from './receive.js';

// Nobody should be there. Whoever is, as a dump, makes it fail instead of making all that comes after wait
const lockedWithinMs = 5_000;

/**
 * Moves all rows of a service, which must not run, into the migrated, empty schema of another database, in one
 * transaction on either side: its outbox and inbox come along, so that what it was about to say is said, and what it has
 * heard is not done twice. Where they come from the schema is renamed to SCHEMA_moved: a service that is started there by
 * mistake finds no table, instead of writing rows that nobody reads again. When it fails, it ends both sessions.
 *
 * @param withinMs of waiting for whoever keeps a table locked
 * @returns the number of rows
 * @throws SplitFailure
 */
export async function move(
  { from, to }: Ends,
  service: ServiceName,
  say: Say,
  withinMs = lockedWithinMs,
): Promise<number> {
  const lockTimeout = `set local lock_timeout = ${withinMs}`;
  const schema = schemaOf(service);
  await refuseRunning(from, service);
  await refuseMovedBefore(from, schema);
  await refuseOtherTables(from, to, service);
  const tables = (await tablesOf(from)).filter((table) => table.schema === schema);
  // Before the locks: one database by two URLs would wait for itself
  await refuseRows(to, tables);
  const names = tables.map(nameOf).join(', ');
  try {
    await from.query(`begin isolation level repeatable read; ${lockTimeout}; lock table ${names} in share mode`);
    await to.query(`begin; ${lockTimeout}; lock table ${names} in access exclusive mode`);
    await refuseRows(to, tables);
    let rows = 0;
    for (const table of tables) rows += await moveTable(from, to, table, say);
    await to.query('set constraints all immediate');
    for (const { sequence, value, isCalled } of (await sequencesOf(from)).filter((it) => it.schema === schema))
      await to.query('select setval($1::regclass, $2, $3)', [`"${schema}"."${sequence}"`, value, isCalled]);
    await from.query(`alter schema "${schema}" rename to "${movedName(schema)}"`);
    await to.query('commit');
    await commitRename(from, schema);
    return rows;
  } catch (error) {
    // Not rollback: what is left of a COPY that failed is read by nobody, and a statement would queue behind it for ever
    await Promise.all([from.end(), to.end()]);
    throw error;
  }
}

const movedName = (schema: string): string => `${schema}_moved`;

/** The rows are in both databases by now, and the old ones are no longer protected when this fails. */
async function commitRename(from: pg.Client, schema: string): Promise<void> {
  try {
    await from.query('commit');
  } catch (error) {
    throw new SplitFailure(
      `All rows were copied, but DATABASE_URL did not confirm that it has renamed the schema ${schema}: ` +
        `${(error as Error).message}. Start nothing. If it has ${movedName(schema)} now, the move is done. If it has ` +
        `${schema}, rows may be written there again: drop schema ${schema} cascade in the other database, migrate it, ` +
        'and move again.',
    );
  }
}

async function refuseMovedBefore(from: pg.Client, schema: string): Promise<void> {
  const { rows } = await from.query('select from pg_namespace where nspname = $1', [movedName(schema)]);
  if (rows.length > 0)
    throw new SplitFailure(
      `DATABASE_URL has the schema ${movedName(schema)} of an earlier move: drop it, or give it another name.`,
    );
}

async function refuseRows(to: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await to.query(`select from ${nameOf(table)} limit 1`);
    if (rows.length > 0) throw new SplitFailure(`${nameOf(table)} is not empty where it is moved to.`);
  }
}

async function refuseRunning(from: pg.Client, service: ServiceName): Promise<void> {
  const { rows } = await from.query(
    'select from pg_stat_activity where usename = $1 and datname = current_database()',
    [roleOf(service)],
  );
  if (rows.length > 0)
    throw new SplitFailure(
      `${service} has ${rows.length} connections to the database that it moves from: stop it first.`,
    );
}

async function refuseOtherTables(from: pg.Client, to: pg.Client, service: ServiceName): Promise<void> {
  const [here, there] = [(await migrationsOf(from))[service], (await migrationsOf(to))[service]];
  if (here.length === 0 || here.join() !== there.join())
    throw new SplitFailure(`The two databases have not the same migrations of ${service}: run migrate for both.`);
}

async function moveTable(from: pg.Client, to: pg.Client, table: Table, say: Say): Promise<number> {
  const rows = from.query(copyTo(`copy ${nameOf(table)} (${columnsOf(table)}) to stdout`));
  const copy = to.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
  await pipeline(rows, copy);
  if (copy.rowCount !== rows.rowCount)
    throw new SplitFailure(`${nameOf(table)}: ${copy.rowCount} of ${rows.rowCount} rows were taken.`);
  if (copy.rowCount > 0) say(`${nameOf(table)}: ${copy.rowCount} rows`);
  return copy.rowCount;
}
