import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { ServiceName } from '#contracts';
import { roleOf, schemaOf } from '#persistence';
import { columnsOf, migrationsOf, nameOf, sequencesOf, type Table, tablesOf } from '../backup/tables.js';
import type { Ends } from './ends.js';
import { SplitFailure } from './failure.js';
import type { Say } from './receive.js';

/**
 * Copies all rows of a service, which must not run, into the migrated, empty schema of another database, in one
 * transaction on either side: its outbox and inbox come along, so that what it was about to say is said, and what it has
 * heard is not done twice. Nothing is taken away where they come from.
 *
 * @returns the number of rows
 * @throws SplitFailure
 */
export async function move({ from, to }: Ends, service: ServiceName, say: Say): Promise<number> {
  const schema = schemaOf(service);
  await refuseRunning(from, service);
  await refuseOtherTables(from, to, service);
  const tables = (await tablesOf(from)).filter((table) => table.schema === schema);
  const names = tables.map(nameOf).join(', ');
  await from.query(`begin isolation level repeatable read; lock table ${names} in share mode`);
  await to.query(`begin; lock table ${names} in access exclusive mode`);
  try {
    let rows = 0;
    for (const table of tables) rows += await moveTable(from, to, table, say);
    await to.query('set constraints all immediate');
    for (const { sequence, value, isCalled } of (await sequencesOf(from)).filter((it) => it.schema === schema))
      await to.query('select setval($1::regclass, $2, $3)', [`"${schema}"."${sequence}"`, value, isCalled]);
    await to.query('commit');
    return rows;
  } catch (error) {
    await to.query('rollback');
    throw error;
  } finally {
    await from.query('rollback');
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
  const { rows: there } = await to.query(`select from ${nameOf(table)} limit 1`);
  if (there.length > 0) throw new SplitFailure(`${nameOf(table)} is not empty where it is moved to.`);
  const rows = from.query(copyTo(`copy ${nameOf(table)} (${columnsOf(table)}) to stdout`));
  const copy = to.query(copyFrom(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`));
  await pipeline(rows, copy);
  if (copy.rowCount !== rows.rowCount)
    throw new SplitFailure(`${nameOf(table)}: ${copy.rowCount} of ${rows.rowCount} rows were taken.`);
  if (copy.rowCount > 0) say(`${nameOf(table)}: ${copy.rowCount} rows`);
  return copy.rowCount;
}
