import { z } from 'zod';
import { field } from './field.js';

/** Changed part of a material in `material.updated`. */
export const MaterialChange = z.enum(['title', 'description', 'price', 'violation', 'products']);
/** Changed part of a choice in `choice.updated`. */
export const ChoiceChange = z.enum([
  'created',
  'deleted',
  'title',
  'description',
  'bannerUrl',
  'secret',
  'choiceProducts',
]);

const publicEvent = <Data extends z.ZodObject>(version: number, description: string, data: Data) => ({
  version,
  description,
  data,
});

const materialId = field(z.int(), 'Identifier of the material.', 1);
const productId = field(z.int(), 'Identifier of the product.', 1);
const favoriteUserId = field(
  z.int().nullable(),
  'Identifier of the user who placed the favorite; null for the owner of the product if the favorite is anonymous.',
  2,
);
const product = { productId, materialId, itemId: field(z.int(), 'Identifier of the item.', 1) };
const favorite = { favoriteId: field(z.int(), 'Identifier of the favorite.', 1), productId, userId: favoriteUserId };

/**
 * Events for clients: in the event log, in webhooks and in the stream. This table is a public
 * contract, independent of the internal events. Fields are only added; an incompatible change is a
 * new type. The data contain identifiers and what has changed, at most 20 KB.
 */
export const publicEvents = {
  'material.created': publicEvent(1, 'A material of the user was created.', z.object({ materialId })),
  'material.updated': publicEvent(
    1,
    'A material of the user or its products were updated.',
    z.object({
      materialId,
      changed: field(z.array(MaterialChange), 'Changed fields; empty if they are not known.', ['title', 'products']),
    }),
  ),
  'material.deleted': publicEvent(
    1,
    'A material of the user and its products were deleted.',
    z.object({
      materialId,
      productIds: field(z.array(z.int()), 'Identifiers of the products of the material.', [1, 2]),
    }),
  ),
  'material.rendered': publicEvent(
    1,
    'All images of a new material are available.',
    z.object({ materialId, images: field(z.int(), 'Number of images.', 12) }),
  ),
  'product.published': publicEvent(1, 'A product of the user became visible to all users.', z.object(product)),
  'product.unpublished': publicEvent(
    1,
    'A product of the user is no longer visible to all users: it was unpublished or deleted, or violates the rules.',
    z.object(product),
  ),
  'favorite.placed': publicEvent(
    1,
    'The user added a favorite, or a product of the user received one.',
    z.object({ ...favorite, count: field(z.int(), 'Count of the favorite.', 1) }),
  ),
  'favorite.withdrawn': publicEvent(
    1,
    'The user withdrew a favorite, or a favorite of a product of the user was withdrawn.',
    z.object(favorite),
  ),
  'choice.updated': publicEvent(
    1,
    'A choice of the user was created, updated or deleted.',
    z.object({
      choiceId: field(z.int(), 'Identifier of the choice.', 1),
      changed: field(z.array(ChoiceChange), 'Changed fields, or `created` or `deleted`.', ['title']),
    }),
  ),
  'sale.recorded': publicEvent(1, 'A product of the user was bought.', z.object({ productId })),
  'activity.created': publicEvent(
    1,
    'The user has a new activity.',
    z.object({ activityId: field(z.string(), 'Identifier of the activity.', '335104feaace0fe03d3348994486eaec') }),
  ),
  'application.revoked': publicEvent(
    1,
    'The user revoked the access of an application, or a user revoked the access of an application of the user.',
    z.object({
      applicationId: field(z.int(), 'Identifier of the application.', 1),
      userId: field(z.int(), 'Identifier of the user whose data the application can no longer access.', 2),
    }),
  ),
  'webhook.test': publicEvent(
    1,
    'A test requested for a webhook endpoint. Only this endpoint receives it.',
    z.object({ endpointId: field(z.int(), 'Identifier of the endpoint.', 1) }),
  ),
} as const;

export type PublicEventType = keyof typeof publicEvents;
export type PublicEventData<Type extends PublicEventType> = z.output<(typeof publicEvents)[Type]['data']>;

export const publicEventTypes = Object.keys(publicEvents) as [PublicEventType, ...PublicEventType[]];
export const EventType = z.enum(publicEventTypes, { error: 'must be a type of event' });
