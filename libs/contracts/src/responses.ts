import { z } from 'zod';
import { exampleBaseUrl } from './example-base-url.js';
import { field } from './field.js';
import { Activity } from './resources/activity.js';
import { Choice } from './resources/choice.js';
import { Event } from './resources/event.js';
import { CreatedFavorite, Favorite, ProductFavorite, UserFavorite } from './resources/favorite.js';
import { ItemDetail } from './resources/item.js';
import { Material, PrintWarning } from './resources/material.js';
import { Preflight } from './resources/preflight.js';
import { Preview } from './resources/preview.js';
import { PrintFiles } from './resources/print-files.js';
import { Product, ProductDetail } from './resources/product.js';
import { Banner, Category, Promotion } from './resources/storefront.js';
import { CurrentUser, User } from './resources/user.js';
import { WebhookDelivery, WebhookEndpoint } from './resources/webhook.js';

// Response bodies of the API

export const PageMeta = z
  .object({ hasNext: field(z.boolean(), 'True if there is a next page.', false) })
  .meta({ description: 'Pagination of the list.' });

export const ActivityListResponse = z.object({ activities: z.array(Activity) });
export const UnreadCountResponse = z.object({ unreads: field(z.int(), 'Number of unread activities.', 3) });
export const BannerListResponse = z.object({ banners: z.array(Banner) });
export const CategoryListResponse = z.object({ categories: z.array(Category) });
export const ChoiceListResponse = z.object({ choices: z.array(Choice), meta: PageMeta });
export const ChoiceResponse = z.object({ choice: Choice });
export const EventListResponse = z.object({
  events: z.array(Event),
  meta: PageMeta.extend({
    cursor: field(z.string(), 'Value of `after` for the next request.', '81025'),
  }).meta({ description: 'Pagination of the log.' }),
});
export const EventStreamResponse = field(
  z.string(),
  'Server-sent events: `data` is the event as JSON, `id` its cursor. An `id` without `data` moves the cursor.',
  'id: 81025\ndata: {"id":"0191e7c1-9c1c-4f0e-8a57-2f9a1d6f4d11","type":"material.updated","timestamp":"2026-11-20T09:00:00.000Z","sequence":3,"data":{"materialId":1,"changed":["title"]}}\n\n',
);
export const ProductFavoriteListResponse = z.object({ favorites: z.array(ProductFavorite), meta: PageMeta });
export const UserFavoriteListResponse = z.object({ favorites: z.array(UserFavorite), meta: PageMeta });
export const FavoriteCreateResponse = z.object({
  favorite: CreatedFavorite,
  meta: z
    .object({ totalCount: field(z.int(), 'Number of favorites of the product, over all users.', 12) })
    .meta({ description: 'Totals of the product.' }),
});
/** The favorite before its deletion. */
export const FavoriteDeleteResponse = Favorite;
export const ItemListResponse = z.object({ items: z.array(ItemDetail) });
export const MaterialListResponse = z.object({ materials: z.array(Material), meta: PageMeta });
export const MaterialResponse = z.object({ material: Material, products: z.array(Product) });
/** A created or updated material, with the print warnings of all its products. */
export const MaterialWriteResponse = MaterialResponse.extend({
  warnings: z.array(PrintWarning).meta({
    description: 'Print warnings, at most one for each product and printed place. (Extension.)',
  }),
});
export const PreviewCreateResponse = z.object({
  previews: z.array(Preview),
  warnings: z.array(PrintWarning).meta({ description: 'Print warnings, one for each item and code.' }),
});
export type PreviewCreateResponse = z.output<typeof PreviewCreateResponse>;
export const PreflightResponse = z.object({ preflight: Preflight });
export const PrintFilesResponse = z.object({ printFiles: PrintFiles });
export const ProductListResponse = z.object({ products: z.array(Product), meta: PageMeta });
/**
 * `products` is the key of the specification; existing clients read `product`. Both hold the same
 * object.
 */
export const ProductResponse = z.object({ products: ProductDetail, product: ProductDetail });
export const PromotionListResponse = z.object({ promotions: z.array(Promotion) });
export const UserListResponse = z.object({ users: z.array(User), meta: PageMeta });
export const UserResponse = z.object({ user: User });
export const CurrentUserResponse = z.object({ user: CurrentUser });
export const WebhookEndpointListResponse = z.object({ webhookEndpoints: z.array(WebhookEndpoint) });
export const WebhookEndpointResponse = z.object({ webhookEndpoint: WebhookEndpoint });
/**
 * Response to the creation of an endpoint and to the rotation of its secret. No other response of
 * webhooks contains the secret.
 */
export const WebhookSecretResponse = WebhookEndpointResponse.extend({
  secret: field(
    z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/),
    'Secret of the signatures `v1`: 32 bytes in Base64. No other response contains it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  ),
});
export const WebhookDeliveryListResponse = z.object({ webhookDeliveries: z.array(WebhookDelivery), meta: PageMeta });
export const WebhookDeliveryResponse = z.object({ webhookDelivery: WebhookDelivery });
export const WebhookReplayResponse = z.object({ replayed: field(z.int(), 'Number of replayed deliveries.', 3) });

const named = z.record(z.string(), z.unknown());

/**
 * The API as JSON Hyper-Schema. The property `$schema` is not listed, because code generators for
 * Go cannot derive a valid name from it.
 */
export const HyperSchemaResponse = z.object({
  id: field(z.string(), 'Identifier of the API.', 'storefront'),
  title: field(z.string(), 'Name of the API.', 'Storefront'),
  description: field(
    z.string(),
    'Description of the API.',
    'Storefront API: materials, products, favorites, choices and activities of a print-on-demand shop.',
  ),
  type: field(z.array(z.string()), 'Type of the document.', ['object']),
  links: field(
    z.array(
      z.object({
        href: field(z.string(), 'URL of the API.', `${exampleBaseUrl}/api/v1`),
        rel: field(z.string(), 'Link relation.', 'self'),
      }),
    ),
    'Links of the API.',
    [{ href: `${exampleBaseUrl}/api/v1`, rel: 'self' }],
  ),
  definitions: field(named, 'Resources by name.', { banner: { title: 'Banner' } }),
  properties: field(named, 'References to the resources by name.', { banner: {} }),
});

/** The API as OpenAPI document. */
export const OpenApiResponse = z.object({
  openapi: field(z.string(), 'Version of the OpenAPI Specification.', '3.1.0'),
  info: field(named, 'Name, version and description of the API.', { title: 'Storefront API', version: 'v1' }),
  servers: field(z.array(z.object({ url: field(z.string(), 'Base URL.', exampleBaseUrl) })), 'Servers of the API.', [
    { url: exampleBaseUrl },
  ]),
  tags: field(
    z.array(
      z.object({
        name: field(z.string(), 'Name of the tag.', 'Banner'),
        description: field(z.string(), 'Description of the tag.', 'An image on the front page of the shop.'),
      }),
    ),
    'Resources that group the operations.',
    [{ name: 'Banner', description: 'An image on the front page of the shop.' }],
  ),
  paths: field(named, 'Operations by path and method.', {
    '/api/v1/banners': { get: { summary: 'List banners' } },
  }),
  webhooks: field(named, 'Events that webhook endpoints receive, by type.', {
    'sale.recorded': { post: { summary: 'sale.recorded' } },
  }),
  components: field(named, 'Shared schemas, headers, parameters and examples.', {
    schemas: { Banner: { type: 'object' } },
  }),
});

/** RFC 9457 problem document: the body of every error response of the API. */
export const ProblemResponse = z.object({
  type: field(z.string(), 'URL of the documentation of the code.', `${exampleBaseUrl}/problems/product.not-found`),
  title: field(z.string(), 'Summary of the error, the same for every occurrence of the code.', 'Product not found'),
  status: field(z.int(), 'HTTP status.', 404),
  detail: field(z.string(), 'Explanation of this occurrence.', 'Product 12 does not exist.'),
  code: field(z.string(), 'Stable code of the error.', 'product.not-found'),
  message: field(z.string(), 'Same as `detail`, for older clients.', 'Product 12 does not exist.'),
  errors: z
    .array(
      z.object({
        path: field(z.string(), 'Path of the invalid field in the request.', 'query.limit'),
        message: field(z.string(), 'Rule that the field violates.', 'must be an integer from 1 to 50'),
      }),
    )
    .optional()
    .meta({ description: 'Invalid fields of the request.' }),
  requestId: field(
    z.string(),
    'Identifier of the request, as in the header `X-Request-Id`.',
    'f2a51c3e-5a3b-4c1e-9f0e-0c6d1f1c7a10',
  ),
});

/**
 * Response bodies, and the metadata of pages, by their schema name in OpenAPI. A body that is a
 * resource is not listed: its schema has the name of the resource.
 */
export const responseShapes = {
  PageMeta,
  ActivityList: ActivityListResponse,
  UnreadActivityCount: UnreadCountResponse,
  BannerList: BannerListResponse,
  CategoryList: CategoryListResponse,
  ChoiceList: ChoiceListResponse,
  ChoiceResponse,
  EventList: EventListResponse,
  ProductFavoriteList: ProductFavoriteListResponse,
  UserFavoriteList: UserFavoriteListResponse,
  CreateFavoriteResponse: FavoriteCreateResponse,
  ItemList: ItemListResponse,
  MaterialList: MaterialListResponse,
  MaterialResponse,
  MaterialWriteResponse,
  CreatePreviewsResponse: PreviewCreateResponse,
  ProductList: ProductListResponse,
  ProductResponse,
  PromotionList: PromotionListResponse,
  OpenApiDocument: OpenApiResponse,
  UserList: UserListResponse,
  UserResponse,
  CurrentUserResponse,
  WebhookEndpointList: WebhookEndpointListResponse,
  WebhookEndpointResponse,
  WebhookSecretResponse,
  WebhookDeliveryList: WebhookDeliveryListResponse,
  WebhookDeliveryResponse,
  WebhookReplayResponse,
};
