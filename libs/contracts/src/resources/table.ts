import type { z } from 'zod';
import { HyperSchemaResponse, ProblemResponse } from '../responses.js';
import { Activity } from './activity.js';
import { Choice } from './choice.js';
import { Event } from './event.js';
import { Favorite, ProductFavorite, UserFavorite, CreatedFavorite } from './favorite.js';
import { Item, ItemColor, ItemSize, ItemVariant, ItemDetail, PrintPlace } from './item.js';
import { Material, PrintWarning } from './material.js';
import { Preflight } from './preflight.js';
import { Preview } from './preview.js';
import { PrintFiles } from './print-files.js';
import { Product, ProductDetail } from './product.js';
import { Banner, Category, Promotion } from './storefront.js';
import { Identity, Profile, CurrentUser, User, UserSummary } from './user.js';
import { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from './webhook.js';

/** A shape with a name in the API documents. */
export interface Resource {
  readonly title: string;
  /** One or two sentences. */
  readonly description: string;
  readonly shape: z.ZodType;
  /** For a resource without an id: the resource that contains it, whose id identifies both. */
  readonly partOf?: string;
}

/**
 * Every named shape by its key in the hyper-schema. The name in OpenAPI is the key in Pascal case.
 */
export const resources = {
  activity: {
    title: 'Activity',
    description: 'An event on the site that a user is notified of.',
    shape: Activity,
  },
  banner: {
    title: 'Banner',
    description: 'An image on the front page of the shop.',
    shape: Banner,
  },
  category: { title: 'Category', description: 'A group of items.', shape: Category },
  choice: { title: 'Choice', description: "A user's list of products.", shape: Choice },
  created_favorite: {
    title: 'Created favorite',
    description: 'A favorite as returned by its creation, with the position of its stamp on the image.',
    shape: CreatedFavorite,
  },
  current_user: {
    title: 'Current user',
    description: 'The user of the access token. No other response contains an email address.',
    shape: CurrentUser,
  },
  event: {
    title: 'Event',
    description: 'A change that concerns a user, as in the event log, in webhooks and in the stream.',
    shape: Event,
  },
  favorite: { title: 'Favorite', description: 'The favorites that one user has given one product.', shape: Favorite },
  identity: {
    title: 'Identity',
    description: 'An account at an external service with which a user signs in.',
    shape: Identity,
  },
  item: { title: 'Item', description: 'A kind of product that can be printed, such as a T-shirt.', shape: Item },
  item_color: { title: 'Item color', description: 'A color of an item.', shape: ItemColor },
  item_detail: {
    title: 'Item detail',
    description: 'An item with its variants, category and print areas.',
    shape: ItemDetail,
  },
  item_size: { title: 'Item size', description: 'A size of an item.', shape: ItemSize },
  item_variant: {
    title: 'Item variant',
    description: 'An item in one color and one size, with its price.',
    shape: ItemVariant,
  },
  material: { title: 'Material', description: 'An uploaded image from which products are made.', shape: Material },
  preview: {
    title: 'Preview',
    description: 'An image of an item with an artwork, without a product. It expires.',
    shape: Preview,
    partOf: 'item',
  },
  print_place: {
    title: 'Print place',
    description: 'A print place of an item variant, with its surcharge.',
    shape: PrintPlace,
  },
  print_warning: {
    title: 'Print warning',
    description: 'A possible quality problem of a print. It does not block the product.',
    shape: PrintWarning,
  },
  preflight: {
    title: 'Preflight',
    description: 'Findings of the prints of a product, before it is sold.',
    partOf: 'product',
    shape: Preflight,
  },
  problem: { title: 'Problem', description: 'The body of every error response (RFC 9457).', shape: ProblemResponse },
  print_files: {
    title: 'Print files',
    description: 'The files from which a product is printed, with their state.',
    shape: PrintFiles,
  },
  product: { title: 'Product', description: 'A material printed on an item.', shape: Product },
  product_detail: {
    title: 'Product detail',
    description: 'A product with all variants of its item.',
    shape: ProductDetail,
  },
  product_favorite: {
    title: 'Product favorite',
    description: 'A favorite of a product, with the user who gave it.',
    shape: ProductFavorite,
  },
  profile: {
    title: 'Profile',
    description: 'The public profile of a user.',
    shape: Profile,
    partOf: 'user',
  },
  promotion: {
    title: 'Promotion',
    description: 'A campaign that the shop advertises.',
    shape: Promotion,
  },
  schema: { title: 'Schema', description: 'A machine-readable description of this API.', shape: HyperSchemaResponse },
  user: { title: 'User', description: 'A user of the site.', shape: User },
  user_favorite: {
    title: 'User favorite',
    description: 'A favorite of a user, with the product.',
    shape: UserFavorite,
  },
  user_summary: {
    title: 'User summary',
    description: 'A user as embedded in materials, choices and favorites.',
    shape: UserSummary,
  },
  webhook_attempt: {
    title: 'Webhook attempt',
    description: 'An attempt to deliver an event to a webhook endpoint.',
    shape: WebhookAttempt,
    partOf: 'webhook_delivery',
  },
  webhook_delivery: {
    title: 'Webhook delivery',
    description: 'An event for a webhook endpoint, with its attempts.',
    shape: WebhookDelivery,
  },
  webhook_endpoint: {
    title: 'Webhook endpoint',
    description: 'A URL to which events are delivered (Standard Webhooks).',
    shape: WebhookEndpoint,
  },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
