import type { ServiceName } from '#contracts';
import type { TableConstraints } from './constraints.js';
import { schemaOf } from './schemas.js';

/**
 * Statements of released migrations, which never change. Later migrations rename their objects
 * (`rename-migrations.ts`); a new service uses `deletedUsersTables` and `dataVersionTables`.
 */

/** Table of deleted users and the function that locks a user. */
export const deletedUsersTablesV1: readonly string[] = [
  'create table departed_users (user_id bigint primary key, departed_at timestamptz not null default now())',
  `create function hold_user(held bigint) returns boolean language plpgsql volatile as $$
   begin
     perform pg_advisory_xact_lock_shared(hashtextextended(current_schema() || ' user ' || held, 0));
     return not exists (select from departed_users where user_id = held);
   end $$`,
];

/** Statements that drop this table and this function. */
export const dropDeletedUsersTablesV1: readonly string[] = [
  'drop function hold_user(bigint)',
  'drop table departed_users',
];

/** Constraint of that table, which a later migration adds. */
export const deletedUsersConstraintsV1: TableConstraints = {
  departed_users: { departed_users_user: 'check (user_id > 0)' },
};

/** Table of the data version of a service and the function of its triggers. */
export const dataVersionTablesV1 = (service: ServiceName): readonly string[] => [
  'create table change_marks (part smallint primary key, mark bigint not null) with (fillfactor = 10)',
  'insert into change_marks select part, 0 from generate_series(0, 15) as part',
  `create function mark_change() returns trigger language plpgsql as $$
   begin
     update ${schemaOf(service)}.change_marks set mark = (random() * 2 ^ 53)::bigint where part = pg_backend_pid() % 16;
     return null;
   end $$`,
];

/** Statements that drop this table and this function, after the triggers were dropped. */
export const dropDataVersionTablesV1: readonly string[] = ['drop function mark_change()', 'drop table change_marks'];

/**
 * Returns the statement that creates the trigger of a table. @param events as in `create trigger`
 */
export const dataVersionTriggerV1 = (table: string, events = 'insert or update or delete'): string =>
  `create trigger ${table}_mark_change after ${events} or truncate on ${table} for each statement execute function mark_change()`;

/** Returns the statement that drops the trigger of a table. */
export const dropDataVersionTriggerV1 = (table: string): string => `drop trigger ${table}_mark_change on ${table}`;
