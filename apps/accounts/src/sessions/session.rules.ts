import { generateToken, hashToken } from '../tokens/token.crypto.js';

/** Lifetime of a session from the sign-in, used or not. */
export const sessionLifetimeDays = 14;

/** Maximum number of sessions of a user. A further session replaces the oldest. */
export const maxSessionsPerUser = 50;

/**
 * Session that is not stored yet. `session` is the value for the browser; the other fields are
 * stored.
 */
export interface NewSession {
  readonly session: string;
  readonly hash: Buffer;
  readonly userAgent: string | null;
}

/**
 * Generates a session. Against session fixation, its value is always generated here: a value from a
 * client is only looked up, never stored.
 */
export function generateSession(userAgent: string | null): NewSession {
  const session = generateToken();
  return { session, hash: hashToken(session), userAgent };
}
