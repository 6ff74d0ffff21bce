import { SetMetadata } from '@nestjs/common';
import type { OperationName } from '#contracts';

/** Audience of a page. Members are signed-in users; others are redirected to the sign-in. */
export type Audience = 'everybody' | 'members';

/** Access to a route: with the scope of its operation, for the audience of its page, or public. */
export type Access = { readonly operation: OperationName } | { readonly page: Audience } | 'public';

const accessKey = 'storefront:access';

/**
 * Declares the access to a route. The gateway does not start with a route without this declaration.
 */
export const AccessBy = (access: Access): MethodDecorator => SetMetadata(accessKey, access);

/** Returns the access that a handler declares. */
export const accessOf = (handler: object): Access | undefined =>
  Reflect.getMetadata(accessKey, handler) as Access | undefined;

/**
 * Returns the operation of a route; undefined for a page and for a public route outside the API.
 */
export const operationIn = (access: Access | undefined): OperationName | undefined =>
  typeof access === 'object' && 'operation' in access ? access.operation : undefined;

/** Returns the audience of a page; undefined for other routes. */
export const audienceIn = (access: Access | undefined): Audience | undefined =>
  typeof access === 'object' && 'page' in access ? access.page : undefined;
