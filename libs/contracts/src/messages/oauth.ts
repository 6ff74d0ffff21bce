import { z } from 'zod';
import { Scope } from '../account-fields.js';
import { command, type MessageTable } from '../message.js';

/** Parameters of a query or a form: the first value of each, and the names of those that were given more than once. */
const OAuthParameters = z.object({
  given: z.record(z.string(), z.string()),
  repeated: z.array(z.string()),
});
export type OAuthParameters = z.output<typeof OAuthParameters>;

/** What an authorization request leads to. */
export const Authorization = z.discriminatedUnion('next', [
  /** A page says what is wrong: there is no address that can be trusted to take the error. */
  z.object({ next: z.literal('reject'), error: z.string(), description: z.string() }),
  /** The browser goes back to the application, with a code or with an error. */
  z.object({ next: z.literal('redirect'), to: z.string() }),
  z.object({ next: z.literal('sign-in') }),
  /** The user is asked. `granted` is what they have allowed before; `redirectUri` is where the answer goes. */
  z.object({
    next: z.literal('consent'),
    application: z.object({
      name: z.string(),
      description: z.string(),
      homePage: z.string().nullable(),
      ownerName: z.string(),
    }),
    scopes: z.array(Scope),
    granted: z.array(Scope),
    redirectUri: z.string(),
  }),
]);
export type Authorization = z.output<typeof Authorization>;

/** A request of a client, which proves itself by `Authorization` or in the form. */
const ClientRequest = z.object({ authorization: z.string().max(4_096).nullable(), form: OAuthParameters });

/** An answer as RFC 6749, 7009 and 7662 want it. `body` null: none. */
const OAuthResponse = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.record(z.string(), z.unknown()).nullable(),
});
export type OAuthResponse = z.output<typeof OAuthResponse>;

export const oauthMessages = {
  'oauth.authorize': command(
    z.object({
      query: OAuthParameters,
      /** Null: nobody is signed in. */
      userId: z.int().nullable(),
      /** Null: the user was not asked yet. */
      decision: z.enum(['allow', 'deny']).nullable(),
    }),
    Authorization,
  ),
  'oauth.token': command(ClientRequest, OAuthResponse),
  'oauth.revoke': command(ClientRequest, OAuthResponse),
  'oauth.introspect': command(ClientRequest, OAuthResponse),
} as const satisfies MessageTable;
