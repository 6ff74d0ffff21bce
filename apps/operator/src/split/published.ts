import type pg from 'pg';
import type { ServiceName } from '#contracts';
import { roleOf } from '#persistence';

// The grants of the migrations are the only definition of the columns that a service reads of
// others, so replicated columns are derived from the grants.

interface Column {
  readonly name: string;
  readonly type: string;
  /** Expression of a generated column. */
  readonly expression: string | null;
}

/**
 * A table that other services read: the replicated columns, the primary key, and the indexes that
 * use only these columns.
 */
interface PublishedTable {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly indexes: readonly string[];
}

interface PublishedView {
  readonly schema: string;
  readonly view: string;
  readonly definition: string;
}

export interface Published {
  readonly tables: readonly PublishedTable[];
  readonly views: readonly PublishedView[];
  /** Statements that grant the services the same columns as in the source. */
  readonly grants: readonly string[];
}

// Selects the columns of the schemas ($2) that one of the roles ($1) may read, and further columns
// that these need: table columns behind views, source columns of generated columns, because a
// publication sends the sources instead, and primary keys, which identify changed rows
const publishedColumnsSql = `
  with granted as (
    select c.oid, c.relkind, a.attnum
    from pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
    where relnamespace::regnamespace::text = any($2) and relkind in ('r', 'v')
      and exists (select from unnest($1::text[]) as role where has_column_privilege(role, c.oid, attnum, 'select'))
  ), shown as (
    select oid, attnum from granted where relkind = 'r'
    union select d.refobjid, d.refobjsubid
    from granted g join pg_rewrite r on r.ev_class = g.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.refobjid <> g.oid
    where relkind = 'v'
  ), wanted as (
    select * from shown
    union select d.refobjid, d.refobjsubid
    from shown s join pg_attrdef v on v.adrelid = s.oid and v.adnum = s.attnum
      join pg_attribute a on a.attrelid = s.oid and a.attnum = s.attnum and attgenerated <> ''
      join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = v.oid
        and d.refobjid = s.oid and d.refobjsubid not in (0, s.attnum)
    union select indrelid, unnest(indkey::int2[]) from pg_index where indisprimary and indrelid in (select oid from shown)
  )`;

const publishedTablesSql = `${publishedColumnsSql}
  select relnamespace::regnamespace::text as schema, relname::text as table,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
       'expression', case when attgenerated <> '' then pg_get_expr(adbin, adrelid) end) order by a.attnum)
     from wanted w join pg_attribute a on a.attrelid = w.oid and a.attnum = w.attnum
       left join pg_attrdef on adrelid = a.attrelid and adnum = a.attnum where w.oid = c.oid) as columns,
    (select array_agg(attname::text order by place)
     from pg_index, unnest(indkey::int2[]) with ordinality as k (number, place), pg_attribute
     where indisprimary and indrelid = c.oid and attrelid = c.oid and attnum = number) as key,
    array(
      select pg_get_indexdef(indexrelid) from pg_index where indrelid = c.oid and not indisprimary and indisvalid
        and not exists (
          select from pg_depend where classid = 'pg_class'::regclass and objid = indexrelid
            and refobjid = c.oid and refobjsubid > 0 and (refobjid, refobjsubid) not in (select oid, attnum from wanted))
        and not exists (
          select from pg_constraint join pg_depend on objid = indexrelid and refobjid = pg_constraint.oid,
            unnest(conkey) as number where contype = 'u' and (c.oid, number) not in (select oid, attnum from wanted))
    ) as indexes
  from pg_class c where oid in (select oid from wanted) order by 1, 2`;

const publishedViewsSql = `${publishedColumnsSql}
  select relnamespace::regnamespace::text as schema, relname::text as view, pg_get_viewdef(oid) as definition
  from pg_class where oid in (select oid from granted where relkind = 'v') order by 1, 2`;

const grantsSql = `
  select format('grant select (%s) on %I.%I to %I', string_agg(quote_ident(attname), ', ' order by attnum),
    relnamespace::regnamespace::text, relname, role) as grant
  from unnest($1::text[]) as role, pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
  where relnamespace::regnamespace::text = any($2) and relkind in ('r', 'v')
    and has_column_privilege(role, c.oid, attnum, 'select')
  group by relnamespace, relname, role order by 1`;

/** Returns the tables, columns and views that services read of other schemas, and the grants. */
export async function publishedTo(
  database: pg.Client,
  services: readonly ServiceName[],
  schemas: readonly string[],
): Promise<Published> {
  const parameters = [services.map(roleOf), schemas];
  const { rows: tables } = await database.query<PublishedTable>(publishedTablesSql, parameters);
  const { rows: views } = await database.query<PublishedView>(publishedViewsSql, parameters);
  const { rows: grants } = await database.query<{ grant: string }>(grantsSql, parameters);
  return { tables, views, grants: grants.map(({ grant }) => grant) };
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Returns the columns without generated ones. */
export const sentColumns = ({ columns }: PublishedTable): string[] =>
  columns.filter(({ expression }) => expression === null).map(({ name }) => name);

/** Returns the quoted columns without generated ones, for a publication or a grant. */
export const publishedColumns = (table: PublishedTable): string => quoted(sentColumns(table));

export const relation = ({ schema, table }: Pick<PublishedTable, 'schema' | 'table'>): string =>
  `"${schema}"."${table}"`;

/** Returns the schemas of the published tables. */
export const schemasOf = ({ tables }: Published): string[] => [...new Set(tables.map(({ schema }) => schema))];

/**
 * Returns the statements that create schemas, tables, views and grants in the receiving database.
 * Tables have no constraint, trigger or unique index other than the primary key, because a rejected
 * row would stop the replication; unique indexes become plain indexes.
 */
export function receivingTables(published: Published, services: readonly ServiceName[]): string[] {
  const readers = services.map((service) => `"${roleOf(service)}"`).join(', ');
  const schemas = schemasOf(published);
  const tables = published.tables.map((table) => {
    const columns = table.columns.map(({ name, type, expression }) =>
      expression === null ? `"${name}" ${type}` : `"${name}" ${type} generated always as (${expression}) stored`,
    );
    return `create table ${relation(table)} (${columns.join(', ')}, primary key (${quoted(table.key)}))`;
  });
  return [
    ...schemas.map((schema) => `create schema "${schema}"`),
    ...tables,
    ...published.tables.flatMap(({ indexes }) => indexes.map((it) => it.replace(/^CREATE UNIQUE/, 'CREATE'))),
    ...published.views.map(({ schema, view, definition }) => `create view "${schema}"."${view}" as ${definition}`),
    ...schemas.map((schema) => `grant usage on schema "${schema}" to ${readers}`),
    ...published.grants,
  ];
}
