import { z } from 'zod';
import { applicationDescription, applicationName, redirectUriText, Scope, userName } from '../account-fields.js';
import { webUrl } from '../field.js';
import { byOperator, command, question, type MessageTable } from '../message.js';

const registration = {
  name: applicationName,
  description: applicationDescription,
  homePage: webUrl.nullable(),
  redirectUris: z.array(redirectUriText).min(1).max(10),
  scopes: z.array(Scope).min(1),
  /** Whether authorization responses carry `iss` (RFC 9207). */
  namesIssuer: z.boolean().default(false),
};

/** An application as its owner sees it. `users` counts those who have allowed it; points in time are ISO 8601 in UTC. */
export const Application = z.object({
  id: z.int(),
  clientId: z.string(),
  name: z.string(),
  description: z.string(),
  homePage: z.string().nullable(),
  redirectUris: z.array(z.string()),
  scopes: z.array(Scope),
  /** Whether authorization responses carry `iss` (RFC 9207). */
  namesIssuer: z.boolean().default(false),
  /** Whether it can keep a secret. Settled when it is registered. */
  confidential: z.boolean(),
  users: z.int(),
  createdAt: z.string(),
});
export type Application = z.output<typeof Application>;

/** What one application may do in one user's name. */
export const Grant = z.object({
  applicationId: z.int(),
  name: z.string(),
  description: z.string(),
  homePage: z.string().nullable(),
  scopes: z.array(Scope),
  since: z.string(),
  lastUsedAt: z.string().nullable(),
});
export type Grant = z.output<typeof Grant>;

const owned = { ownerId: z.int(), applicationId: z.int() };
const clientSecret = z.string();
const OperatorApplication = Application.extend({ ownerName: z.string() });

export const applicationMessages = {
  'applications.list': question(z.object({ ownerId: z.int() }), z.object({ applications: z.array(Application) })),
  'applications.get': question(z.object(owned), Application),
  /** The secret is told once, to confidential ones. */
  'applications.create': command(
    z.object({ ownerId: z.int(), ...registration, confidential: z.boolean() }),
    z.object({ applicationId: z.int(), clientId: z.string(), clientSecret: clientSecret.nullable() }),
  ),
  'applications.update': command(z.object({ ...owned, ...registration }), Application),
  /** The old one dies at once. */
  'applications.renew-secret': command(z.object(owned), z.object({ clientSecret })),
  /** With all tokens that were given to it. */
  'applications.delete': command(z.object(owned), z.null()),
  /** Of all users or of one; the newest 200. */
  'applications.find': byOperator(
    question(z.object({ ownerName: userName.optional() }), z.object({ applications: z.array(OperatorApplication) })),
  ),
  'applications.show': byOperator(question(z.object({ applicationId: z.int() }), OperatorApplication)),
  'applications.remove': byOperator(command(z.object({ applicationId: z.int() }), OperatorApplication)),

  'grants.list': question(z.object({ userId: z.int() }), z.object({ grants: z.array(Grant) })),
  /** Ends everything that the application may do in the user's name, at once. */
  'grants.revoke': command(z.object({ userId: z.int(), applicationId: z.int() }), z.object({ revoked: z.boolean() })),
} as const satisfies MessageTable;
