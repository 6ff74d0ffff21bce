import { freshToken, hashToken } from '../tokens/token.crypto.js';

/** A session lives this long from the sign-in on, used or not. */
export const sessionDays = 14;

/** The oldest of a user give way to newer ones. */
export const sessionsPerUser = 50;

/** A session that is not stored yet: `session` is for the browser, the rest is kept. */
export interface FreshSession {
  readonly session: string;
  readonly hash: Buffer;
  readonly userAgent: string | null;
}

/** The value is always made here: one that comes from outside is looked up and never becomes anybody's session. */
export function freshSession(userAgent: string | null): FreshSession {
  const session = freshToken();
  return { session, hash: hashToken(session), userAgent };
}
