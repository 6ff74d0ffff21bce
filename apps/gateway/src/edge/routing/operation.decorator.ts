import { applyDecorators, Delete, Get, Post, Put, SetMetadata } from '@nestjs/common';
import { type OperationName, operations } from '#contracts';

export const operationKey = 'storefront:operation';
export const publicKey = 'storefront:public';

const routes = { GET: Get, POST: Post, PUT: Put, DELETE: Delete };

/**
 * Makes a method answer one operation of the API: its address, its scope and its shapes come from `contracts`, and the
 * guard refuses whoever lacks the scope.
 */
export function Operation(name: OperationName): MethodDecorator {
  const { method, path } = operations[name];
  return applyDecorators(routes[method](path), SetMetadata(operationKey, name));
}

/** A route without a token. The start prints the list of them; a route with neither mark stops the start. */
export const Public = (): MethodDecorator => SetMetadata(publicKey, true);
