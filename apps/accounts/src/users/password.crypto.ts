import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/**
 * Argon2id with 19 MiB, two passes, one lane: the first choice of the OWASP Password Storage Cheat Sheet. The library
 * computes it in its thread pool; its defaults are the same numbers, which are spelled out so that an update of the
 * library does not change them.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Composed or decomposed, wide or narrow: what one keyboard writes is the same password on another. */
const composed = (password: string): string => password.normalize('NFKC');

/** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$...`, with a fresh salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(composed(password), parameters);
}

/** The hash of a password that nobody knows. */
let nobodys: Promise<string> | undefined;

/**
 * Whether it is the password. Null stands for no user, or for one without a password: the answer is no, after the same
 * work, so that the time tells nobody which names exist.
 */
export async function verifyPassword(hashed: string | null, typed: string): Promise<boolean> {
  // Made by whoever is first, also where it is not needed: it is the one time that takes longer
  const decoy = await (nobodys ??= hashPassword(randomBytes(32).toString('base64url')));
  const isSame = await verify(hashed ?? decoy, composed(typed));
  return isSame && hashed !== null;
}
