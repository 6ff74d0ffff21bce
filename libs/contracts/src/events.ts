import { z } from 'zod';
import type { ServiceName } from './apps.mjs';

const event = <Version extends number, Payload extends z.ZodType>(version: Version, payload: Payload) => ({
  version,
  payload,
});

/** Everything that can have happened. An event is noun.past-tense and carries what a consumer needs to act on it. */
export const events = {
  'user.created': event(1, z.object({ userId: z.int(), name: z.string() })),
  'user.updated': event(1, z.object({ userId: z.int() })),
  /** With everything that is theirs: each service removes what it holds of them. */
  'user.deleted': event(1, z.object({ userId: z.int(), name: z.string() })),
  /** The catalogue has deleted every material of a deleted user, and creates none any more. */
  'user.materials-deleted': event(1, z.object({ userId: z.int() })),
  'token.revoked': event(1, z.object({ tokenHash: z.string() })),
  'items.changed': event(1, z.object({})),
  'material.created': event(1, z.object({ materialId: z.int(), userId: z.int(), title: z.string() })),
  'material.updated': event(
    1,
    z.object({
      materialId: z.int(),
      userId: z.int(),
      /**
       * Names of the items whose images are no longer right; `all` when none of the material may be shown, which takes no
       * turn in the queue. Consumers read the material again and need no names.
       */
      stale: z.union([z.literal('all'), z.array(z.string())]),
      /** Names of the items whose products were unpublished; none from a version that did not write them. */
      unpublished: z.array(z.string()).default([]),
    }),
  ),
  'material.deleted': event(
    1,
    z.object({
      materialId: z.int(),
      userId: z.int(),
      productIds: z.array(z.int()),
      filePath: z.string(),
      /** Hashes of all textures of the material and its products; none from a version that did not write them. */
      textures: z.array(z.string()).default([]),
    }),
  ),
  /** The samples of a new material are stored: once for each that has products, published or not. */
  'material.rendered': event(1, z.object({ materialId: z.int(), userId: z.int(), title: z.string(), images: z.int() })),
  /** Images that caches may have are deleted: all of the material, or those of products that were unpublished. */
  'images.withdrawn': event(1, z.object({ materialId: z.int() })),
  'sales.changed': event(1, z.object({})),
  /** Somebody has bought a product. `buyerId` is null when nobody said who. */
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
    }),
  ),
  'favorite.withdrawn': event(1, z.object({ favoriteId: z.int(), productId: z.int(), userId: z.int() })),
} as const;

type Events = typeof events;
export type EventName = keyof Events;
export type EventPayload<Name extends EventName> = z.output<Events[Name]['payload']>;

/** An event on its way: in the outbox, in a job, in a notice. */
export interface EventEnvelope<Name extends EventName = EventName> {
  /** UUID, made by the writer; the inbox of a consumer holds it. */
  readonly id: string;
  readonly name: Name;
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly payload: EventPayload<Name>;
  /** Request id and trace context of the request that caused it. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Who listens to what. A service gets each of its events at least once from its own queue; `everyone` is a notice to
 * all processes that are up right now, for dropping something from memory.
 */
export const subscriptions = {
  'user.created': [],
  'user.updated': [],
  'user.deleted': ['catalog', 'social', 'activity'],
  'user.materials-deleted': ['material-rendering'],
  'token.revoked': ['everyone'],
  'items.changed': ['everyone'],
  'material.created': ['material-rendering'],
  'material.updated': ['material-rendering'],
  'material.deleted': ['material-rendering', 'social'],
  'material.rendered': ['activity'],
  'images.withdrawn': ['material-rendering'],
  'sales.changed': ['everyone'],
  'sale.recorded': ['activity'],
  'favorite.placed': ['activity'],
  'favorite.withdrawn': [],
} as const satisfies Record<EventName, readonly (ServiceName | 'everyone')[]>;

type Subscriptions = typeof subscriptions;

/** The service that appends an event to its outbox. No other may publish it to the subscribers. */
export const publishers = {
  'user.created': 'accounts',
  'user.updated': 'accounts',
  'user.deleted': 'accounts',
  'user.materials-deleted': 'catalog',
  'token.revoked': 'accounts',
  'items.changed': 'catalog',
  'material.created': 'catalog',
  'material.updated': 'catalog',
  'material.deleted': 'catalog',
  'material.rendered': 'material-rendering',
  'images.withdrawn': 'material-rendering',
  'sales.changed': 'catalog',
  'sale.recorded': 'catalog',
  'favorite.placed': 'social',
  'favorite.withdrawn': 'social',
} as const satisfies Record<EventName, ServiceName>;

/**
 * Events that come in numbers and are little work each: those of one name that a relay finds at the same time travel as one
 * job. The others are a job each, which any process may take beside its neighbours, and which shows how far it is.
 */
export const gatheredEvents: ReadonlySet<EventName> = new Set(['favorite.placed']);

/** Events whose consumer works for seconds, with the user it works for; undefined where this event is quick work. */
const workFor: { readonly [Name in EventName]?: (payload: EventPayload<Name>) => number | undefined } = {
  'material.created': ({ userId }) => userId,
  // A material that may not be shown only loses its images, and at once
  'material.updated': ({ userId, stale }) => (stale === 'all' ? undefined : userId),
};

/** Returns the user of an event in the fair queue of its consumer; undefined for events that come before all users. */
export function userInFairQueue({ name, payload }: Pick<EventEnvelope, 'name' | 'payload'>): number | undefined {
  const find = workFor[name] as ((of: unknown) => number | undefined) | undefined;
  return find?.(payload);
}

/** The events that a service must consume: `EventsFor<'activity'>`. */
export type EventsFor<Subscriber extends ServiceName | 'everyone'> = {
  [Name in EventName]: Subscriber extends Subscriptions[Name][number] ? Name : never;
}[EventName];

export type NoticeName = EventsFor<'everyone'>;

/** The events that a service must consume, for the check at start. */
export const eventsFor = (subscriber: ServiceName | 'everyone'): EventName[] =>
  (Object.keys(subscriptions) as EventName[]).filter((name) =>
    (subscriptions[name] as readonly string[]).includes(subscriber),
  );
