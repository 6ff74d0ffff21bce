import type { EventEnvelope, EventsFor, PublicEventData, PublicEventType } from '#contracts';

/** Events that are appended to the log. */
export type LoggedName = Exclude<EventsFor<'webhooks'>, 'user.deleted'>;

/** Content of the event for one user. */
interface Copy<Type extends PublicEventType = PublicEventType> {
  readonly userId: number;
  readonly data: PublicEventData<Type>;
}

/** An event to append, with a copy for each user who may see it. */
export interface NewEvent {
  readonly type: PublicEventType;
  /** Resource whose events are appended in order; null for a resource with one event only. */
  readonly resource: string | null;
  /** Number of the change in its resource; null if it is not known. */
  readonly revision: number | null;
  /** True for an event that is appended after the change `revision` without being one itself. */
  readonly follows: boolean;
  /** Resources that the event deletes. */
  readonly ended: readonly string[];
  readonly copies: readonly Copy[];
}

type PayloadsOf = { readonly [Name in LoggedName]: EventEnvelope<Name>['payload'] };

function event<Type extends PublicEventType>(
  type: Type,
  copies: readonly Copy<Type>[],
  order: Partial<Pick<NewEvent, 'resource' | 'follows' | 'ended'>> & { readonly revision?: number | undefined } = {},
): NewEvent {
  const { resource = null, revision = null, follows = false, ended = [] } = order;
  return { type, resource, revision, follows, ended, copies };
}

const product = ({ productId, materialId, itemId }: PayloadsOf['product.published']) => ({
  productId,
  materialId,
  itemId,
});

/**
 * Copies of a favorite for its user and for the owner of the product. The owner does not learn the
 * user of an anonymous favorite, and receives no copy for a deleted product.
 */
function favoriteCopies<Data extends object>(
  { userId, ownerId, anonymous }: { userId: number; ownerId: number | null; anonymous: boolean },
  data: Data,
): { userId: number; data: Data & { userId: number | null } }[] {
  const own = { userId, data: { ...data, userId } };
  if (ownerId === null || ownerId === userId) return [own];
  return [own, { userId: ownerId, data: { ...data, userId: anonymous ? null : userId } }];
}

/** Functions from an internal event to the event for clients, by name. */
const translations: { readonly [Name in LoggedName]: (payload: PayloadsOf[Name]) => NewEvent } = {
  'material.created': ({ materialId, userId, revision }) =>
    event('material.created', [{ userId, data: { materialId } }], { resource: `material:${materialId}`, revision }),
  'material.updated': ({ materialId, userId, changed = [], revision }) =>
    event('material.updated', [{ userId, data: { materialId, changed } }], {
      resource: `material:${materialId}`,
      revision,
    }),
  'material.deleted': ({ materialId, userId, productIds, revision }) =>
    event('material.deleted', [{ userId, data: { materialId, productIds } }], {
      resource: `material:${materialId}`,
      revision,
      ended: [`material:${materialId}`, ...productIds.map((id) => `product:${id}`)],
    }),
  'material.rendered': ({ materialId, userId, images }) =>
    event('material.rendered', [{ userId, data: { materialId, images } }], {
      resource: `material:${materialId}`,
      revision: 1,
      follows: true,
    }),
  'product.published': ({ userId, revision, ...payload }) =>
    event('product.published', [{ userId, data: product({ userId, ...payload }) }], {
      resource: `product:${payload.productId}`,
      revision,
    }),
  'product.unpublished': ({ userId, revision, ...payload }) =>
    event('product.unpublished', [{ userId, data: product({ userId, ...payload }) }], {
      resource: `product:${payload.productId}`,
      revision,
    }),
  'favorite.placed': ({ favoriteId, productId, count, revision, ...users }) =>
    event('favorite.placed', favoriteCopies(users, { favoriteId, productId, count }), {
      resource: `favorite:${favoriteId}`,
      revision,
    }),
  'favorite.withdrawn': ({ favoriteId, productId, revision, ...users }) =>
    event('favorite.withdrawn', favoriteCopies(users, { favoriteId, productId }), {
      resource: `favorite:${favoriteId}`,
      revision,
      ended: [`favorite:${favoriteId}`],
    }),
  'choice.updated': ({ choiceId, userId, changed, revision }) =>
    event('choice.updated', [{ userId, data: { choiceId, changed } }], {
      resource: `choice:${choiceId}`,
      revision,
      ended: changed.includes('deleted') ? [`choice:${choiceId}`] : [],
    }),
  'sale.recorded': ({ productId, ownerId }) => event('sale.recorded', [{ userId: ownerId, data: { productId } }]),
  'activity.created': ({ activityId, receiverId }) =>
    event('activity.created', [{ userId: receiverId, data: { activityId } }]),
  'application.revoked': ({ applicationId, ownerId, userId }) =>
    event(
      'application.revoked',
      [...new Set([userId, ownerId])].map((receiver) => ({ userId: receiver, data: { applicationId, userId } })),
    ),
};

/** Returns the event for clients of an internal event. */
export function toNewEvent({ name, payload }: Pick<EventEnvelope<LoggedName>, 'name' | 'payload'>): NewEvent {
  return (translations[name] as (payload: unknown) => NewEvent)(payload);
}
