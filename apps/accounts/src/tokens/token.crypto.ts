import { createHash, randomBytes } from 'node:crypto';

/** A token as its owner has it: 32 random bytes, 43 characters of URL-safe base64. */
export const freshToken = (): string => randomBytes(32).toString('base64url');

/**
 * What is stored of a token and looked up. A plain SHA-256 is enough: the token is 256 random bits, so there is nothing
 * to guess, and an index look-up of a hash tells nothing through its timing.
 */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** How a token is named where the token itself must not be: 64 hexadecimal digits. */
export const nameOfHash = (hash: Buffer): string => hash.toString('hex');
