import { hash } from '@node-rs/argon2';

/**
 * Argon2id with 19 MiB, two passes, one lane: the first choice of the OWASP Password Storage Cheat Sheet. The library
 * computes it in its thread pool; its defaults are the same numbers, which are spelled out so that an update of the
 * library does not change them.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A PHC string, `$argon2id$v=19$m=19456,t=2,p=1$...`, with a fresh salt. */
export function hashPassword(password: string): Promise<string> {
  // Composed or decomposed, wide or narrow: what one keyboard writes is the same password on another
  return hash(password.normalize('NFKC'), parameters);
}
