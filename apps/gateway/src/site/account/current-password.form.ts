import { z } from 'zod';
import { problems, typedPassword } from '#contracts';
import { DomainError } from '#kernel';
import type { Member } from '../pages/page-context.js';

/**
 * Requires a sign-in within the last 10 minutes. It protects changes to the ways to sign in from a
 * stolen session, and replaces the password check for users without a password.
 *
 * @throws DomainError `sign-in.too-old`
 */
export function checkRecentSignIn({ isRecent }: Member): void {
  if (isRecent) return;
  throw new DomainError(problems['sign-in.too-old'], 'Sign out, sign in again, and repeat this within 10 minutes.');
}

/**
 * Schema of the field for the current password. Null for a user without a password, who must have
 * signed in recently instead.
 */
export const currentPassword = (user: Member): z.ZodType<string | null> =>
  user.hasPassword
    ? typedPassword.min(1)
    : z
        .null()
        .catch(null)
        .transform((none) => {
          checkRecentSignIn(user);
          return none;
        });
