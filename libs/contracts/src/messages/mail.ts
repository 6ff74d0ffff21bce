import { z } from 'zod';
import { emailAddress, newPassword, opaque } from '../account-fields.js';
import { Language } from '../language.js';
import { command, query, type MessageTable } from '../message.js';
import { Visitor } from './sessions.js';

/**
 * Mail to users: links that reset a password or confirm an e-mail address. `token` is the opaque
 * part of a link.
 */
export const mailMessages = {
  /** Returns false if the operator has configured no mail server: no link can be sent. */
  'mail.show': query(z.object({}), z.object({ enabled: z.boolean() })),
  /** Sends a link to the user with this e-mail address. The reply does not reveal the user. */
  'passwords.request-reset': command(z.object({ email: emailAddress, visitor: Visitor }), z.null()),
  /**
   * Returns the user of a link; null if the link is unknown, used, replaced or expired, or was sent
   * to an earlier address of the user.
   */
  'passwords.show-reset': query(z.object({ token: opaque }), z.object({ userName: z.string().nullable() })),
  /**
   * Sets the password and ends all sessions of the user. `endAccess` also replaces the personal key
   * and revokes all tokens and consents.
   */
  'passwords.reset': command(
    z.object({
      token: opaque,
      newPassword,
      endAccess: z.boolean().default(false),
      /** Of the mail that confirms the change. */
      language: Language.default('en'),
    }),
    z.null(),
  ),
  /** Sends a link to the e-mail address of the user. No effect if the address is confirmed. */
  'emails.request-confirmation': command(z.object({ userId: z.int(), visitor: Visitor }), z.null()),
  'emails.confirm': command(z.object({ token: opaque }), z.null()),
} as const satisfies MessageTable;
