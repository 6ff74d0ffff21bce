import { z } from 'zod';
import { problems, typedPassword } from '#contracts';
import { DomainError } from '#kernel';
import type { Member } from '../pages/page-context.js';

/**
 * Requires a sign-in of the last 10 minutes, which a stolen session soon no longer has: to change the ways to sign in, and
 * in place of the password of a user without one.
 *
 * @throws DomainError `sign-in.too-old`
 */
export function checkRecentSignIn({ isRecent }: Member): void {
  if (isRecent) return;
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
