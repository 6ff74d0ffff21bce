import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/**
 * Argon2id with 19 MiB, two passes, one lane: the minimum that the OWASP Password Storage Cheat
 * Sheet recommends. The library hashes in a thread pool, not in the event loop. The values equal
 * the library's defaults; they are set here so that an update of the library does not change them.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Normalizes composed and decomposed, wide and narrow characters, so that a password typed on any
 * keyboard is the same.
 */
const normalizePassword = (password: string): string => password.normalize('NFKC');

/** Returns a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$...`, with a new salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), parameters);
}

/** Hash of a random password, verified when there is no user or the user has no password. */
let decoyHash: Promise<string> | undefined;

/**
 * Returns true for the right password. A null hash means no user, or a user without a password: the
 * result is false after the same work, so that the response time does not reveal which names exist.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  // Computed by the first call, also when it is not needed; only that call takes longer
  const decoy = await (decoyHash ??= hashPassword(randomBytes(32).toString('base64url')));
  const isMatch = await verify(passwordHash ?? decoy, normalizePassword(password));
  return isMatch && passwordHash !== null;
}
