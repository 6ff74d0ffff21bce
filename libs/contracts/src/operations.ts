import type { z } from 'zod';
import type { Scope, TokenScope } from './account-fields.js';
import type { Language } from './language.js';
import type { Idempotency } from './messages/idempotency.js';
import type { ServiceName } from './apps.mjs';
import type { ProblemCode } from './problems.js';
import * as request from './requests.js';
import type { ResourceName } from './resources/table.js';
import * as response from './responses.js';

/** Limit of requests per user and operation. The setting `RATE_LIMITS` overrides it. */
export interface RateLimit {
  readonly limit: number;
  readonly periodSeconds: number;
}

interface OperationFields {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with `:name` for parameters. */
  readonly path: string;
  /**
   * Service whose message of the same name receives the parsed request. Absent if a controller of
   * the gateway handles the operation.
   */
  readonly service?: ServiceName;
  readonly resource: ResourceName;
  /**
   * Name in the hyper-schema. Short, and unique within the resource, because generators derive
   * method names from it.
   */
  readonly title: string;
  /** Name in OpenAPI: a verb and its object. The `operationId` is derived from it. */
  readonly summary: string;
  /** Up to three sentences, the first of which starts with a verb. */
  readonly description: string;
  /** Link relation in the hyper-schema. */
  readonly rel: 'self' | 'instances' | 'create' | 'update' | 'destroy';
  /** Required scope of the access token; null for operations without authentication. */
  readonly scope: Scope | null;
  /**
   * Scope that suffices instead of `scope`, and permits the operation on the products of all users.
   * The message of the operation then has the field `ofAnyOwner`.
   */
  readonly alternativeScope?: Exclude<TokenScope, Scope>;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Maximum body size in bytes. Default: 1 MB. */
  readonly bodyLimit?: number;
  readonly rateLimit?: RateLimit;
  /** True for a POST that changes nothing. It needs no `Idempotency-Key` and ignores it. */
  readonly readOnly?: true;
  /** True if responses have an entity tag and a matching `If-None-Match` returns 304. */
  readonly conditional?: boolean;
  /** True if `Accept-Language` selects the language of texts. */
  readonly localized?: boolean;
  /**
   * True if `Accept-Language` selects the language of names in the catalog. Default: Japanese, as
   * clients of the specification expect.
   */
  readonly localizedNames?: boolean;
  /**
   * Problem codes of this operation beyond those that `problemsOf` derives from the other fields.
   */
  readonly problems?: readonly ProblemCode[];
  readonly status: 200 | 201 | 202 | 204;
  readonly response?: z.ZodType;
  /** Media type of the response. Default: `application/json`. */
  readonly mediaType?: 'text/event-stream';
}

/** Operation of docs/specification.md, which accepts every access token with its scope. */
interface SpecifiedOperation extends OperationFields {
  readonly extension?: undefined;
  readonly tokens?: undefined;
}

/** Operation beyond docs/specification.md. */
interface ExtensionOperation extends OperationFields {
  readonly extension: true;
  /**
   * Accepted access tokens. `own`: the personal key, and tokens that the operator has created for
   * the user. `any`: also tokens that the user has granted to applications. Has no default, so that
   * applications get no new operation by omission.
   */
  readonly tokens: 'own' | 'any';
}

/**
 * One HTTP operation of the API. Its path, scope, accepted tokens, limits and shapes are defined
 * here only: routes, validation and both API documents are derived from it.
 */
export type Operation = SpecifiedOperation | ExtensionOperation;

/**
 * Body limit of operations with a texture, the largest of all. A texture of 20 MB is 27 MB in
 * base64; the rest is available to the other fields.
 */
export const textureBodyLimit = 32 * 1024 * 1024;

const materialLimit: RateLimit = { limit: 200, periodSeconds: 900 };
/**
 * Limit of previews. An editor sends a request for each position of the artwork that its user
 * pauses at.
 */
const previewLimit: RateLimit = { limit: 100, periodSeconds: 900 };
/**
 * Limit of every other write: far above manual use, and a bound on the rows that a script creates.
 */
const writeLimit: RateLimit = { limit: 300, periodSeconds: 900 };

const apiPath = '/api/v1';

const entryProblems = [
  'product.not-found',
  'item-variant.not-of-item',
  'item-variant.disabled',
] as const satisfies ProblemCode[];
const textureProblems = [
  'texture.address-refused',
  'texture.not-fetched',
  'texture.empty',
  'texture.too-large',
  'texture.quota-exceeded',
  'texture.unsupported-format',
  'texture.not-decoded',
] as const satisfies ProblemCode[];
const productProblems = [
  'item.not-found',
  'item.embroidery',
  'item-variant.not-of-item',
  'item-variant.disabled',
  'print-place.not-of-item',
  'placement.invalid',
  'resize-mode.not-allowed',
  'product.duplicate-item',
] as const satisfies ProblemCode[];

export const operations = {
  'activities.list': {
    method: 'GET',
    path: `${apiPath}/activities`,
    service: 'activity',
    resource: 'activity',
    title: 'List',
    summary: 'List activities',
    description:
      'Returns the latest activities of the current user, newest first, and marks them and all older activities as read.',
    rel: 'instances',
    scope: 'read',
    query: request.ActivityListQuery,
    localized: true,
    status: 200,
    response: response.ActivityListResponse,
  },
  'activities.unreads': {
    method: 'GET',
    path: `${apiPath}/activities/unreads`,
    service: 'activity',
    resource: 'activity',
    title: 'Unreads',
    summary: 'Count unread activities',
    description: 'Returns the number of unread activities of the current user.',
    rel: 'self',
    scope: 'read',
    status: 200,
    response: response.UnreadCountResponse,
  },
  'banners.list': {
    method: 'GET',
    path: `${apiPath}/banners`,
    service: 'catalog',
    resource: 'banner',
    title: 'List',
    summary: 'List banners',
    description: 'Returns all banners, newest first.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'any',
    status: 200,
    response: response.BannerListResponse,
  },
  'categories.list': {
    method: 'GET',
    path: `${apiPath}/categories`,
    service: 'catalog',
    resource: 'category',
    title: 'List',
    summary: 'List categories',
    description: 'Returns all categories with their items, in display order.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'any',
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.CategoryListResponse,
  },
  'choices.list': {
    method: 'GET',
    path: `${apiPath}/choices`,
    service: 'social',
    resource: 'choice',
    title: 'List',
    summary: 'List choices',
    description: 'Returns public choices and the secret choices of the current user, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.ChoiceListQuery,
    status: 200,
    response: response.ChoiceListResponse,
  },
  'choices.get': {
    method: 'GET',
    path: `${apiPath}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Info',
    summary: 'Get choice',
    description: 'Returns a choice.',
    rel: 'self',
    scope: 'read',
    params: request.ChoiceParams,
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.create': {
    method: 'POST',
    path: `${apiPath}/choices`,
    service: 'social',
    resource: 'choice',
    title: 'Create',
    summary: 'Create choice',
    description: 'Creates a choice owned by the current user.',
    rel: 'create',
    scope: 'write',
    body: request.ChoiceCreateBody,
    rateLimit: writeLimit,
    problems: ['choice.too-many', ...entryProblems],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.update': {
    method: 'PUT',
    path: `${apiPath}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Update',
    summary: 'Update choice',
    description: 'Updates the fields that are sent. `choiceProducts` replaces the whole list.',
    rel: 'update',
    scope: 'write',
    params: request.ChoiceParams,
    body: request.ChoiceUpdateBody,
    rateLimit: writeLimit,
    problems: ['choice.not-owned', ...entryProblems],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.delete': {
    method: 'DELETE',
    path: `${apiPath}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Delete',
    summary: 'Delete choice',
    description: 'Deletes a choice.',
    rel: 'destroy',
    scope: 'write',
    params: request.ChoiceParams,
    rateLimit: writeLimit,
    problems: ['choice.not-owned'],
    status: 204,
  },
  'choices.add': {
    method: 'POST',
    path: `${apiPath}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Add product',
    summary: 'Add product to choice',
    description: 'Adds a product variant to a choice. A variant that the choice already contains is not added again.',
    rel: 'update',
    scope: 'write',
    params: request.ChoiceParams,
    body: request.ChoiceProductBody,
    rateLimit: writeLimit,
    problems: ['choice.not-owned', 'choice.full', ...entryProblems],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.remove': {
    method: 'POST',
    path: `${apiPath}/choices/:choiceId/remove`,
    service: 'social',
    resource: 'choice',
    title: 'Remove product',
    summary: 'Remove product from choice',
    description: 'Removes a product from a choice: the given variant, or all variants without `itemVariantId`.',
    rel: 'update',
    scope: 'write',
    params: request.ChoiceParams,
    body: request.ChoiceProductBody,
    rateLimit: writeLimit,
    problems: ['choice.not-owned'],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.products': {
    method: 'GET',
    path: `${apiPath}/choices/:choiceId/products`,
    service: 'social',
    resource: 'choice',
    title: 'Products',
    summary: 'List choice products',
    description:
      'Returns the products of a choice that the current user may see, in the order of the choice. An added product is the first.',
    rel: 'instances',
    scope: 'read',
    params: request.ChoiceParams,
    query: request.PageQuery,
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'events.list': {
    method: 'GET',
    path: `${apiPath}/events`,
    service: 'webhooks',
    resource: 'event',
    title: 'List',
    summary: 'List events',
    description:
      'Returns the events of the last 30 days that concern the current user, oldest first: changes of own materials, products, favorites and choices, favorites and sales of own products, new activities, and revoked access of applications.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'any',
    query: request.EventListQuery,
    problems: ['event.cursor-expired'],
    status: 200,
    response: response.EventListResponse,
  },
  'events.stream': {
    method: 'GET',
    path: `${apiPath}/events/stream`,
    resource: 'event',
    title: 'Stream',
    summary: 'Stream events',
    description:
      'Sends new events of the log as server-sent events. `id` is the cursor of the event: after a reconnection with `Last-Event-ID` the stream continues without a gap.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'any',
    query: request.EventStreamQuery,
    problems: ['event.cursor-expired', 'event-stream.too-many'],
    status: 200,
    response: response.EventStreamResponse,
    mediaType: 'text/event-stream',
  },
  'favorites.of-product': {
    method: 'GET',
    path: `${apiPath}/products/:productId/favorites`,
    service: 'social',
    resource: 'favorite',
    title: 'Product',
    summary: 'List product favorites',
    description: 'Returns the favorites of a product, newest first. Anonymous favorites are omitted.',
    rel: 'instances',
    scope: 'read',
    params: request.ProductParams,
    query: request.FavoriteListQuery,
    status: 200,
    response: response.ProductFavoriteListResponse,
  },
  'favorites.of-user': {
    method: 'GET',
    path: `${apiPath}/users/:userId/favorites`,
    service: 'social',
    resource: 'favorite',
    title: 'User',
    summary: 'List user favorites',
    description: 'Returns the favorites of a user, newest first. Anonymous favorites are visible to that user only.',
    rel: 'instances',
    scope: 'read',
    params: request.UserParams,
    query: request.PageQuery,
    localizedNames: true,
    status: 200,
    response: response.UserFavoriteListResponse,
  },
  'favorites.create': {
    method: 'POST',
    path: `${apiPath}/products/:productId/favorites`,
    resource: 'favorite',
    title: 'Create',
    summary: 'Create favorite',
    description: 'Adds a product to the favorites of the current user, or increases the count of an existing favorite.',
    rel: 'create',
    scope: 'write',
    params: request.ProductParams,
    body: request.FavoriteCreateBody,
    rateLimit: writeLimit,
    status: 201,
    response: response.FavoriteCreateResponse,
  },
  'favorites.delete': {
    method: 'DELETE',
    path: `${apiPath}/products/:productId/favorites`,
    service: 'social',
    resource: 'favorite',
    title: 'Delete',
    summary: 'Delete favorite',
    description: 'Deletes the favorite of the current user for a product and returns it as it was before the deletion.',
    rel: 'destroy',
    scope: 'write',
    params: request.ProductParams,
    rateLimit: writeLimit,
    problems: ['favorite.not-found'],
    status: 200,
    response: response.FavoriteDeleteResponse,
  },
  'items.list': {
    method: 'GET',
    path: `${apiPath}/items`,
    service: 'catalog',
    resource: 'item',
    title: 'List',
    summary: 'List items',
    description: 'Returns all items with their variants, in display order.',
    rel: 'instances',
    scope: 'read',
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.ItemListResponse,
  },
  'materials.list': {
    method: 'GET',
    path: `${apiPath}/materials`,
    service: 'catalog',
    resource: 'material',
    title: 'List',
    summary: 'List materials',
    description:
      'Returns the materials of the current user or, with `userId`, the published materials of another user, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.MaterialListQuery,
    status: 200,
    response: response.MaterialListResponse,
  },
  'materials.get': {
    method: 'GET',
    path: `${apiPath}/materials/:materialId`,
    service: 'catalog',
    resource: 'material',
    title: 'Info',
    summary: 'Get material',
    description: 'Returns a material and its products that the current user may see.',
    rel: 'self',
    scope: 'read',
    extension: true,
    tokens: 'any',
    params: request.MaterialParams,
    localizedNames: true,
    status: 200,
    response: response.MaterialResponse,
  },
  'materials.create': {
    method: 'POST',
    path: `${apiPath}/materials`,
    resource: 'material',
    title: 'Create',
    summary: 'Create material',
    description: 'Creates a material from an image, and products with it.',
    rel: 'create',
    scope: 'write',
    body: request.MaterialCreateBody,
    bodyLimit: textureBodyLimit,
    rateLimit: materialLimit,
    localized: true,
    problems: [...productProblems, ...textureProblems],
    localizedNames: true,
    status: 200,
    response: response.MaterialWriteResponse,
  },
  'materials.text': {
    method: 'POST',
    path: `${apiPath}/materials/text`,
    service: 'catalog',
    resource: 'material',
    title: 'Create from text',
    summary: 'Create material from text',
    description: 'Creates a material from text, and a T-shirt printed with it.',
    rel: 'create',
    scope: 'write',
    body: request.MaterialTextBody,
    rateLimit: materialLimit,
    localized: true,
    problems: ['text.blank', 'text.not-printable', 'texture.quota-exceeded', 'item-variant.not-standard-t-shirt'],
    localizedNames: true,
    status: 200,
    response: response.MaterialWriteResponse,
  },
  'materials.update': {
    method: 'PUT',
    path: `${apiPath}/materials/:materialId`,
    service: 'catalog',
    resource: 'material',
    title: 'Update',
    summary: 'Update material',
    description:
      'Updates the fields that are sent. An entry of `products` updates the product of its item, or creates it if the material has none.',
    rel: 'update',
    scope: 'write',
    params: request.MaterialParams,
    body: request.MaterialUpdateBody,
    rateLimit: materialLimit,
    localized: true,
    problems: ['material.not-owned', ...productProblems],
    localizedNames: true,
    status: 200,
    response: response.MaterialWriteResponse,
  },
  'materials.delete': {
    method: 'DELETE',
    path: `${apiPath}/materials/:materialId`,
    service: 'catalog',
    resource: 'material',
    title: 'Delete',
    summary: 'Delete material',
    description: 'Deletes a material and its products.',
    rel: 'destroy',
    scope: 'write',
    params: request.MaterialParams,
    rateLimit: writeLimit,
    problems: ['material.not-owned'],
    status: 204,
  },
  'print-files.create': {
    method: 'POST',
    path: `${apiPath}/products/:productId/print-files`,
    service: 'catalog',
    resource: 'print_files',
    title: 'Create',
    summary: 'Create print files',
    description:
      'Makes the files from which an own product is printed. Returns their state; read them until they are `ready`. The same product has the same files.',
    rel: 'create',
    scope: 'write',
    alternativeScope: 'production',
    extension: true,
    tokens: 'any',
    params: request.ProductParams,
    body: request.PrintFilesCreateBody,
    rateLimit: writeLimit,
    problems: ['product.not-owned', 'item-variant.not-of-item', 'print-place.not-of-item', 'print-files.too-many'],
    status: 202,
    response: response.PrintFilesResponse,
  },
  'print-files.get': {
    method: 'GET',
    path: `${apiPath}/products/:productId/print-files/:printFilesId`,
    service: 'catalog',
    resource: 'print_files',
    title: 'Info',
    summary: 'Get print files',
    description: 'Returns the state of print files and, when they are `ready`, new URLs of all files.',
    rel: 'self',
    scope: 'read',
    alternativeScope: 'production',
    extension: true,
    tokens: 'any',
    params: request.PrintFilesParams,
    problems: ['product.not-owned'],
    status: 200,
    response: response.PrintFilesResponse,
  },
  'preflight.get': {
    method: 'GET',
    path: `${apiPath}/products/:productId/preflight`,
    service: 'catalog',
    resource: 'preflight',
    title: 'Info',
    summary: 'Get a preflight',
    description:
      'Checks the prints of an own product: resolution, empty and cropped parts, seams, safe zone, thin lines, and colors that are not seen or not printable. Takes up to some seconds.',
    rel: 'self',
    scope: 'read',
    extension: true,
    tokens: 'any',
    localized: true,
    params: request.ProductParams,
    problems: ['product.not-owned'],
    status: 200,
    response: response.PreflightResponse,
  },
  'previews.create': {
    method: 'POST',
    path: `${apiPath}/previews`,
    resource: 'preview',
    title: 'Create',
    summary: 'Create previews',
    description:
      'Returns URLs of images of items with an image, for an hour. Creates no material and no product. At most 200 previews per request.',
    rel: 'create',
    scope: 'read',
    extension: true,
    tokens: 'any',
    body: request.PreviewCreateBody,
    bodyLimit: textureBodyLimit,
    rateLimit: previewLimit,
    readOnly: true,
    localized: true,
    problems: [
      'material.not-found',
      'material.not-owned',
      'item.not-found',
      'item.embroidery',
      'product.duplicate-item',
      'resize-mode.not-allowed',
      'placement.invalid',
      'preview.size-not-available',
      'preview.color-not-available',
      'preview.angle-not-available',
      'preview.too-many',
      'picture.not-found',
      ...textureProblems,
    ],
    status: 200,
    response: response.PreviewCreateResponse,
  },
  'products.list': {
    method: 'GET',
    path: `${apiPath}/products`,
    service: 'catalog',
    resource: 'product',
    title: 'List',
    summary: 'List products',
    description: 'Returns published products and the unpublished products of the current user, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.ProductListQuery,
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.search': {
    method: 'GET',
    path: `${apiPath}/products/search`,
    service: 'catalog',
    resource: 'product',
    title: 'Search',
    summary: 'Search products',
    description: 'Returns products whose title or item name contains all words of the query, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.ProductSearchQuery,
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.on-sale': {
    method: 'GET',
    path: `${apiPath}/products/on_sale`,
    service: 'catalog',
    resource: 'product',
    title: 'On sale',
    summary: 'List products on sale',
    description: 'Returns products that are currently discounted, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.PageQuery,
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.get': {
    method: 'GET',
    path: `${apiPath}/products/:productId`,
    service: 'catalog',
    resource: 'product',
    title: 'Info',
    summary: 'Get product',
    description: 'Returns a product with all variants of its item.',
    rel: 'self',
    scope: 'read',
    params: request.ProductParams,
    conditional: true,
    localizedNames: true,
    status: 200,
    response: response.ProductResponse,
  },
  'promotions.list': {
    method: 'GET',
    path: `${apiPath}/promotions`,
    service: 'catalog',
    resource: 'promotion',
    title: 'List',
    summary: 'List promotions',
    description: 'Returns all promotions, newest first.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'any',
    status: 200,
    response: response.PromotionListResponse,
  },
  'schema.hyper': {
    method: 'GET',
    path: `${apiPath}/schema`,
    resource: 'schema',
    title: 'Info',
    summary: 'Get hyper-schema',
    description: 'Returns the description of the API as JSON Hyper-Schema, draft 4.',
    rel: 'self',
    scope: 'read',
    conditional: true,
    status: 200,
    response: response.HyperSchemaResponse,
  },
  'schema.openapi': {
    method: 'GET',
    path: `${apiPath}/openapi.json`,
    resource: 'schema',
    title: 'OpenAPI',
    summary: 'Get OpenAPI document',
    description: 'Returns the description of the API as an OpenAPI 3.1 document.',
    rel: 'self',
    // Generators and the documentation page fetch the document without a token
    scope: null,
    extension: true,
    tokens: 'any',
    conditional: true,
    problems: ['request.headers-too-large'],
    status: 200,
    response: response.OpenApiResponse,
  },
  'users.list': {
    method: 'GET',
    path: `${apiPath}/users`,
    service: 'accounts',
    resource: 'user',
    title: 'List',
    summary: 'List users',
    description: 'Returns users, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.UserListQuery,
    status: 200,
    response: response.UserListResponse,
  },
  'users.get': {
    method: 'GET',
    path: `${apiPath}/users/:userId`,
    service: 'accounts',
    resource: 'user',
    title: 'Info',
    summary: 'Get user',
    description: 'Returns a user.',
    rel: 'self',
    scope: 'read',
    params: request.UserParams,
    status: 200,
    response: response.UserResponse,
  },
  'users.self': {
    method: 'GET',
    path: `${apiPath}/user`,
    service: 'accounts',
    resource: 'user',
    title: 'Self',
    summary: 'Get current user',
    description: 'Returns the user of the access token, including the email address.',
    rel: 'self',
    scope: 'read',
    status: 200,
    response: response.CurrentUserResponse,
  },
  'users.update': {
    method: 'PUT',
    path: `${apiPath}/user`,
    service: 'accounts',
    resource: 'user',
    title: 'Update',
    summary: 'Update current user',
    description: 'Updates the current user. Fields that are not sent stay unchanged.',
    rel: 'update',
    scope: 'write',
    body: request.UserUpdateBody,
    rateLimit: writeLimit,
    status: 200,
    response: response.CurrentUserResponse,
  },
  'webhook-deliveries.list': {
    method: 'GET',
    path: `${apiPath}/webhook_endpoints/:endpointId/deliveries`,
    service: 'webhooks',
    resource: 'webhook_delivery',
    title: 'List',
    summary: 'List webhook deliveries',
    description: 'Returns the deliveries of a webhook endpoint of the last 30 days with their attempts, newest first.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    query: request.WebhookDeliveryListQuery,
    status: 200,
    response: response.WebhookDeliveryListResponse,
  },
  'webhook-deliveries.replay': {
    method: 'POST',
    path: `${apiPath}/webhook_endpoints/:endpointId/deliveries/:deliveryId/replay`,
    service: 'webhooks',
    resource: 'webhook_delivery',
    title: 'Replay',
    summary: 'Replay webhook delivery',
    description: 'Delivers an event again, with the same `webhook-id`. A delivery that is still pending is rejected.',
    rel: 'self',
    scope: 'write',
    extension: true,
    tokens: 'own',
    params: request.WebhookDeliveryParams,
    rateLimit: writeLimit,
    problems: ['webhook-endpoint.not-enabled', 'webhook-delivery.pending'],
    status: 200,
    response: response.WebhookDeliveryResponse,
  },
  'webhook-deliveries.replay-failed': {
    method: 'POST',
    path: `${apiPath}/webhook_endpoints/:endpointId/deliveries/replay`,
    service: 'webhooks',
    resource: 'webhook_delivery',
    title: 'Replay failed',
    summary: 'Replay failed webhook deliveries',
    description:
      'Delivers again all failed deliveries of an endpoint since a time, and at once those that wait for a retry. After a timeout (504) repeat the request: it continues with the rest, and returns the number of those.',
    rel: 'update',
    scope: 'write',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    body: request.WebhookReplayBody,
    rateLimit: writeLimit,
    problems: ['webhook-endpoint.not-enabled'],
    status: 200,
    response: response.WebhookReplayResponse,
  },
  'webhook-endpoints.list': {
    method: 'GET',
    path: `${apiPath}/webhook_endpoints`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'List',
    summary: 'List webhook endpoints',
    description: 'Returns the webhook endpoints of the current user, newest first, at most 20.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    tokens: 'own',
    status: 200,
    response: response.WebhookEndpointListResponse,
  },
  'webhook-endpoints.get': {
    method: 'GET',
    path: `${apiPath}/webhook_endpoints/:endpointId`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'Info',
    summary: 'Get webhook endpoint',
    description: 'Returns a webhook endpoint of the current user.',
    rel: 'self',
    scope: 'read',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    status: 200,
    response: response.WebhookEndpointResponse,
  },
  'webhook-endpoints.create': {
    method: 'POST',
    path: `${apiPath}/webhook_endpoints`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'Create',
    summary: 'Create webhook endpoint',
    description:
      'Creates a webhook endpoint and returns its secret. No later response contains the secret. A user has at most 20 endpoints.',
    rel: 'create',
    scope: 'write',
    extension: true,
    tokens: 'own',
    body: request.WebhookEndpointCreateBody,
    rateLimit: writeLimit,
    problems: ['webhook-endpoint.url-not-allowed', 'webhook-endpoint.too-many', 'application.not-found'],
    status: 201,
    response: response.WebhookSecretResponse,
  },
  'webhook-endpoints.update': {
    method: 'PUT',
    path: `${apiPath}/webhook_endpoints/:endpointId`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'Update',
    summary: 'Update webhook endpoint',
    description: 'Updates the fields that are sent. `status` pauses and enables the endpoint.',
    rel: 'update',
    scope: 'write',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    body: request.WebhookEndpointUpdateBody,
    rateLimit: writeLimit,
    problems: ['webhook-endpoint.url-not-allowed'],
    status: 200,
    response: response.WebhookEndpointResponse,
  },
  'webhook-endpoints.delete': {
    method: 'DELETE',
    path: `${apiPath}/webhook_endpoints/:endpointId`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'Delete',
    summary: 'Delete webhook endpoint',
    description: 'Deletes a webhook endpoint and its deliveries.',
    rel: 'destroy',
    scope: 'write',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    rateLimit: writeLimit,
    status: 204,
  },
  'webhook-endpoints.rotate-secret': {
    method: 'POST',
    path: `${apiPath}/webhook_endpoints/:endpointId/secret`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'Rotate secret',
    summary: 'Rotate webhook secret',
    description:
      'Replaces the secret, and the Ed25519 key if the endpoint has one. For 24 hours deliveries are also signed with the previous ones.',
    rel: 'self',
    scope: 'write',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    rateLimit: writeLimit,
    status: 200,
    response: response.WebhookSecretResponse,
  },
  'webhook-endpoints.test': {
    method: 'POST',
    path: `${apiPath}/webhook_endpoints/:endpointId/test`,
    service: 'webhooks',
    resource: 'webhook_endpoint',
    title: 'Test',
    summary: 'Test webhook endpoint',
    description: 'Delivers an event of the type `webhook.test` to this endpoint, whatever its types.',
    rel: 'self',
    scope: 'write',
    extension: true,
    tokens: 'own',
    params: request.WebhookEndpointParams,
    rateLimit: writeLimit,
    problems: ['webhook-endpoint.not-enabled'],
    status: 201,
    response: response.WebhookDeliveryResponse,
  },
} as const satisfies Record<string, Operation>;

type Operations = typeof operations;
export type OperationName = keyof Operations;

/** A parsed part of an operation's request; undefined if the operation has no such part. */
export type PartOf<Name extends OperationName, Part extends 'params' | 'query' | 'body'> =
  Operations[Name] extends Record<Part, infer Shape extends z.ZodType> ? z.output<Shape> : undefined;

/** The parsed request of an operation. */
export interface OperationRequest<Name extends OperationName> {
  readonly viewerId: number;
  readonly params: PartOf<Name, 'params'>;
  readonly query: PartOf<Name, 'query'>;
  readonly body: PartOf<Name, 'body'>;
  /** From the header `Idempotency-Key`, for POST only, unless it is read-only. */
  readonly idempotency: Operations[Name] extends { readonly readOnly: true }
    ? undefined
    : Operations[Name]['method'] extends 'POST'
      ? Idempotency | undefined
      : undefined;
  /** True for a token with the alternative scope, for operations that have one. */
  readonly ofAnyOwner: Operations[Name] extends { readonly alternativeScope: TokenScope } ? boolean : undefined;
  /** From the header `Accept-Language`, for localized operations only. */
  readonly language: Operations[Name] extends { readonly localized: true } ? Language : undefined;
  /** From the header `Accept-Language`, for operations with localized names only. */
  readonly nameLanguage: Operations[Name] extends { readonly localizedNames: true } ? Language : undefined;
}

/** Returns true for an operation whose requests may have an `Idempotency-Key`. */
export const acceptsIdempotencyKey = ({ method, readOnly }: Operation): boolean =>
  method === 'POST' && readOnly !== true;

/** The operations with a rate limit. */
export type LimitedOperationName = {
  [Name in OperationName]: (typeof operations)[Name] extends { readonly rateLimit: RateLimit } ? Name : never;
}[OperationName];
