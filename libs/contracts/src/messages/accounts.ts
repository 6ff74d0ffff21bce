import { z } from 'zod';
import { displayName, emailAddress, newPassword, opaque, Scope, userName } from '../account-fields.js';
import { byOperator, command, question, type MessageTable } from '../message.js';
import { UserUpdateBody } from '../requests.js';
import { SelfResponse, UserListResponse, UserResponse } from '../responses.js';
import { applicationMessages } from './applications.js';
import { healthMessages } from './health.js';
import { identityMessages } from './identities.js';
import { oauthMessages } from './oauth.js';
import { presentPassword, sessionMessages, Visitor } from './sessions.js';

/**
 * What a token allows, or that it allows nothing. `tokenHash`, the SHA-256 of the token in hexadecimal digits, names
 * the token in `token.revoked`; `expiresAt` is ISO 8601 in UTC, null for one that lives until it is revoked.
 */
export const Introspection = z.discriminatedUnion('active', [
  z.object({
    active: z.literal(true),
    userId: z.int(),
    scopes: z.array(Scope),
    tokenHash: z.string(),
    expiresAt: z.string().nullable().default(null),
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

/** A token as an operator sees it. Points in time are ISO 8601 in UTC. */
const OperatorToken = z.object({
  tokenHash: z.string(),
  kind: z.enum(['personal', 'token']),
  scopes: z.array(Scope),
  /** Null for a personal key, and for one that an operator has made. */
  application: z.string().nullable(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
});

/**
 * Whose personal key. Pages send the user's id, because a name is free again once its user is deleted, and the password,
 * which is counted as an attempt to sign in.
 */
const KeyRequest = z.object({ userId: z.int(), password: presentPassword, visitor: Visitor });
const apiKey = z.object({ apiKey: z.string() });

export const accountsMessages = {
  ...healthMessages,
  ...sessionMessages,
  ...identityMessages,
  ...applicationMessages,
  ...oauthMessages,
  'tokens.introspect': question(z.object({ token: opaque }), Introspection),
  'tokens.create': byOperator(
    command(z.object({ userName, scopes: z.array(Scope).min(1) }), z.object({ token: z.string() })),
  ),
  /** By the token or by its name in `tokens.list`. */
  'tokens.revoke': byOperator(
    command(
      z.union([z.object({ token: opaque }), z.object({ tokenHash: z.hex().length(64) })]),
      z.object({ revoked: z.boolean() }),
    ),
  ),
  'tokens.list': byOperator(question(z.object({ userName }), z.object({ tokens: z.array(OperatorToken) }))),
  'keys.show': question(KeyRequest, apiKey),
  'keys.replace': command(KeyRequest, apiKey),
  'keys.show-by-name': byOperator(question(z.object({ userName }), apiKey)),
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
  'users.list': question(
    z.object({ viewerId: z.int(), limit: z.int(), offset: z.int(), name: z.string().optional() }),
    UserListResponse,
  ),
  'users.get': question(z.object({ viewerId: z.int(), userId: z.int() }), UserResponse),
  'users.self': question(z.object({ viewerId: z.int() }), SelfResponse),
  'users.update': command(UserUpdateBody.unwrap().extend({ viewerId: z.int() }), SelfResponse),
  /** Marks the user as an official one of the shop, or takes the mark away. */
  'users.mark-official': byOperator(command(z.object({ name: userName, official: z.boolean() }), OperatorUser)),
  /**
   * Sets another password, a random one when none is given, and ends all sessions; `endAccess` also replaces the personal
   * key and ends all tokens.
   */
  'users.reset-password': byOperator(
    command(
      z.object({ name: userName, password: newPassword.optional(), endAccess: z.boolean().default(false) }),
      z.object({ name: z.string(), password: z.string() }),
    ),
  ),
  /** The user and everything that is theirs. */
  'users.remove': byOperator(command(z.object({ name: userName }), z.object({ id: z.int(), name: z.string() }))),
  'users.show': question(z.object({ name: userName }), OperatorUser),
} as const satisfies MessageTable;
