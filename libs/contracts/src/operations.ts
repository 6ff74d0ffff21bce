import type { z } from 'zod';
import type { Scope } from './messages/accounts.js';
import {
  ActivityListQuery,
  FavoriteCreateBody,
  MaterialCreateBody,
  MaterialListQuery,
  MaterialParams,
  ProductListQuery,
  ProductParams,
} from './requests.js';
import {
  ActivityListResponse,
  FavoriteCreateResponse,
  ItemListResponse,
  MaterialListResponse,
  MaterialResponse,
  ProductListResponse,
  ProductResponse,
  UnreadsResponse,
} from './responses.js';

/** One HTTP operation of the API: the only place that says its address, its scope and its shapes. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for path parameters. */
  readonly path: string;
  readonly title: string;
  readonly scope: Scope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Largest body in bytes; 1 MB unless a texture may come. */
  readonly bodyLimit?: number;
  readonly status: 200 | 201 | 204;
  readonly response?: z.ZodType;
}

/** A texture of 20 MB is 27 MB as base64; the rest is room for the other fields. */
const textureBodyLimit = 32 * 1024 * 1024;

const collection = '/api/v1';

export const operations = {
  'activities.list': {
    method: 'GET',
    path: `${collection}/activities`,
    title: 'List activities of the current user',
    scope: 'read',
    query: ActivityListQuery,
    status: 200,
    response: ActivityListResponse,
  },
  'activities.unreads': {
    method: 'GET',
    path: `${collection}/activities/unreads`,
    title: 'Count unread activities',
    scope: 'read',
    status: 200,
    response: UnreadsResponse,
  },
  'favorites.create': {
    method: 'POST',
    path: `${collection}/products/:productId/favorites`,
    title: 'Favor a product',
    scope: 'write',
    params: ProductParams,
    body: FavoriteCreateBody,
    status: 201,
    response: FavoriteCreateResponse,
  },
  'items.list': {
    method: 'GET',
    path: `${collection}/items`,
    title: 'List items',
    scope: 'read',
    status: 200,
    response: ItemListResponse,
  },
  'materials.list': {
    method: 'GET',
    path: `${collection}/materials`,
    title: 'List materials',
    scope: 'read',
    query: MaterialListQuery,
    status: 200,
    response: MaterialListResponse,
  },
  'materials.create': {
    method: 'POST',
    path: `${collection}/materials`,
    title: 'Create a material and its products',
    scope: 'write',
    body: MaterialCreateBody,
    bodyLimit: textureBodyLimit,
    status: 200,
    response: MaterialResponse,
  },
  'materials.delete': {
    method: 'DELETE',
    path: `${collection}/materials/:materialId`,
    title: 'Delete a material and its products',
    scope: 'write',
    params: MaterialParams,
    status: 204,
  },
  'products.list': {
    method: 'GET',
    path: `${collection}/products`,
    title: 'List products',
    scope: 'read',
    query: ProductListQuery,
    status: 200,
    response: ProductListResponse,
  },
  'products.get': {
    method: 'GET',
    path: `${collection}/products/:productId`,
    title: 'Get a product',
    scope: 'read',
    params: ProductParams,
    status: 200,
    response: ProductResponse,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
