import { z } from 'zod';
import { command, query, type MessageTable } from '../message.js';
import { EventType } from '../public-events.js';
import { Event } from '../resources/event.js';
import { WebhookEndpointCreateBody, WebhookEndpointUpdateBody, WebhookReplayBody } from '../requests.js';
import { WebhookDeliveryStatus } from '../resources/webhook.js';
import {
  EventListResponse,
  WebhookDeliveryListResponse,
  WebhookDeliveryResponse,
  WebhookEndpointListResponse,
  WebhookEndpointResponse,
  WebhookReplayResponse,
  WebhookSecretResponse,
} from '../responses.js';
import { healthMessages } from './health.js';
import { idempotency } from './idempotency.js';

const viewerId = z.int();
const endpoint = { viewerId, endpointId: z.int() };
const action = z.object({ ...endpoint, idempotency });

export const webhooksMessages = {
  ...healthMessages,
  'events.list': query(
    z.object({ viewerId, after: z.string().optional(), types: z.array(EventType).optional(), limit: z.int() }),
    EventListResponse,
  ),
  /** Returns the same as `events.list`, with the cursor of each event. */
  'events.follow': query(
    z.object({ viewerId, after: z.string(), types: z.array(EventType).optional(), limit: z.int() }),
    z.object({
      events: z.array(z.object({ cursor: z.string(), event: Event })),
      hasNext: z.boolean(),
      cursor: z.string(),
    }),
  ),
  /**
   * Returns the users who have events after their cursor, or whose cursor has expired, and the
   * cursor of the end of the log.
   */
  'events.newest': query(
    z.object({ users: z.array(z.object({ userId: z.int(), after: z.string() })).max(1_000) }),
    z.object({ userIds: z.array(z.int()), cursor: z.string() }),
  ),

  'webhook-endpoints.list': query(z.object({ viewerId }), WebhookEndpointListResponse),
  'webhook-endpoints.get': query(z.object(endpoint), WebhookEndpointResponse),
  'webhook-endpoints.create': command(
    WebhookEndpointCreateBody.extend({ viewerId, idempotency }),
    WebhookSecretResponse,
  ),
  'webhook-endpoints.update': command(WebhookEndpointUpdateBody.unwrap().extend(endpoint), WebhookEndpointResponse),
  'webhook-endpoints.delete': command(z.object(endpoint), z.null()),
  /** Replaces the secret. For 24 hours deliveries are also signed with the previous one. */
  'webhook-endpoints.rotate-secret': command(action, WebhookSecretResponse),
  'webhook-endpoints.test': command(action, WebhookDeliveryResponse),

  'webhook-deliveries.list': query(
    z.object({ ...endpoint, limit: z.int(), offset: z.int(), status: WebhookDeliveryStatus.optional() }),
    WebhookDeliveryListResponse,
  ),
  'webhook-deliveries.replay': command(action.extend({ deliveryId: z.int() }), WebhookDeliveryResponse),
  'webhook-deliveries.replay-failed': command(
    WebhookReplayBody.extend({ ...endpoint, idempotency }),
    WebhookReplayResponse,
  ),
} as const satisfies MessageTable;
