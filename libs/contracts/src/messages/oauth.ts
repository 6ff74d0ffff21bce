import { z } from 'zod';
import { Scope } from '../account-fields.js';
import { command, type MessageTable } from '../message.js';

/**
 * Parameters of a query or a form: the first value of each, and the names of repeated parameters.
 */
const OAuthParameters = z.object({
  given: z.record(z.string(), z.string()),
  repeated: z.array(z.string()),
});
export type OAuthParameters = z.output<typeof OAuthParameters>;

/** Result of an authorization request. */
export const Authorization = z.discriminatedUnion('next', [
  /** An error page: without a valid redirect URI the error cannot be returned to the client. */
  z.object({ next: z.literal('reject'), error: z.string(), description: z.string() }),
  /** Redirect to the application, with a code or an error. */
  z.object({ next: z.literal('redirect'), to: z.string() }),
  z.object({ next: z.literal('sign-in') }),
  /**
   * Consent page. `granted` are the requested scopes that were granted before; the response goes to
   * `redirectUri`.
   */
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

/** A request of a client that authenticates by the header `Authorization` or in the form. */
const ClientRequest = z.object({ authorization: z.string().max(4_096).nullable(), form: OAuthParameters });

/** Response as defined by RFC 6749, 7009 and 7662. `body` is null for an empty body. */
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
      /** Null without a signed-in user. */
      userId: z.int().nullable(),
      /** Null before the user has decided. */
      decision: z.enum(['allow', 'deny']).nullable(),
    }),
    Authorization,
  ),
  'oauth.token': command(ClientRequest, OAuthResponse),
  'oauth.revoke': command(ClientRequest, OAuthResponse),
  'oauth.introspect': command(ClientRequest, OAuthResponse),
} as const satisfies MessageTable;
