import { problems } from '#contracts';
import { DomainError } from '#kernel';
import type { Tx } from './database.js';

/**
 * Deleted users. A write that is running while its user is deleted must not commit after the
 * deletion of the user's rows: each write holds the shared lock of its user until it commits, and
 * the deletion waits for the exclusive lock (docs/adr/0010).
 */

/** SQL expression of the key of a user's advisory lock in the current schema. */
const lockKeyOf = (userId: string): string => `hashtextextended(current_schema() || ' user ' || ${userId}, 0)`;

/** Statements that create the objects below in the current schema, for a migration of a service. */
export const deletedUsersTables: readonly string[] = [
  `create table deleted_users (
     user_id bigint primary key constraint deleted_users_user check (user_id > 0),
     deleted_at timestamptz not null default now()
   )`,
  // One round trip. Each statement of a volatile function sees everything that was committed before
  // it, so the check sees a deletion that was committed while the lock was awaited
  `create function lock_user(id bigint) returns boolean language plpgsql volatile as $$
   begin
     perform pg_advisory_xact_lock_shared(${lockKeyOf('id')});
     return not exists (select from deleted_users where user_id = id);
   end $$`,
];

/**
 * Statement that creates a function for writes of several users in one statement. It locks those
 * users that it can lock without waiting, and returns those of them that are not deleted.
 */
export const tryLockUsers = `create function try_lock_users(ids bigint[]) returns bigint[] language plpgsql volatile as $$
   declare locked bigint[];
   begin
     locked := array(select id from unnest(ids) as id where pg_try_advisory_xact_lock_shared(${lockKeyOf('id')}));
     -- A separate statement, which sees a deletion that was committed before the lock was taken
     return array(select id from unnest(locked) as id where not exists (select from deleted_users where user_id = id));
   end $$`;

/** Statements that drop these objects. */
export const dropDeletedUsersTables: readonly string[] = [
  'drop function lock_user(bigint)',
  'drop table deleted_users',
];

/**
 * Blocks `markUserDeleted` of this service for a user until the transaction ends.
 *
 * @returns false when the user is in `deleted_users`
 */
export async function lockUser(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx.query<{ userExists: boolean }[]>('select lock_user($1) as "userExists"', [userId]);
  return row!.userExists;
}

/**
 * Locks the user who is about to create something. Call it before any other lock is taken.
 *
 * @throws DomainError user.not-found for a deleted user
 */
export async function lockAuthor(tx: Tx, userId: number): Promise<void> {
  if (!(await lockUser(tx, userId))) throw userDeleted(userId);
}

/**
 * Returns a CTE `author` that locks the author of a write until its transaction ends. Its column
 * `user_exists` is false for a deleted user, also if the deletion was committed while the lock was
 * awaited, although the rest of the statement has an earlier snapshot.
 */
export const lockedAuthor = (userId: string): string =>
  `author as materialized (select lock_user(${userId}) as user_exists)`;

export const userDeleted = (userId: number): DomainError =>
  new DomainError(problems['user.not-found'], `The user ${userId} is deleted.`);

/**
 * Waits for the running writes of a user and rejects later writes from the commit on. Idempotent.
 */
export async function markUserDeleted(tx: Tx, userId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${lockKeyOf('$1::bigint')})`, [userId]);
  await tx.query('insert into deleted_users (user_id) values ($1) on conflict do nothing', [userId]);
}
