import { z } from 'zod';
import { applicationDescription, applicationName, redirectUriText, Scope, userName } from '../account-fields.js';
import { webUrl } from '../field.js';
import { byOperator, command, query, type MessageTable } from '../message.js';
import { idempotency } from './idempotency.js';

const registration = {
  name: applicationName,
  description: applicationDescription,
  homePage: webUrl.nullable(),
  redirectUris: z.array(redirectUriText).min(1).max(10),
  scopes: z.array(Scope).min(1),
  /** True if authorization responses contain `iss` (RFC 9207). */
  namesIssuer: z.boolean().default(false),
};

/**
 * An application as shown to its owner. `users` is the number of users who authorized it. Times are
 * ISO 8601 in UTC.
 */
export const Application = z.object({
  id: z.int(),
  clientId: z.string(),
  name: z.string(),
  description: z.string(),
  homePage: z.string().nullable(),
  redirectUris: z.array(z.string()),
  scopes: z.array(Scope),
  /** True if authorization responses contain `iss` (RFC 9207). */
  namesIssuer: z.boolean().default(false),
  /** True for a confidential client (RFC 6749, section 2.1). Set at registration. */
  confidential: z.boolean(),
  users: z.int(),
  createdAt: z.string(),
});
export type Application = z.output<typeof Application>;

/** Consent of a user to an application: the scopes that the user allows it. */
export const Consent = z.object({
  applicationId: z.int(),
  name: z.string(),
  description: z.string(),
  homePage: z.string().nullable(),
  scopes: z.array(Scope),
  since: z.string(),
  lastUsedAt: z.string().nullable(),
});
export type Consent = z.output<typeof Consent>;

const owned = { ownerId: z.int(), applicationId: z.int() };
const clientSecret = z.string();
const OperatorApplication = Application.extend({ ownerName: z.string() });

export const applicationMessages = {
  'applications.list': query(z.object({ ownerId: z.int() }), z.object({ applications: z.array(Application) })),
  'applications.get': query(z.object(owned), Application),
  /** Returns the secret of a confidential client. No other message returns this secret. */
  'applications.create': command(
    z.object({ ownerId: z.int(), ...registration, confidential: z.boolean(), idempotency }),
    z.object({ applicationId: z.int(), clientId: z.string(), clientSecret: clientSecret.nullable() }),
  ),
  'applications.update': command(z.object({ ...owned, ...registration }), Application),
  /** Invalidates the old secret immediately. */
  'applications.renew-secret': command(z.object({ ...owned, idempotency }), z.object({ clientSecret })),
  /** Also revokes all tokens and consents of the application. */
  'applications.delete': command(z.object(owned), z.null()),
  /** Returns the newest 200 applications of all users or of one user. */
  'applications.find': byOperator(
    query(z.object({ ownerName: userName.optional() }), z.object({ applications: z.array(OperatorApplication) })),
  ),
  'applications.show': byOperator(query(z.object({ applicationId: z.int() }), OperatorApplication)),
  'applications.remove': byOperator(command(z.object({ applicationId: z.int() }), OperatorApplication)),

  'consents.list': query(z.object({ userId: z.int() }), z.object({ consents: z.array(Consent) })),
  /** Deletes the consent, and revokes all tokens of the application for the user, immediately. */
  'consents.revoke': command(z.object({ userId: z.int(), applicationId: z.int() }), z.object({ revoked: z.boolean() })),
} as const satisfies MessageTable;
