import { z } from 'zod';
import { field, rfc3339 } from '../field.js';
import { EventType } from '../public-events.js';

/** Signature of deliveries: HMAC-SHA256 alone (`v1`), or Ed25519 in addition (`v1a`). */
export const WebhookSignature = z.enum(['v1', 'v1a']);

const WebhookEndpointStatus = z.enum(['enabled', 'paused', 'disabled']);

/** Why the service has disabled an endpoint. */
export const WebhookDisabledReason = z.enum(['failures', 'status-410']);
export type WebhookDisabledReason = z.output<typeof WebhookDisabledReason>;

/** `cancelled`: the application may no longer read the events of the user. */
export const WebhookDeliveryStatus = z.enum(['pending', 'succeeded', 'failed', 'cancelled']);
export type WebhookDeliveryStatus = z.output<typeof WebhookDeliveryStatus>;

/** Class of a failure: all that is stored and shown of it. */
export const WebhookError = z.enum([
  'address-not-allowed',
  'connection-refused',
  'dns',
  'no-secret',
  'protocol',
  'redirect',
  'reset',
  'status',
  'timeout',
  'tls',
  'too-large',
  'unreachable',
]);
export type WebhookError = z.output<typeof WebhookError>;

export const WebhookAttempt = z.object({
  number: field(z.int(), 'Number of the attempt in its delivery, from 1.', 1),
  startedAt: field(rfc3339, 'Start of the attempt, UTC.', '2026-11-20T09:00:00.250Z'),
  durationMs: field(z.int(), 'Duration in milliseconds.', 120),
  statusCode: field(z.int().nullable(), 'HTTP status of the response; null without a response.', 503),
  error: field(
    WebhookError.nullable(),
    'Class of the failure; null for a success. `no-secret`: replace the secret of the endpoint, which can no longer be decrypted.',
    'status',
  ),
  nextAttemptAt: field(
    rfc3339.nullable(),
    'Time of the next attempt as planned after this one, UTC; null after the last one.',
    '2026-11-20T09:00:05.370Z',
  ),
});
export type WebhookAttempt = z.output<typeof WebhookAttempt>;

export const WebhookDelivery = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  eventId: field(z.uuid(), 'Identifier of the event: the header `webhook-id`.', '0191e7c1-9c1c-4f0e-8a57-2f9a1d6f4d11'),
  type: field(EventType, 'Type of the event.', 'product.published'),
  status: field(
    WebhookDeliveryStatus,
    '`pending` until an attempt has succeeded or the last one has failed; `cancelled` if the application may no longer read the events of the user.',
    'pending',
  ),
  createdAt: field(rfc3339, 'Time at which the event was logged, UTC.', '2026-11-20T09:00:00.100Z'),
  nextAttemptAt: field(
    rfc3339.nullable(),
    'Time of the next attempt, UTC; null if none is due.',
    '2026-11-20T09:00:05.370Z',
  ),
  attempts: z.array(WebhookAttempt).meta({ description: 'All attempts, oldest first.' }),
});
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const WebhookEndpoint = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  url: field(z.string().meta({ format: 'uri' }), 'URL that receives the events.', 'https://example.com/webhooks'),
  description: field(z.string(), 'Description of the endpoint; may be empty.', 'Order system'),
  types: field(z.array(EventType), 'Types of the delivered events; empty for all types.', ['product.published']),
  applicationId: field(
    z.int().nullable(),
    'Identifier of the application whose users concern the events; null for the events of the owner.',
    null,
  ),
  status: field(
    WebhookEndpointStatus,
    '`disabled` after five days of failures or a response with status 410.',
    'enabled',
  ),
  disabledReason: field(WebhookDisabledReason.nullable(), 'Why the endpoint is disabled; null otherwise.', null),
  failingSince: field(rfc3339.nullable(), 'First failure since the last success, UTC; null without failures.', null),
  publicKey: field(
    z
      .string()
      .regex(/^whpk_[A-Za-z0-9+/]{43}=$/)
      .nullable(),
    'Public key of the signatures `v1a`: the 32 bytes of Ed25519 in Base64; null if the endpoint uses `v1` only.',
    'whpk_Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=',
  ),
  oldSecretExpiresAt: field(
    rfc3339.nullable(),
    'Time until which deliveries are also signed with the previous secret, UTC; null without one.',
    null,
  ),
  lastDelivery: field(
    WebhookDeliveryStatus.nullable(),
    'Status of the newest delivery; null before the first.',
    'succeeded',
  ),
  createdAt: field(rfc3339, 'Time of creation, UTC.', '2026-11-20T09:00:00.000Z'),
});
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;
