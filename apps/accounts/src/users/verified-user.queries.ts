import type { Tx } from '#persistence';

/**
 * User whose password was verified, with the hash at that time; null for a user without a password.
 */
export interface VerifiedUser {
  readonly id: number;
  readonly passwordHash: string | null;
}

/**
 * Locks a verified user, and returns false if the user is deleted or the password has changed
 * since. A hash takes too long to be computed between BEGIN and COMMIT, so this runs in the
 * transaction that depends on it. The locked row prevents a change of the password; with `update`,
 * also concurrent inserts of the user's rows.
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
