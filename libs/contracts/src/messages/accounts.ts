import { z } from 'zod';
import { displayName, emailAddress, newPassword, opaque, TokenScope, userName } from '../account-fields.js';
import { text } from '../field.js';
import { byOperator, command, query, type MessageTable } from '../message.js';
import { operatorPage } from '../paging.js';
import { UserUpdateBody } from '../requests.js';
import { CurrentUserResponse, UserListResponse, UserResponse } from '../responses.js';
import { applicationMessages } from './applications.js';
import { healthMessages } from './health.js';
import { idempotency } from './idempotency.js';
import { identityMessages } from './identities.js';
import { mailMessages } from './mail.js';
import { oauthMessages } from './oauth.js';
import { currentPassword, sessionMessages, Visitor } from './sessions.js';

/**
 * Result of a token introspection. `tokenHash`, the SHA-256 of the token in hexadecimal digits,
 * identifies the token in `token.revoked`. `expiresAt` is ISO 8601 in UTC, null for a token without
 * expiry. `applicationId` is the application to which the user has granted the token, null for a
 * personal key and for a token created by the operator. The version before does not return it.
 */
export const Introspection = z.discriminatedUnion('active', [
  z.object({
    active: z.literal(true),
    userId: z.int(),
    scopes: z.array(TokenScope),
    tokenHash: z.string(),
    expiresAt: z.string().nullable().default(null),
    applicationId: z.int().nullable().optional(),
  }),
  z.object({ active: z.literal(false) }),
]);
export type Introspection = z.output<typeof Introspection>;

const OperatorUser = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  displayName: z.string().nullable(),
  official: z.boolean(),
  createdAt: z.string(),
});

/** A token as shown to the operator. Times are ISO 8601 in UTC. */
const OperatorToken = z.object({
  tokenHash: z.string(),
  kind: z.enum(['personal', 'token']),
  scopes: z.array(TokenScope),
  /** Null for a personal key and for a token created by the operator. */
  application: z.string().nullable(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
});

/**
 * Request for the personal key of a user. Pages send the id, because the name of a deleted user can
 * be taken again, and the password, whose verification counts as a sign-in attempt.
 */
const KeyRequest = z.object({ userId: z.int(), password: currentPassword, visitor: Visitor });
const apiKey = z.object({ apiKey: z.string() });

export const accountsMessages = {
  ...healthMessages,
  ...sessionMessages,
  ...identityMessages,
  ...applicationMessages,
  ...oauthMessages,
  ...mailMessages,
  'tokens.introspect': query(z.object({ token: opaque }), Introspection),
  'tokens.create': byOperator(
    command(z.object({ userName, scopes: z.array(TokenScope).min(1) }), z.object({ token: z.string() })),
  ),
  /** Accepts the token or its `tokenHash` from `tokens.list`. */
  'tokens.revoke': byOperator(
    command(
      z.union([z.object({ token: opaque }), z.object({ tokenHash: z.hex().length(64) })]),
      z.object({ revoked: z.boolean() }),
    ),
  ),
  'tokens.list': byOperator(query(z.object({ userName }), z.object({ tokens: z.array(OperatorToken) }))),
  'keys.show': query(KeyRequest, apiKey),
  'keys.replace': command(KeyRequest.extend({ idempotency }), apiKey),
  'keys.show-by-name': byOperator(query(z.object({ userName }), apiKey)),
  'keys.replace-by-name': byOperator(command(z.object({ userName }), apiKey)),
  'users.create': byOperator(
    command(
      z.object({
        name: userName,
        email: emailAddress,
        password: newPassword,
        displayName: displayName.nullable().default(null),
      }),
      z.object({ id: z.int(), name: z.string(), apiKey: z.string() }),
    ),
  ),
  'users.list': query(
    z.object({ viewerId: z.int(), limit: z.int(), offset: z.int(), name: z.string().optional() }),
    UserListResponse,
  ),
  'users.get': query(z.object({ viewerId: z.int(), userId: z.int() }), UserResponse),
  'users.self': query(z.object({ viewerId: z.int() }), CurrentUserResponse),
  'users.update': command(UserUpdateBody.unwrap().extend({ viewerId: z.int() }), CurrentUserResponse),
  /** Sets or clears the flag of official users of the shop. */
  'users.mark-official': byOperator(command(z.object({ name: userName, official: z.boolean() }), OperatorUser)),
  /**
   * Sets a new password, a random one by default, and ends all sessions. `endAccess` also replaces
   * the personal key and revokes all tokens and consents.
   */
  'users.reset-password': byOperator(
    command(
      z.object({ name: userName, password: newPassword.optional(), endAccess: z.boolean().default(false) }),
      z.object({ name: z.string(), password: z.string() }),
    ),
  ),
  /** Deletes the user. The other services delete their data of the user later, through events. */
  'users.remove': byOperator(command(z.object({ name: userName }), z.object({ id: z.int(), name: z.string() }))),
  'users.show': query(z.object({ name: userName }), OperatorUser),
  /**
   * Returns a page of users, newest first. With `text`: users whose name contains it, or whose
   * e-mail address equals it, ignoring case. `nextOffset` is null on the last page.
   */
  'users.find': byOperator(
    query(
      z.object({ text: text(1, 255).optional(), ...operatorPage }),
      z.object({ users: z.array(OperatorUser), nextOffset: z.int().nullable() }),
    ),
  ),
} as const satisfies MessageTable;
