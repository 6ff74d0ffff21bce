import type { Tx } from '#persistence';

/** A user who was found to be there, and the hash of the password that was right then; null for one without a password. */
export interface VerifiedUser {
  readonly id: number;
  readonly passwordHash: string | null;
}

/**
 * Whether the user is still there with the same password. A hash takes too long to be computed between BEGIN and COMMIT, so
 * this is asked in the transaction that acts on it. The row stays locked: nobody changes the password meanwhile; with
 * `update`, nothing of the user's is made meanwhile either.
 */
export async function lockVerifiedUser(
  tx: Tx,
  { id, passwordHash }: VerifiedUser,
  lock: 'no key update' | 'update',
): Promise<boolean> {
  const found = await tx.query<unknown[]>(
    `select from users where id = $1 and id > 0 and password_hash is not distinct from $2 for ${lock}`,
    [id, passwordHash],
  );
  return found.length > 0;
}
