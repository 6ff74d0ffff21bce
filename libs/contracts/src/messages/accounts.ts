import { z } from 'zod';
import { text } from '../field.js';
import { command, question, type MessageTable } from '../message.js';
import { UserUpdateBody } from '../requests.js';
import { SelfResponse, UserListResponse, UserResponse } from '../responses.js';
import { healthMessages } from './health.js';

export const scopes = ['read', 'write'] as const;
export const Scope = z.enum(scopes);
export type Scope = z.output<typeof Scope>;

/**
 * What a token allows, or that it allows nothing. `tokenHash`, the SHA-256 of the token in hexadecimal digits, names
 * the token in `token.revoked`.
 */
export const Introspection = z.discriminatedUnion('active', [
  z.object({ active: z.literal(true), userId: z.int(), scopes: z.array(Scope), tokenHash: z.string() }),
  z.object({ active: z.literal(false) }),
]);
export type Introspection = z.output<typeof Introspection>;

export const userName = z
  .string()
  .min(1)
  .max(50)
  .regex(/^[\w-]+$/, { error: 'must consist of word characters and hyphens' });

const OperatorUser = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  displayName: z.string().nullable(),
  official: z.boolean(),
  createdAt: z.string(),
});

export const accountsMessages = {
  ...healthMessages,
  'tokens.introspect': question(z.object({ token: z.string().max(512) }), Introspection),
  'tokens.create': command(z.object({ userName, scopes: z.array(Scope).min(1) }), z.object({ token: z.string() })),
  'tokens.revoke': command(z.object({ token: z.string().max(512) }), z.object({ revoked: z.boolean() })),
  'keys.show': question(z.object({ userName }), z.object({ apiKey: z.string() })),
  'keys.replace': command(z.object({ userName }), z.object({ apiKey: z.string() })),
  'users.create': command(
    z.object({
      name: userName,
      email: z.email({ error: 'must be an e-mail address' }).max(254),
      password: z.string().min(10, { error: 'must have at least 10 characters' }).max(1_000),
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
  'users.show': question(z.object({ name: userName }), OperatorUser),
} as const satisfies MessageTable;
