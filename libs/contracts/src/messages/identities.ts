import { z } from 'zod';
import { emailAddress, opaque, userName } from '../account-fields.js';
import { command, question, type MessageTable } from '../message.js';
import { Visitor } from './sessions.js';

const providerName = z.string().regex(/^[a-z0-9-]{1,50}$/);

/** A path of this site, to go on at. */
const returnTo = z
  .string()
  .max(4_096)
  .regex(/^[^\0]*$/, { error: 'must not contain NUL' });

/** The value of the browser's cookie, so that what one browser has begun no other can finish. */
const visit = opaque;

/** Signing in through other services (OpenID Connect), and what is linked to an account. */
export const identityMessages = {
  'identities.providers': question(
    z.object({}),
    z.object({ providers: z.array(z.object({ name: z.string(), label: z.string() })) }),
  ),
  /** With a `userId` the identity is to be linked to that user. `url` is where the browser goes. */
  'identities.begin': command(
    z.object({ provider: providerName, visit, userId: z.int().nullable(), returnTo, visitor: Visitor }),
    z.object({ url: z.string() }),
  ),
  /** What the provider has sent the browser back with. */
  'identities.finish': command(
    z.object({ provider: providerName, visit, parameters: z.record(z.string(), z.string()), visitor: Visitor }),
    z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('signed-in'), session: opaque, returnTo }),
      z.object({ outcome: z.literal('linked'), returnTo }),
      /** Nobody has this identity yet: the person chooses a name, and `ticket` proves the rest. */
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
    z.object({ ticket: opaque, visit, name: userName, email: emailAddress, visitor: Visitor }),
    z.object({ session: opaque, returnTo }),
  ),
  'identities.list': question(
    z.object({ userId: z.int() }),
    z.object({
      identities: z.array(
        z.object({ id: z.int(), provider: z.string(), label: z.string(), nickname: z.string().nullable() }),
      ),
    }),
  ),
  /** Refused when it is the last way to sign in. */
  'identities.unlink': command(z.object({ userId: z.int(), identityId: z.int() }), z.null()),
} as const satisfies MessageTable;
