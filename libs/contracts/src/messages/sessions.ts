import { z } from 'zod';
import { emailAddress, login, newPassword, opaque, typedPassword, userName } from '../account-fields.js';
import { command, question, type MessageTable } from '../message.js';

/** Where a person comes from: what attempts are counted by, and what a session is recognised by in a list. */
export const Visitor = z.object({
  address: z.string().max(64),
  userAgent: z
    .string()
    .max(512)
    .regex(/^[^\0]*$/, { error: 'must not contain NUL' })
    .nullable(),
});
export type Visitor = z.output<typeof Visitor>;

/** Who is signed in, as the pages need it. `hasPassword` is false for those who only sign in through a provider. */
export const SessionUser = z.object({
  id: z.int(),
  name: z.string(),
  displayName: z.string().nullable(),
  email: z.string(),
  hasPassword: z.boolean(),
  /** The session was opened within the last ten minutes. An accounts service of the version before does not report it. */
  isRecent: z.boolean().default(true),
});
export type SessionUser = z.output<typeof SessionUser>;

const Opened = z.object({ session: opaque });
const userId = z.int();
/** The present password; null from those who have none. */
export const presentPassword = typedPassword.nullable();

/** People at their browser: a session is an opaque value in a cookie, known here by its hash. */
export const sessionMessages = {
  'users.sign-up': command(
    z.object({ name: userName, email: emailAddress, password: newPassword, visitor: Visitor }),
    Opened,
  ),
  'sessions.open': command(z.object({ login, password: typedPassword, visitor: Visitor }), Opened),
  'sessions.show': question(
    z.object({ session: opaque }),
    z.discriminatedUnion('active', [
      z.object({ active: z.literal(true), user: SessionUser }),
      z.object({ active: z.literal(false) }),
    ]),
  ),
  'sessions.close': command(z.object({ session: opaque }), z.null()),
  'users.change-email': command(
    z.object({ userId, email: emailAddress, password: presentPassword, visitor: Visitor }),
    z.null(),
  ),
  /** Ends every session of the user and opens a new one; `endAccess` also replaces the personal key and ends all tokens. */
  'users.change-password': command(
    z.object({
      userId,
      password: presentPassword,
      newPassword,
      endAccess: z.boolean().default(false),
      visitor: Visitor,
    }),
    Opened,
  ),
  /** `name` is the user's own, typed as a confirmation. */
  'users.delete-account': command(
    z.object({ userId, name: z.string().max(254), password: presentPassword, visitor: Visitor }),
    z.null(),
  ),
} as const satisfies MessageTable;
