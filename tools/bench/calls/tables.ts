import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const rowsPerWrite = 500;

/**
 * A table that was never vacuumed has no map of what is visible to everybody, and no index answers alone. Nothing of it is
 * visible to an ANALYZE that PostgreSQL has begun by itself before: of a million products 28 % of the pages were. Then again.
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
  throw new Error(`${table} has rows that not everybody sees: something keeps an old transaction open`);
}

type Value = string | number | boolean | Date | null;

/** Writes rows into a table. @param into the table with its columns, in the order of the values */
export async function copy<Row>(
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

/** In the text format of COPY. */
function textOf(value: Value): string {
  if (value === null) return '\\N';
  if (value instanceof Date) return value.toISOString();
  return String(value).replace(
    /[\\\t\n\r]/g,
    (character) => ({ '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character] ?? '\\\\',
  );
}

/** Behind the ids that were written into a table. */
export const moveSequence = (client: pg.Client, table: string): Promise<unknown> =>
  client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
