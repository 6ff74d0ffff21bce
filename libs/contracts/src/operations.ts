import type { z } from 'zod';
import type { Scope } from './account-fields.js';
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
  readonly resource: ResourceName;
  /** Short, and unique within the resource: generators make method names of it. */
  readonly title: string;
  /** One sentence. */
  readonly description: string;
  /** The kind of link in the hyper-schema. */
  readonly rel: 'self' | 'instances' | 'create' | 'update' | 'destroy';
  /** What a token must allow; null where none is needed. */
  readonly scope: Scope | null;
  /** True for what the specification does not have. */
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

/** A texture of 20 MB is 27 MB as base64; the rest is room for the other fields. */
const textureBodyLimit = 32 * 1024 * 1024;

const materialLimit: RateLimit = { limit: 200, periodSeconds: 900 };
const favoriteLimit: RateLimit = { limit: 300, periodSeconds: 900 };

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
    resource: 'activity',
    title: 'List',
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
    resource: 'activity',
    title: 'Unreads',
    description: 'Number of activities that no list has answered yet.',
    rel: 'self',
    scope: 'read',
    status: 200,
    response: response.UnreadsResponse,
  },
  'banners.list': {
    method: 'GET',
    path: `${collection}/banners`,
    resource: 'banner',
    title: 'List',
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
    resource: 'category',
    title: 'List',
    description: 'All categories with their items, in display order.',
    rel: 'instances',
    scope: 'read',
    extension: true,
    status: 200,
    response: response.CategoryListResponse,
  },
  'choices.list': {
    method: 'GET',
    path: `${collection}/choices`,
    resource: 'choice',
    title: 'List',
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
    resource: 'choice',
    title: 'Info',
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
    resource: 'choice',
    title: 'Create',
    description: 'Makes a choice of the current user.',
    rel: 'create',
    scope: 'write',
    body: request.ChoiceCreateBody,
    problems: entryProblems,
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.update': {
    method: 'PUT',
    path: `${collection}/choices/:choiceId`,
    resource: 'choice',
    title: 'Update',
    description: 'Changes what is sent; choiceProducts replaces the whole list.',
    rel: 'update',
    scope: 'write',
    params: request.ChoiceParams,
    body: request.ChoiceUpdateBody,
    problems: ['choice.not-owned', ...entryProblems],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.delete': {
    method: 'DELETE',
    path: `${collection}/choices/:choiceId`,
    resource: 'choice',
    title: 'Delete',
    description: 'Deletes a choice.',
    rel: 'destroy',
    scope: 'write',
    params: request.ChoiceParams,
    problems: ['choice.not-owned'],
    status: 204,
  },
  'choices.add': {
    method: 'POST',
    path: `${collection}/choices/:choiceId`,
    resource: 'choice',
    title: 'Add product',
    description: 'Adds a product, in one of its variants; one that is there already stays once.',
    rel: 'update',
    scope: 'write',
    params: request.ChoiceParams,
    body: request.ChoiceProductBody,
    problems: ['choice.not-owned', 'choice.full', ...entryProblems],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.remove': {
    method: 'POST',
    path: `${collection}/choices/:choiceId/remove`,
    resource: 'choice',
    title: 'Remove product',
    description: 'Removes a product: in the named variant, or in all of them.',
    rel: 'update',
    scope: 'write',
    params: request.ChoiceParams,
    body: request.ChoiceProductBody,
    problems: ['choice.not-owned'],
    status: 200,
    response: response.ChoiceResponse,
  },
  'choices.products': {
    method: 'GET',
    path: `${collection}/choices/:choiceId/products`,
    resource: 'choice',
    title: 'Products',
    description: 'Products of a choice that the current user may see, last added first.',
    rel: 'instances',
    scope: 'read',
    params: request.ChoiceParams,
    query: request.PageQuery,
    status: 200,
    response: response.ProductListResponse,
  },
  'favorites.of-product': {
    method: 'GET',
    path: `${collection}/products/:productId/favorites`,
    resource: 'favorite',
    title: 'Product',
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
    resource: 'favorite',
    title: 'User',
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
    description: 'Favors a product, once or several times.',
    rel: 'create',
    scope: 'write',
    params: request.ProductParams,
    body: request.FavoriteCreateBody,
    rateLimit: favoriteLimit,
    status: 201,
    response: response.FavoriteCreateResponse,
  },
  'favorites.delete': {
    method: 'DELETE',
    path: `${collection}/products/:productId/favorites`,
    resource: 'favorite',
    title: 'Delete',
    description: "Withdraws the current user's favorite of a product; answers it as it was.",
    rel: 'destroy',
    scope: 'write',
    params: request.ProductParams,
    problems: ['favorite.not-found'],
    status: 200,
    response: response.FavoriteDeleteResponse,
  },
  'items.list': {
    method: 'GET',
    path: `${collection}/items`,
    resource: 'item',
    title: 'List',
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
    resource: 'material',
    title: 'List',
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
    resource: 'material',
    title: 'Info',
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
    description: 'Makes a material of a picture, and products of it.',
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
    resource: 'material',
    title: 'Create from text',
    description: 'Makes a material of a text, and a T-shirt of it.',
    rel: 'create',
    scope: 'write',
    body: request.MaterialTextBody,
    rateLimit: materialLimit,
    localized: true,
    problems: ['text.blank', 'text.not-printable', 'item-variant.not-standard-t-shirt'],
    status: 200,
    response: response.WrittenMaterialResponse,
  },
  'materials.update': {
    method: 'PUT',
    path: `${collection}/materials/:materialId`,
    resource: 'material',
    title: 'Update',
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
    resource: 'material',
    title: 'Delete',
    description: 'Deletes a material and its products.',
    rel: 'destroy',
    scope: 'write',
    params: request.MaterialParams,
    problems: ['material.not-owned'],
    status: 204,
  },
  'products.list': {
    method: 'GET',
    path: `${collection}/products`,
    resource: 'product',
    title: 'List',
    description: "Published products and the current user's unpublished ones, newest first.",
    rel: 'instances',
    scope: 'read',
    query: request.ProductListQuery,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.search': {
    method: 'GET',
    path: `${collection}/products/search`,
    resource: 'product',
    title: 'Search',
    description: 'Products with all words in the title or the name of the item, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.ProductSearchQuery,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.on-sale': {
    method: 'GET',
    path: `${collection}/products/on_sale`,
    resource: 'product',
    title: 'On sale',
    description: 'Products that cost less at the moment, newest first.',
    rel: 'instances',
    scope: 'read',
    query: request.PageQuery,
    status: 200,
    response: response.ProductListResponse,
  },
  'products.get': {
    method: 'GET',
    path: `${collection}/products/:productId`,
    resource: 'product',
    title: 'Info',
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
    resource: 'promotion',
    title: 'List',
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
    description: 'The API as OpenAPI 3.1.',
    rel: 'self',
    // Generators and the documentation page fetch it before there is a token
    scope: null,
    extension: true,
    conditional: true,
    status: 200,
    response: response.OpenApiResponse,
  },
  'users.list': {
    method: 'GET',
    path: `${collection}/users`,
    resource: 'user',
    title: 'List',
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
    resource: 'user',
    title: 'Info',
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
    resource: 'user',
    title: 'Self',
    description: 'The user of the token, with the e-mail address.',
    rel: 'self',
    scope: 'read',
    status: 200,
    response: response.SelfResponse,
  },
  'users.update': {
    method: 'PUT',
    path: `${collection}/user`,
    resource: 'user',
    title: 'Update',
    description: 'Changes what is sent of the user of the token.',
    rel: 'update',
    scope: 'write',
    body: request.UserUpdateBody,
    status: 200,
    response: response.SelfResponse,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The operations of which a user may ask for so many in a while. */
export type LimitedOperationName = {
  [Name in OperationName]: (typeof operations)[Name] extends { readonly rateLimit: RateLimit } ? Name : never;
}[OperationName];
