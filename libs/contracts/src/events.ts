import { z } from 'zod';
import type { ServiceName } from './apps.mjs';
import { Language } from './language.js';
import { PrintOrder } from './messages/material-rendering.js';
import { ChoiceChange, MaterialChange } from './public-events.js';

const event = <Version extends number, Payload extends z.ZodType>(version: Version, payload: Payload) => ({
  version,
  payload,
});

/**
 * Number of the change among the changes of its resource that have this field in their event: from
 * 1 without gaps, assigned under the lock of the resource. The event log appends the events of a
 * resource in this order. Absent in events from app versions without the field.
 */
const revision = z.int().min(1).optional();

const ProductVisibility = z.object({
  productId: z.int(),
  materialId: z.int(),
  itemId: z.int(),
  userId: z.int(),
  revision,
});

/** All events. A name is `noun.past-tense`; the payload contains what a consumer needs to react. */
export const events = {
  'user.created': event(1, z.object({ userId: z.int(), name: z.string() })),
  'user.updated': event(1, z.object({ userId: z.int() })),
  /** accounts has deleted the user. Subscribers delete their data of the user. */
  'user.deleted': event(1, z.object({ userId: z.int(), name: z.string() })),
  /**
   * catalog has deleted all materials of a deleted user and rejects new ones. material-rendering
   * deletes its data of the user.
   */
  'user.materials-deleted': event(1, z.object({ userId: z.int() })),
  /**
   * A client has requested a link that resets a password. `userId` is null if no user has the
   * e-mail address: the event is published anyway, so that the response time does not reveal it.
   */
  'password.reset-requested': event(1, z.object({ userId: z.int().nullable(), language: Language })),
  /** A user has set a password by a mailed link. */
  'password.reset': event(1, z.object({ userId: z.int(), language: Language })),
  'email.confirmation-requested': event(1, z.object({ userId: z.int(), language: Language })),
  'token.revoked': event(1, z.object({ tokenHash: z.string() })),
  'items.changed': event(1, z.object({})),
  /**
   * An item has a new version. catalog consumes it: each delivery appends `images.outdated` for the
   * materials of a part of its products, and `item.updated` for the remaining ones.
   */
  'item.updated': event(
    1,
    z.object({
      itemId: z.int(),
      version: z.int(),
      /** The products of materials up to this id have their events. */
      afterMaterialId: z.int(),
    }),
  ),
  /** The images of a material do not show the current version of an item. */
  'images.outdated': event(1, z.object({ materialId: z.int(), itemId: z.int() })),
  'material.created': event(1, z.object({ materialId: z.int(), userId: z.int(), title: z.string(), revision })),
  'material.updated': event(
    1,
    z.object({
      materialId: z.int(),
      userId: z.int(),
      /**
       * Names of the items whose images are stale. `all`: no image of the material may be shown;
       * the event then bypasses the fair queue. Consumers that read the material again ignore the
       * names.
       */
      stale: z.union([z.literal('all'), z.array(z.string())]),
      /**
       * Names of the items whose products were unpublished; empty in events from app versions
       * without the field.
       */
      unpublished: z.array(z.string()).default([]),
      /** Absent in events from app versions without the field. */
      changed: z.array(MaterialChange).optional(),
      revision,
    }),
  ),
  'material.deleted': event(
    1,
    z.object({
      materialId: z.int(),
      userId: z.int(),
      productIds: z.array(z.int()),
      filePath: z.string(),
      /**
       * Hashes of all textures of the material and its products; empty in events from app versions
       * without the field.
       */
      textures: z.array(z.string()).default([]),
      revision,
    }),
  ),
  /**
   * All sample images of a new material are stored. Published once for each new material with
   * images, also if all its products are unpublished.
   */
  'material.rendered': event(1, z.object({ materialId: z.int(), userId: z.int(), title: z.string(), images: z.int() })),
  /** A product has become visible to all users. */
  'product.published': event(1, ProductVisibility),
  /** A product that was visible to all users is unpublished, deleted or hidden by a violation. */
  'product.unpublished': event(1, ProductVisibility),
  /**
   * Images that HTTP caches may hold are deleted: all of the material, or those of unpublished
   * products.
   */
  'images.withdrawn': event(1, z.object({ materialId: z.int() })),
  /** Print files of a product are to be made. */
  'print-files.requested': event(1, z.object({ printFilesId: z.int(), userId: z.int() })),
  /** A product was bought. Its files are to be published for the printer. */
  'production.requested': event(
    1,
    z.object({
      purchaseId: z.int(),
      externalId: z.string().nullable(),
      quantity: z.int(),
      /** ISO 8601 in UTC. */
      recordedAt: z.string(),
      order: PrintOrder,
    }),
  ),
  /** All print files of a production are stored. */
  'production.files-made': event(1, z.object({ purchaseId: z.int() })),
  'sales.changed': event(1, z.object({})),
  /** A product was bought. `buyerId` is null for an unknown buyer. */
  'sale.recorded': event(
    1,
    z.object({ productId: z.int(), productTitle: z.string(), ownerId: z.int(), buyerId: z.int().nullable() }),
  ),
  'favorite.placed': event(
    1,
    z.object({
      favoriteId: z.int(),
      productId: z.int(),
      productTitle: z.string(),
      ownerId: z.int(),
      userId: z.int(),
      anonymous: z.boolean(),
      count: z.int(),
      revision,
    }),
  ),
  'favorite.withdrawn': event(
    1,
    z.object({
      favoriteId: z.int(),
      productId: z.int(),
      /** Owner of the product; null for a deleted product. */
      ownerId: z.int().nullable(),
      userId: z.int(),
      anonymous: z.boolean(),
      revision,
    }),
  ),
  'choice.updated': event(
    1,
    z.object({ choiceId: z.int(), userId: z.int(), changed: z.array(ChoiceChange), revision }),
  ),
  'activity.created': event(1, z.object({ activityId: z.string(), receiverId: z.int() })),
  /**
   * An application has lost the consent of a user: the user has revoked it or was deleted, or the
   * owner has deleted the application, removed its scopes or was deleted.
   */
  'application.revoked': event(1, z.object({ applicationId: z.int(), ownerId: z.int(), userId: z.int() })),
  /** Deliveries to an endpoint have failed for days, or it has responded 410. */
  'webhook.disabled': event(1, z.object({ endpointId: z.int(), userId: z.int(), host: z.string() })),
} as const;

type Events = typeof events;
export type EventName = keyof Events;
export type EventPayload<Name extends EventName> = z.output<Events[Name]['payload']>;

/** Serialized event: in the outbox, in a job, in a broadcast. */
export interface EventEnvelope<Name extends EventName = EventName> {
  /** UUID, generated when the event is appended. The inbox of a consumer deduplicates by it. */
  readonly id: string;
  readonly name: Name;
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly payload: EventPayload<Name>;
  /** Request id and trace context of the request that caused the event. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Subscribers of each event. A service receives each of its events at least once from its own
 * queue. `everyone` is a broadcast to all connected processes, which invalidate their caches.
 */
export const subscriptions = {
  'user.created': [],
  'user.updated': [],
  'user.deleted': ['catalog', 'social', 'activity', 'webhooks'],
  'user.materials-deleted': ['material-rendering'],
  'password.reset-requested': ['accounts'],
  'password.reset': ['accounts'],
  'email.confirmation-requested': ['accounts'],
  'token.revoked': ['everyone'],
  'items.changed': ['everyone'],
  'item.updated': ['catalog'],
  'images.outdated': ['material-rendering'],
  'material.created': ['material-rendering', 'webhooks'],
  'material.updated': ['material-rendering', 'webhooks'],
  'material.deleted': ['material-rendering', 'social', 'webhooks'],
  'material.rendered': ['activity', 'webhooks'],
  'product.published': ['webhooks'],
  'product.unpublished': ['webhooks'],
  'images.withdrawn': ['material-rendering'],
  'print-files.requested': ['material-rendering'],
  'production.requested': ['material-rendering'],
  'production.files-made': ['material-rendering'],
  'sales.changed': ['everyone'],
  'sale.recorded': ['activity', 'webhooks'],
  'favorite.placed': ['activity', 'webhooks'],
  'favorite.withdrawn': ['webhooks'],
  'choice.updated': ['webhooks'],
  'activity.created': ['webhooks'],
  'application.revoked': ['webhooks'],
  'webhook.disabled': ['activity'],
} as const satisfies Record<EventName, readonly (ServiceName | 'everyone')[]>;

type Subscriptions = typeof subscriptions;

/** The service that appends the event to its outbox. No other service may publish it. */
export const publishers = {
  'user.created': 'accounts',
  'user.updated': 'accounts',
  'user.deleted': 'accounts',
  'user.materials-deleted': 'catalog',
  'password.reset-requested': 'accounts',
  'password.reset': 'accounts',
  'email.confirmation-requested': 'accounts',
  'token.revoked': 'accounts',
  'items.changed': 'catalog',
  'item.updated': 'catalog',
  'images.outdated': 'catalog',
  'material.created': 'catalog',
  'material.updated': 'catalog',
  'material.deleted': 'catalog',
  'material.rendered': 'material-rendering',
  'product.published': 'catalog',
  'product.unpublished': 'catalog',
  'images.withdrawn': 'material-rendering',
  'print-files.requested': 'material-rendering',
  'production.requested': 'catalog',
  'production.files-made': 'material-rendering',
  'sales.changed': 'catalog',
  'sale.recorded': 'catalog',
  'favorite.placed': 'social',
  'favorite.withdrawn': 'social',
  'choice.updated': 'social',
  'activity.created': 'activity',
  'application.revoked': 'accounts',
  'webhook.disabled': 'webhooks',
} as const satisfies Record<EventName, ServiceName>;

/**
 * For events whose consumer takes seconds: functions that return the user of the event, or
 * undefined for an event that is consumed quickly.
 */
const userOfSlowEvent: { readonly [Name in EventName]?: (payload: EventPayload<Name>) => number | undefined } = {
  'material.created': ({ userId }) => userId,
  'print-files.requested': ({ userId }) => userId,
  // All products of an item are together as much as one user: new materials of owners do not wait
  'images.outdated': ({ itemId }) => -itemId,
  // `all` only deletes images, which is quick and must not wait
  'material.updated': ({ userId, stale }) => (stale === 'all' ? undefined : userId),
};

/**
 * Returns the user whose turn an event takes in the fair queues of its subscribers; undefined for
 * events that bypass these queues.
 */
export function userInFairQueue({ name, payload }: Pick<EventEnvelope, 'name' | 'payload'>): number | undefined {
  const userOf = userOfSlowEvent[name] as ((payload: unknown) => number | undefined) | undefined;
  return userOf?.(payload);
}

/** The events that a service must consume: `EventsFor<'activity'>`. */
export type EventsFor<Subscriber extends ServiceName | 'everyone'> = {
  [Name in EventName]: Subscriber extends Subscriptions[Name][number] ? Name : never;
}[EventName];

export type BroadcastName = EventsFor<'everyone'>;

/** Returns the events that a service must consume, for the check at startup. */
export const eventsFor = (subscriber: ServiceName | 'everyone'): EventName[] =>
  (Object.keys(subscriptions) as EventName[]).filter((name) =>
    (subscriptions[name] as readonly string[]).includes(subscriber),
  );

/**
 * Frequent events that a subscriber consumes cheaply: a relay sends it up to 50 pending events of
 * one name as one job. Every other event is a job of its own, which any process of the subscriber
 * may take and which can report its progress.
 */
const batchedEvents: { readonly [Subscriber in ServiceName]?: readonly EventName[] } = {
  activity: ['favorite.placed'],
  webhooks: eventsFor('webhooks').filter((name) => name !== 'user.deleted'),
};

/** Returns whether a relay sends pending events of a name to a subscriber as one job. */
export const isBatched = (subscriber: ServiceName, name: EventName): boolean =>
  batchedEvents[subscriber]?.includes(name) ?? false;
