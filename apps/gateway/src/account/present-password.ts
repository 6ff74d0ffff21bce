import { z } from 'zod';
import { problems, typedPassword } from '#contracts';
import { DomainError } from '#kernel';
import type { Member } from '../pages/visit.js';

/**
 * Proves a recent sign-in of a user without a password, for whom it stands in for the password: a stolen session gets old.
 *
 * @throws DomainError `sign-in.too-old`
 */
export function checkRecentSignIn({ hasPassword, isRecent }: Member): void {
  if (hasPassword || isRecent) return;
  throw new DomainError(problems['sign-in.too-old'], 'Sign out, sign in again, and repeat this within 10 minutes.');
}

/** The field of a form that asks for the password. Null for a user without one, who has to have signed in recently. */
export const presentPassword = (user: Member): z.ZodType<string | null> =>
  user.hasPassword
    ? typedPassword.min(1)
    : z
        .null()
        .catch(null)
        .transform((none) => {
          checkRecentSignIn(user);
          return none;
        });
