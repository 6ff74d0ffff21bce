import { SetMetadata } from '@nestjs/common';
import type { OperationName } from '#contracts';

/** Who may see a page. Members are users who are signed in; all others are redirected to the sign-in. */
export type Audience = 'everybody' | 'members';

/** Who may call a route: callers with the scope of its operation, the audience of its page, or everybody. */
export type Access = { readonly operation: OperationName } | { readonly page: Audience } | 'public';

const accessKey = 'storefront:access';

/** Declares who may call a route. The gateway does not start with a route that declares nothing. */
export const AccessBy = (access: Access): MethodDecorator => SetMetadata(accessKey, access);

/** The access that a handler declares. */
export const accessOf = (handler: object): Access | undefined =>
  Reflect.getMetadata(accessKey, handler) as Access | undefined;

/** The operation of a route; undefined for a page and for a public route beside the API. */
export const operationIn = (access: Access | undefined): OperationName | undefined =>
  typeof access === 'object' && 'operation' in access ? access.operation : undefined;

/** The audience of a page; undefined for a route that is none. */
export const audienceIn = (access: Access | undefined): Audience | undefined =>
  typeof access === 'object' && 'page' in access ? access.page : undefined;
