import type { z } from 'zod';
import type { Scope } from './account-fields.js';
import type { Language } from './language.js';
import type { Idempotency } from './messages/idempotency.js';
import type { ServiceName } from './apps.mjs';
import type { ProblemCode } from './problems.js';
import * as request from './requests.js';
import type { ResourceName } from './resources/table.js';
import * as response from './responses.js';

/** How often one user may ask for an operation; an operator may set other numbers. */
export interface RateLimit {
  readonly limit: number;
  readonly periodSeconds: number;
}

/** One HTTP operation of the API: the only place that says its address, its scope, its limits and its shapes. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for path parameters. */
  readonly path: string;
  /**
   * The service that answers by its message of the same name, to which the gateway forwards the parsed request. Absent where
   * the gateway does more: there a controller answers.
   */
  readonly service?: ServiceName;
  readonly resource: ResourceName;
  /** Name in the hyper-schema. Short, and unique within the resource: generators make method names of it. */
  readonly title: string;
  /** Name in OpenAPI: a verb and its object. The `operationId` is made of it. */
  readonly summary: string;
  /** One sentence. */
  readonly description: string;
  /** The kind of link in the hyper-schema. */
  readonly rel: 'self' | 'instances' | 'create' | 'update' | 'destroy';
  /** What a token must allow; null where none is needed. */
  readonly scope: Scope | null;
  /** True for operations that docs/specification.md does not have. */
  readonly extension?: boolean;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Largest body in bytes; 1 MB unless a texture may come. */
  readonly bodyLimit?: number;
  readonly rateLimit?: RateLimit;
  /** True when the answer has an entity tag, and an `If-None-Match` that names it is answered 304. */
  readonly conditional?: boolean;
  /** True when `Accept-Language` chooses the language of texts. */
  readonly localized?: boolean;
  /** Its own refusals: those that do not follow from what stands here already. */
  readonly problems?: readonly ProblemCode[];
  readonly status: 200 | 201 | 204;
  readonly response?: z.ZodType;
}

/** The largest body of all operations: a texture of 20 MB is 27 MB as base64, the rest is room for the other fields. */
export const textureBodyLimit = 32 * 1024 * 1024;

const materialLimit: RateLimit = { limit: 200, periodSeconds: 900 };
/** Every other write: far above what a person does, and a bound on what a script leaves behind. */
const writeLimit: RateLimit = { limit: 300, periodSeconds: 900 };

const collection = '/api/v1';

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
  'resize-mode.not-allowed',
  'product.duplicate-item',
] as const satisfies ProblemCode[];

export const operations = {
  'activities.list': {
    method: 'GET',
    path: `${collection}/activities`,
    service: 'activity',
    resource: 'activity',
    title: 'List',
    summary: 'List activities',
    description: 'Newest activities of the current user, which are read from then on.',
    rel: 'instances',
    scope: 'read',
    query: request.ActivityListQuery,
    localized: true,
    status: 200,
    response: response.ActivityListResponse,
  },
  'activities.unreads': {
    method: 'GET',
    path: `${collection}/activities/unreads`,
    service: 'activity',
    resource: 'activity',
    title: 'Unreads',
    summary: 'Count unread activities',
    description: 'Number of activities that no list has answered yet.',
    rel: 'self',
    scope: 'read',
    status: 200,
    response: response.UnreadsResponse,
  },
  'banners.list': {
    method: 'GET',
    path: `${collection}/banners`,
    service: 'catalog',
    resource: 'banner',
    title: 'List',
    summary: 'List banners',
    description: 'All banners, newest first.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    status: 200,
    response: response.BannerListResponse,
  },
  'categories.list': {
    method: 'GET',
    path: `${collection}/categories`,
    service: 'catalog',
    resource: 'category',
    title: 'List',
    summary: 'List categories',
    description: 'All categories with their items, in display order.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    conditional: true,
    status: 200,
    response: response.CategoryListResponse,
  },
  'choices.list': {
    method: 'GET',
    path: `${collection}/choices`,
    service: 'social',
    resource: 'choice',
    title: 'List',
    summary: 'List choices',
    description: "Choices that everybody may see and the current user's own secret ones, newest first.",
    rel: 'instances',
    scope: 'read',
    query: request.ChoiceListQuery,
    status: 200,
    response: response.ChoiceListResponse,
  },
  'choices.get': {
    method: 'GET',
    path: `${collection}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Info',
    summary: 'Get choice',
    description: 'One choice.',
    rel: 'self',
    scope: 'read',
    params: request.ChoiceParams,
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.create': {
    method: 'POST',
    path: `${collection}/choices`,
    service: 'social',
    resource: 'choice',
    title: 'Create',
    summary: 'Create choice',
    description: 'Makes a choice of the current user.',
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
    path: `${collection}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Update',
    summary: 'Update choice',
    description: 'Changes what is sent; choiceProducts replaces the whole list.',
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
    path: `${collection}/choices/:choiceId`,
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
    path: `${collection}/choices/:choiceId`,
    service: 'social',
    resource: 'choice',
    title: 'Add product',
    summary: 'Add choice product',
    description: 'Adds a product, in one of its variants; one that is there already stays once.',
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
    path: `${collection}/choices/:choiceId/remove`,
    service: 'social',
    resource: 'choice',
    title: 'Remove product',
    summary: 'Remove choice product',
    description: 'Removes a product: in the named variant, or in all of them.',
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
    path: `${collection}/choices/:choiceId/products`,
    service: 'social',
    resource: 'choice',
    title: 'Products',
    summary: 'List choice products',
    description: 'Products of a choice that the current user may see, last added first.',
    rel: 'instances',
    scope: 'read',
    params: request.ChoiceParams,
    query: request.PageQuery,
    conditional: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'favorites.of-product': {
    method: 'GET',
    path: `${collection}/products/:productId/favorites`,
    service: 'social',
    resource: 'favorite',
    title: 'Product',
    summary: 'List product favorites',
    description: 'Favorites of a product, newest first; anonymous ones are left out.',
    rel: 'instances',
    scope: 'read',
    params: request.ProductParams,
    query: request.FavoriteListQuery,
    status: 200,
    response: response.FavoritesOfProductResponse,
  },
  'favorites.of-user': {
    method: 'GET',
    path: `${collection}/users/:userId/favorites`,
    service: 'social',
    resource: 'favorite',
    title: 'User',
    summary: 'List user favorites',
    description: 'Favorites of a user, newest first; anonymous ones are shown to the user alone.',
    rel: 'instances',
    scope: 'read',
    params: request.UserParams,
    query: request.PageQuery,
    status: 200,
    response: response.FavoritesOfUserResponse,
  },
  'favorites.create': {
    method: 'POST',
    path: `${collection}/products/:productId/favorites`,
    resource: 'favorite',
    title: 'Create',
    summary: 'Create favorite',
    description: 'Favors a product, once or several times.',
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
    path: `${collection}/products/:productId/favorites`,
    service: 'social',
    resource: 'favorite',
    title: 'Delete',
    summary: 'Delete favorite',
    description: "Withdraws the current user's favorite of a product; answers it as it was.",
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
    path: `${collection}/items`,
    service: 'catalog',
    resource: 'item',
    title: 'List',
    summary: 'List items',
    description: 'All items with their variants, in display order.',
    rel: 'instances',
    scope: 'read',
    conditional: true,
    status: 200,
    response: response.ItemListResponse,
  },
  'materials.list': {
    method: 'GET',
    path: `${collection}/materials`,
    service: 'catalog',
    resource: 'material',
    title: 'List',
    summary: 'List materials',
    description: "The current user's materials, or those of another user that are published; newest first.",
    rel: 'instances',
    scope: 'read',
    query: request.MaterialListQuery,
    status: 200,
    response: response.MaterialListResponse,
  },
  'materials.get': {
    method: 'GET',
    path: `${collection}/materials/:materialId`,
    service: 'catalog',
    resource: 'material',
    title: 'Info',
    summary: 'Get material',
    description: 'One material with the products that the current user may see.',
    rel: 'self',
    scope: 'read',
    extension: true,
    params: request.MaterialParams,
    status: 200,
    response: response.MaterialResponse,
  },
  'materials.create': {
    method: 'POST',
    path: `${collection}/materials`,
    resource: 'material',
    title: 'Create',
    summary: 'Create material',
    description: 'Makes a material of an image, and products of it.',
    rel: 'create',
    scope: 'write',
    body: request.MaterialCreateBody,
    bodyLimit: textureBodyLimit,
    rateLimit: materialLimit,
    localized: true,
    problems: [...productProblems, ...textureProblems],
    status: 200,
    response: response.WrittenMaterialResponse,
  },
  'materials.text': {
    method: 'POST',
    path: `${collection}/materials/text`,
    service: 'catalog',
    resource: 'material',
    title: 'Create from text',
    summary: 'Create text material',
    description: 'Makes a material of a text, and a T-shirt of it.',
    rel: 'create',
    scope: 'write',
    body: request.MaterialTextBody,
    rateLimit: materialLimit,
    localized: true,
    problems: ['text.blank', 'text.not-printable', 'texture.quota-exceeded', 'item-variant.not-standard-t-shirt'],
    status: 200,
    response: response.WrittenMaterialResponse,
  },
  'materials.update': {
    method: 'PUT',
    path: `${collection}/materials/:materialId`,
    service: 'catalog',
    resource: 'material',
    title: 'Update',
    summary: 'Update material',
    description: 'Changes what is sent; products are changed where the material has one of the item, else made.',
    rel: 'update',
    scope: 'write',
    params: request.MaterialParams,
    body: request.MaterialUpdateBody,
    rateLimit: materialLimit,
    localized: true,
    problems: ['material.not-owned', ...productProblems],
    status: 200,
    response: response.WrittenMaterialResponse,
  },
  'materials.delete': {
    method: 'DELETE',
    path: `${collection}/materials/:materialId`,
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
  'products.list': {
    method: 'GET',
    path: `${collection}/products`,
    service: 'catalog',
    resource: 'product',
    title: 'List',
    summary: 'List products',
    description: "Published products and the current user's unpublished ones, newest first.",
    rel: 'instances',
    scope: 'read',
    query: request.ProductListQuery,
    conditional: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.search': {
    method: 'GET',
    path: `${collection}/products/search`,
    service: 'catalog',
    resource: 'product',
    title: 'Search',
    summary: 'Search products',
    description: 'Products with all words in the title or the name of the item, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.ProductSearchQuery,
    conditional: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.on-sale': {
    method: 'GET',
    path: `${collection}/products/on_sale`,
    service: 'catalog',
    resource: 'product',
    title: 'On sale',
    summary: 'List products on sale',
    description: 'Products that cost less at the moment, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.PageQuery,
    conditional: true,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.get': {
    method: 'GET',
    path: `${collection}/products/:productId`,
    service: 'catalog',
    resource: 'product',
    title: 'Info',
    summary: 'Get product',
    description: 'One product with all variants of its item.',
    rel: 'self',
    scope: 'read',
    params: request.ProductParams,
    conditional: true,
    status: 200,
    response: response.ProductResponse,
  },
  'promotions.list': {
    method: 'GET',
    path: `${collection}/promotions`,
    service: 'catalog',
    resource: 'promotion',
    title: 'List',
    summary: 'List promotions',
    description: 'All promotions, newest first.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    status: 200,
    response: response.PromotionListResponse,
  },
  'schema.hyper': {
    method: 'GET',
    path: `${collection}/schema`,
    resource: 'schema',
    title: 'Info',
    summary: 'Get hyper-schema',
    description: 'The API as JSON Hyper-Schema, draft 4.',
    rel: 'self',
    scope: 'read',
    conditional: true,
    status: 200,
    response: response.HyperSchemaResponse,
  },
  'schema.openapi': {
    method: 'GET',
    path: `${collection}/openapi.json`,
    resource: 'schema',
    title: 'OpenAPI',
    summary: 'Get OpenAPI document',
    description: 'The API as OpenAPI 3.1.',
    rel: 'self',
    // Generators and the documentation page fetch it before there is a token
    scope: null,
    extension: true,
    conditional: true,
    problems: ['request.headers-too-large'],
    status: 200,
    response: response.OpenApiResponse,
  },
  'users.list': {
    method: 'GET',
    path: `${collection}/users`,
    service: 'accounts',
    resource: 'user',
    title: 'List',
    summary: 'List users',
    description: 'Users, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.UserListQuery,
    status: 200,
    response: response.UserListResponse,
  },
  'users.get': {
    method: 'GET',
    path: `${collection}/users/:userId`,
    service: 'accounts',
    resource: 'user',
    title: 'Info',
    summary: 'Get user',
    description: 'One user.',
    rel: 'self',
    scope: 'read',
    params: request.UserParams,
    status: 200,
    response: response.UserResponse,
  },
  'users.self': {
    method: 'GET',
    path: `${collection}/user`,
    service: 'accounts',
    resource: 'user',
    title: 'Self',
    summary: 'Get current user',
    description: 'The user of the token, with the e-mail address.',
    rel: 'self',
    scope: 'read',
    status: 200,
    response: response.SelfResponse,
  },
  'users.update': {
    method: 'PUT',
    path: `${collection}/user`,
    service: 'accounts',
    resource: 'user',
    title: 'Update',
    summary: 'Update current user',
    description: 'Changes what is sent of the user of the token.',
    rel: 'update',
    scope: 'write',
    body: request.UserUpdateBody,
    rateLimit: writeLimit,
    status: 200,
    response: response.SelfResponse,
  },
} as const satisfies Record<string, Operation>;

type Operations = typeof operations;
export type OperationName = keyof Operations;

/** A parsed part of an operation's request; undefined where it has none. */
export type PartOf<Name extends OperationName, Part extends 'params' | 'query' | 'body'> =
  Operations[Name] extends Record<Part, infer Shape extends z.ZodType> ? z.output<Shape> : undefined;

/** The parsed request of an operation. */
export interface OperationRequest<Name extends OperationName> {
  readonly viewerId: number;
  readonly params: PartOf<Name, 'params'>;
  readonly query: PartOf<Name, 'query'>;
  readonly body: PartOf<Name, 'body'>;
  /** Of the header `Idempotency-Key`, on POST only. */
  readonly idempotency: Operations[Name]['method'] extends 'POST' ? Idempotency | undefined : undefined;
  /** By the header `Accept-Language`, of localized operations only. */
  readonly language: Operations[Name] extends { readonly localized: true } ? Language : undefined;
}

/** The operations of which a user may ask for so many in a while. */
export type LimitedOperationName = {
  [Name in OperationName]: (typeof operations)[Name] extends { readonly rateLimit: RateLimit } ? Name : never;
}[OperationName];
