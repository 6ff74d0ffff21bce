import { z } from 'zod';
import { emailAddress, login, newPassword, opaque, typedPassword, userName } from '../account-fields.js';
import { Language } from '../language.js';
import { command, query, type MessageTable } from '../message.js';

/**
 * Client of a request. Sign-in attempts are limited by IP address; sessions store the user agent;
 * mail is in the language of the pages.
 */
export const Visitor = z.object({
  address: z.string().max(64),
  userAgent: z
    .string()
    .max(512)
    .regex(/^[^\0]*$/, { error: 'must not contain NUL characters' })
    .nullable(),
  /** The previous version does not send it. */
  language: Language.default('en'),
});
export type Visitor = z.output<typeof Visitor>;

/**
 * Signed-in user, for the pages. `hasPassword` is false for users who sign in with a provider only.
 */
export const SessionUser = z.object({
  id: z.int(),
  name: z.string(),
  displayName: z.string().nullable(),
  email: z.string(),
  hasPassword: z.boolean(),
  /**
   * True if the session was opened within the last ten minutes. The previous version does not send
   * it.
   */
  isRecent: z.boolean().default(true),
  /** The previous version does not send it. */
  emailConfirmed: z.boolean().default(true),
});
export type SessionUser = z.output<typeof SessionUser>;

const Opened = z.object({ session: opaque });
const userId = z.int();
/** Current password; null for users without a password. */
export const currentPassword = typedPassword.nullable();

/** Browser sessions. A session is an opaque value in a cookie; only its hash is stored. */
export const sessionMessages = {
  'users.sign-up': command(
    z.object({ name: userName, email: emailAddress, password: newPassword, visitor: Visitor }),
    Opened,
  ),
  /**
   * Checks the valid fields of a sign-up form whose other fields are invalid. Its errors are those
   * of `users.sign-up`, and it counts as a sign-up.
   */
  'users.check-sign-up': query(
    z.object({
      name: userName.optional(),
      email: emailAddress.optional(),
      password: newPassword.optional(),
      visitor: Visitor,
    }),
    z.null(),
  ),
  'sessions.open': command(z.object({ login, password: typedPassword, visitor: Visitor }), Opened),
  'sessions.show': query(
    z.object({ session: opaque }),
    z.discriminatedUnion('active', [
      z.object({ active: z.literal(true), user: SessionUser }),
      z.object({ active: z.literal(false) }),
    ]),
  ),
  'sessions.close': command(z.object({ session: opaque }), z.null()),
  'users.change-email': command(
    z.object({ userId, email: emailAddress, password: currentPassword, visitor: Visitor }),
    z.null(),
  ),
  /**
   * Checks the passwords of a form whose other fields are invalid. Its errors are those of
   * `users.change-password`, and a wrong password counts as a sign-in attempt.
   */
  'users.check-passwords': query(
    z.object({ userId, password: currentPassword.optional(), newPassword: newPassword.optional(), visitor: Visitor }),
    z.null(),
  ),
  /**
   * Ends all sessions of the user and opens a new one. `endAccess` also replaces the personal key
   * and revokes all tokens and consents.
   */
  'users.change-password': command(
    z.object({
      userId,
      password: currentPassword,
      newPassword,
      endAccess: z.boolean().default(false),
      visitor: Visitor,
    }),
    Opened,
  ),
  /** `name` is the name of the user, typed as confirmation. */
  'users.delete-account': command(
    z.object({ userId, name: z.string().max(254), password: currentPassword, visitor: Visitor }),
    z.null(),
  ),
} as const satisfies MessageTable;
