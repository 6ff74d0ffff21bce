import { z } from 'zod';
import { emailAddress, newPassword, opaque, Scope, userName } from '../account-fields.js';
import { text } from '../field.js';
import { command, question, type MessageTable } from '../message.js';
import { UserUpdateBody } from '../requests.js';
import { SelfResponse, UserListResponse, UserResponse } from '../responses.js';
import { applicationMessages } from './applications.js';
import { healthMessages } from './health.js';
import { identityMessages } from './identities.js';
import { oauthMessages } from './oauth.js';
import { sessionMessages } from './sessions.js';

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

/** Pages know their user by id: a name is free again as soon as its user has left. Operators type the name. */
const KeyOwner = z.union([z.object({ userId: z.int() }), z.object({ userName })]);
export type KeyOwner = z.output<typeof KeyOwner>;

export const accountsMessages = {
  ...healthMessages,
  ...sessionMessages,
  ...identityMessages,
  ...applicationMessages,
  ...oauthMessages,
  'tokens.introspect': question(z.object({ token: opaque }), Introspection),
  'tokens.create': command(z.object({ userName, scopes: z.array(Scope).min(1) }), z.object({ token: z.string() })),
  /** By an operator, who knows the token or its name in `tokens.list`. */
  'tokens.revoke': command(
    z.union([z.object({ token: opaque }), z.object({ tokenHash: z.hex().length(64) })]),
    z.object({ revoked: z.boolean() }),
  ),
  'tokens.list': question(z.object({ userName }), z.object({ tokens: z.array(OperatorToken) })),
  'keys.show': question(KeyOwner, z.object({ apiKey: z.string() })),
  'keys.replace': command(KeyOwner, z.object({ apiKey: z.string() })),
  'users.create': command(
    z.object({
      name: userName,
      email: emailAddress,
      password: newPassword,
      displayName: text(0, 255).nullable().default(null),
    }),
    z.object({ id: z.int(), name: z.string(), apiKey: z.string() }),
  ),
  'users.list': question(
    z.object({ viewerId: z.int(), limit: z.int(), offset: z.int(), name: z.string().optional() }),
    UserListResponse,
  ),
  'users.get': question(z.object({ viewerId: z.int(), userId: z.int() }), UserResponse),
  'users.self': question(z.object({ viewerId: z.int() }), SelfResponse),
  'users.update': command(UserUpdateBody.unwrap().extend({ viewerId: z.int() }), SelfResponse),
  /** By an operator: marks the user as an official one of the shop, or takes the mark away. */
  'users.mark-official': command(z.object({ name: userName, official: z.boolean() }), OperatorUser),
  /** By an operator: sets another password, a random one when none is given, and ends all sessions. */
  'users.reset-password': command(
    z.object({ name: userName, password: newPassword.optional() }),
    z.object({ name: z.string(), password: z.string() }),
  ),
  /** By an operator: the user and everything that is theirs. */
  'users.remove': command(z.object({ name: userName }), z.object({ id: z.int(), name: z.string() })),
  'users.show': question(z.object({ name: userName }), OperatorUser),
} as const satisfies MessageTable;
