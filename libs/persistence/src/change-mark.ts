import type { ServiceName } from '#contracts';
import { schemaOf } from './schemas.js';

/**
 * A mark of the state of some tables, for whoever keeps answers made of them: an answer is as good as new while the mark is
 * the one that it was made at. Triggers set it, so that no statement can forget to, and it is part of the transaction:
 * nobody sees a change without its mark. It is random and no count, because a server that takes over without the last
 * changes would come to the same count with others.
 */

/** Transactions that change something wait for each other only when they mark the same row. */
const rows = 16;

/** The statements that make the marks in a service's schema, for a migration of it. */
export const changeMarkTables = (service: ServiceName): readonly string[] => [
  // Most of a page stays free: each update finds room beside its row, and no index changes (a HOT update)
  'create table change_marks (part smallint primary key, mark bigint not null) with (fillfactor = 10)',
  `insert into change_marks select part, 0 from generate_series(0, ${rows - 1}) as part`,
  // With its schema, because whoever restores or repairs rows has another search path
  `create function mark_change() returns trigger language plpgsql as $$
   begin
     update ${schemaOf(service)}.change_marks set mark = (random() * 2 ^ 53)::bigint where part = pg_backend_pid() % ${rows};
     return null;
   end $$`,
];

/** The statements that take it away again, behind the triggers. */
export const dropChangeMarkTables: readonly string[] = ['drop function mark_change()', 'drop table change_marks'];

/** The statement that has the changes of a table marked. @param changes as in `create trigger` */
export const markChangesOf = (table: string, changes = 'insert or update or delete'): string =>
  `create trigger ${table}_mark_change after ${changes} or truncate on ${table} for each statement execute function mark_change()`;

/** The statement that has them marked no longer. */
export const markNoChangesOf = (table: string): string => `drop trigger ${table}_mark_change on ${table}`;

/** The mark of a service's tables at the moment of a statement, as a piece of it. */
export const changeMark = (service: ServiceName): string => `(select sum(mark) from ${schemaOf(service)}.change_marks)`;
