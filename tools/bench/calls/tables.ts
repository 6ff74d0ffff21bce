import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const rowsPerWrite = 500;

/**
 * Vacuums a table, because index-only scans need the visibility map. Repeated until 99 % of the
 * pages are all-visible: a concurrent autoanalyze has an older snapshot, with which only 28 % of
 * the pages of a million products were marked.
 *
 * @throws Error after 30 attempts
 */
export async function vacuum(client: pg.Client, table: string): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    await client.query(`vacuum (analyze) ${table}`);
    const { rows } = await client.query<{ isDone: boolean }>(
      `select relallvisible >= 0.99 * relpages as "isDone" from pg_class where oid = '${table}'::regclass`,
    );
    if (rows[0]?.isDone) return;
    await sleep(1_000);
  }
  throw new Error(`${table} has rows that are not visible to all: an old transaction is open`);
}

type Value = string | number | boolean | Date | null;

/** Copies rows into a table. @param into table with its columns, in the order of the values */
export async function copyRows<Row>(
  client: pg.Client,
  into: string,
  rows: Iterable<Row>,
  valuesOf: (row: Row) => readonly Value[],
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${into} from stdin`));
  let lines: string[] = [];
  const write = async (): Promise<void> => {
    const isTaken = stream.write(lines.join(''));
    lines = [];
    if (!isTaken) await once(stream, 'drain');
  };
  for (const row of rows) {
    lines.push(`${valuesOf(row).map(textOf).join('\t')}\n`);
    if (lines.length === rowsPerWrite) await write();
  }
  await write();
  stream.end();
  await once(stream, 'finish');
}

/** Returns a value in the text format of COPY. */
function textOf(value: Value): string {
  if (value === null) return '\\N';
  if (value instanceof Date) return value.toISOString();
  return String(value).replace(
    /[\\\t\n\r]/g,
    (character) => ({ '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character] ?? '\\\\',
  );
}

/** Sets the sequence of a table to its highest id. */
export const setSequence = (client: pg.Client, table: string): Promise<unknown> =>
  client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
