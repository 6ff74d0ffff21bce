import { createHash, randomBytes } from 'node:crypto';

/** Generates a token: 32 random bytes as 43 characters of URL-safe base64. */
export const generateToken = (): string => randomBytes(32).toString('base64url');

/**
 * Returns the hash under which a token is stored and looked up. A plain SHA-256 suffices: a token
 * has 256 random bits, so it cannot be guessed, and the timing of an index lookup by hash reveals
 * nothing.
 */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the identifier of a token in events and replies: its hash in 64 hexadecimal digits. */
export const hashToHex = (hash: Buffer): string => hash.toString('hex');
