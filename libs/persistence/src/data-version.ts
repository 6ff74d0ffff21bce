import type { ServiceName } from '#contracts';
import { schemaOf } from './schemas.js';

/**
 * Data version of some tables, against which caches validate what they derived from them: a cached
 * value is valid while the version is the one it was computed at (docs/adr/0011). Triggers set the
 * version in the transaction of the change, so that no statement can omit it and no change is
 * visible without its version. It is random, not a counter, because after a failover that loses the
 * last changes a counter would reach the same value with other changes.
 */

/** Number of rows. Transactions that change data wait for each other only in the same row. */
const rowCount = 16;

/** Statements that create the data version of a service, for a migration of the service. */
export const dataVersionTables = (service: ServiceName): readonly string[] => [
  // Most of a page stays free: each update finds space in its page, and no index changes (a HOT
  // update)
  'create table data_versions (part smallint primary key, version bigint not null) with (fillfactor = 10)',
  `insert into data_versions select part, 0 from generate_series(0, ${rowCount - 1}) as part`,
  // Names the schema, because a session that restores or repairs rows has another search path
  `create function set_data_version() returns trigger language plpgsql as $$
   begin
     update ${schemaOf(service)}.data_versions set version = (random() * 2 ^ 53)::bigint
       where part = pg_backend_pid() % ${rowCount};
     return null;
   end $$`,
];

/** Statements that drop the data version, after its triggers were dropped. */
export const dropDataVersionTables: readonly string[] = [
  'drop function set_data_version()',
  'drop table data_versions',
];

/**
 * Returns the statement that creates the trigger of a table.
 *
 * @param events as in `create trigger`
 */
export const dataVersionTrigger = (table: string, events: string): string =>
  `create trigger ${table}_data_version after ${events} or truncate on ${table}
   for each statement execute function set_data_version()`;

/** Returns the statement that drops the trigger of a table. */
export const dropDataVersionTrigger = (table: string): string => `drop trigger ${table}_data_version on ${table}`;

/** SQL expression of the data version of a service at the snapshot of the statement. */
export const dataVersion = (service: ServiceName): string =>
  `(select sum(version) from ${schemaOf(service)}.data_versions)`;
