import type pg from 'pg';
import { serviceNames, type ServiceName } from '#contracts';
import { schemaOf } from '#persistence';
import type { SequenceState } from './manifest.js';

/** Schemas of all services. */
export const ownedSchemas: readonly string[] = serviceNames.map(schemaOf);

/** A table with its writable columns; generated columns are omitted. */
export interface Table {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
}

export const nameOf = ({ schema, table }: Pick<Table, 'schema' | 'table'>): string => `"${schema}"."${table}"`;
export const columnsOf = ({ columns }: Pick<Table, 'columns'>): string =>
  columns.map((column) => `"${column}"`).join(', ');

interface ForeignKey {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns all tables except the lists of migrations, the data versions, which triggers set for each
 * restored row, and unlogged tables, whose rows are derived again. Ordered so that foreign keys
 * refer to earlier tables.
 */
export async function tablesOf(database: pg.Client): Promise<Table[]> {
  const { rows: tables } = await database.query<Table>(
    `select nspname as schema, relname as table,
       array(select attname::text from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname = any($1) and relkind = 'r' and relpersistence = 'p' and relname not in ('migrations', 'data_versions')
     order by array_position($1, nspname::text), relname`,
    [ownedSchemas],
  );
  // Deferrable keys are checked at commit, so that they do not restrict the order
  const { rows: keys } = await database.query<ForeignKey>(
    `select format('"%s"."%s"', n.nspname, c.relname) as from, format('"%s"."%s"', m.nspname, d.relname) as to
     from pg_constraint k join pg_class c on c.oid = conrelid join pg_namespace n on n.oid = c.relnamespace
     join pg_class d on d.oid = confrelid join pg_namespace m on m.oid = d.relnamespace
     where contype = 'f' and not condeferrable and conrelid <> confrelid and n.nspname = any($1)`,
    [ownedSchemas],
  );
  return inOrder(tables, keys);
}

/** @throws Error if foreign keys that are not deferrable form a cycle */
function inOrder(tables: readonly Table[], keys: readonly ForeignKey[]): Table[] {
  const ordered: Table[] = [];
  const placed = new Set<string>();
  while (ordered.length < tables.length) {
    const isFree = (table: Table): boolean =>
      !placed.has(nameOf(table)) && keys.every(({ from, to }) => from !== nameOf(table) || placed.has(to));
    const next = tables.filter(isFree);
    if (next.length === 0) throw new Error('foreign keys form a cycle');
    for (const table of next) placed.add(nameOf(table));
    ordered.push(...next);
  }
  return ordered;
}

/**
 * Returns the applied migrations of each service; none for a schema without a list of migrations.
 */
export async function migrationsOf(database: pg.Client): Promise<Record<ServiceName, string[]>> {
  const found: [ServiceName, string[]][] = [];
  for (const service of serviceNames) {
    const record = `"${schemaOf(service)}"."migrations"`;
    const { rows: existing } = await database.query('select where to_regclass($1) is not null', [record]);
    const names = existing.length === 0 ? [] : await namesIn(database, record);
    found.push([service, names]);
  }
  return Object.fromEntries(found) as Record<ServiceName, string[]>;
}

async function namesIn(database: pg.Client, record: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(`select name from ${record} order by timestamp, id`);
  return rows.map(({ name }) => name);
}

/**
 * Returns the state of each sequence except those of the lists of migrations: its last value, or
 * its start value if `nextval` was never called.
 */
export async function sequencesOf(database: pg.Client): Promise<SequenceState[]> {
  const { rows } = await database.query<{ schema: string; sequence: string }>(
    `select nspname as schema, relname as sequence from pg_class join pg_namespace n on n.oid = relnamespace
     where nspname = any($1) and relkind = 'S' and relname <> 'migrations_id_seq' order by 1, 2`,
    [ownedSchemas],
  );
  const states: SequenceState[] = [];
  for (const { schema, sequence } of rows) {
    const { rows: state } = await database.query<{ value: number; called: boolean }>(
      `select last_value as value, is_called as called from "${schema}"."${sequence}"`,
    );
    states.push({ schema, sequence, value: state[0]!.value, isCalled: state[0]!.called });
  }
  return states;
}
