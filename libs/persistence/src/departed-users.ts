import { problems } from '#contracts';
import { DomainError } from '#kernel';
import type { Tx } from './database.js';

/**
 * Users who have gone for good. A write that was under way when its user left must not come after the removal of
 * everything that was theirs: each write holds its user until it commits, and the departure waits for all of them.
 */

const lockOf = (userId: string) => `hashtextextended(current_schema() || ' user ' || ${userId}, 0)`;

/** The statements that make what is below in the current schema, for a migration of a service. */
export const departedUsersTables: readonly string[] = [
  'create table departed_users (user_id bigint primary key, departed_at timestamptz not null default now())',
  // One round trip. Each statement of a volatile function sees what was committed before it, so the question comes after
  // the lock
  `create function hold_user(held bigint) returns boolean language plpgsql volatile as $$
   begin
     perform pg_advisory_xact_lock_shared(${lockOf('held')});
     return not exists (select from departed_users where user_id = held);
   end $$`,
];

/** The statements that take it away again. */
export const dropDepartedUsersTables: readonly string[] = [
  'drop function hold_user(bigint)',
  'drop table departed_users',
];

/** Keeps a user from departing until the transaction ends. @returns false when the user has departed */
export async function holdUser(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx.query<{ here: boolean }[]>('select hold_user($1) as here', [userId]);
  return row!.here;
}

/** The same for whoever is about to write something of their own. Before any other lock. Throws `user.not-found`. */
export async function holdAuthor(tx: Tx, userId: number): Promise<void> {
  if (!(await holdUser(tx, userId))) throw userGone(userId);
}

/**
 * The same as a part of a statement: the author of a write is `here`, and is held until its transaction ends. The answer
 * is of the moment after the lock, whatever else the statement sees.
 */
export const heldAuthor = (userId: string): string => `author as materialized (select hold_user(${userId}) as here)`;

export const userGone = (userId: number): DomainError =>
  new DomainError(problems['user.not-found'], `There is no user ${userId} any more.`);

/** From the commit on nothing is written of the user; what was under way has been committed before. Once is enough. */
export async function dismissUser(tx: Tx, userId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${lockOf('$1::bigint')})`, [userId]);
  await tx.query('insert into departed_users (user_id) values ($1) on conflict do nothing', [userId]);
}
