import type { Tx } from '#persistence';

/**
 * User whose password was verified, with the hash at that time; null for a user without a password.
 */
export interface VerifiedUser {
  readonly id: number;
  readonly passwordHash: string | null;
}

/**
 * Locks a verified user, and returns false if the user was deleted or the password has changed
 * since the verification. Passwords are verified before a transaction, because hashing takes too
 * long for one; this check in the transaction detects a change in between. The lock prevents a
 * change of the password until the commit; with `update`, also concurrent inserts of rows that
 * reference the user.
 */
export async function lockVerifiedUser(
  tx: Tx,
  { id, passwordHash }: VerifiedUser,
  lock: 'no key update' | 'update',
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select from users where id = $1 and id > 0 and password_hash is not distinct from $2 for ${lock}`,
    [id, passwordHash],
  );
  return rows.length > 0;
}
