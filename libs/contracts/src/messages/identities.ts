import { z } from 'zod';
import { emailAddress, opaque, userName } from '../account-fields.js';
import { command, query, type MessageTable } from '../message.js';
import { Visitor } from './sessions.js';

const providerName = z.string().regex(/^[a-z0-9-]{1,50}$/);

/** Path of this site to redirect to after signing in or linking. Empty: chosen by the gateway. */
const returnTo = z
  .string()
  .max(4_096)
  .regex(/^[^\0]*$/, { error: 'must not contain NUL characters' });

/** Value of a cookie that binds a sign-in to the browser that started it. */
const browserToken = opaque;

/** Sign-in with identity providers (OpenID Connect), and the identities linked to a user. */
export const identityMessages = {
  'identities.providers': query(
    z.object({}),
    z.object({ providers: z.array(z.object({ name: z.string(), label: z.string() })) }),
  ),
  /**
   * Starts a sign-in; with `userId`, the linking of an identity to that user. Returns the URL of
   * the provider, to which the browser is redirected.
   */
  'identities.begin': command(
    z.object({ provider: providerName, browserToken, userId: z.int().nullable(), returnTo, visitor: Visitor }),
    z.object({ url: z.string() }),
  ),
  /** Handles the parameters of the provider's redirect. */
  'identities.finish': command(
    z.object({ provider: providerName, browserToken, parameters: z.record(z.string(), z.string()), visitor: Visitor }),
    z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('signed-in'), session: opaque, returnTo }),
      z.object({ outcome: z.literal('linked'), returnTo }),
      /**
       * The identity is new: the visitor chooses a user name, and signs up with `ticket`, which
       * proves the identity.
       */
      z.object({
        outcome: z.literal('new'),
        ticket: opaque,
        label: z.string(),
        suggestion: z.object({ name: z.string(), email: z.string() }),
      }),
    ]),
    20_000,
  ),
  'identities.sign-up': command(
    z.object({ ticket: opaque, browserToken, name: userName, email: emailAddress, visitor: Visitor }),
    z.object({ session: opaque, returnTo }),
  ),
  'identities.list': query(
    z.object({ userId: z.int() }),
    z.object({
      identities: z.array(
        z.object({ id: z.int(), provider: z.string(), label: z.string(), nickname: z.string().nullable() }),
      ),
    }),
  ),
  /** Rejects the removal of the last sign-in method. */
  'identities.unlink': command(z.object({ userId: z.int(), identityId: z.int() }), z.null()),
} as const satisfies MessageTable;
