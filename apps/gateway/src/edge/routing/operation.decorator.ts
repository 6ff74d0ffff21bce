import { applyDecorators, Delete, Get, Header, Post, Put } from '@nestjs/common';
import { type Operation as Contract, type OperationName, operations } from '#contracts';
import { AccessBy } from './access.js';

const routes = { GET: Get, POST: Post, PUT: Put, DELETE: Delete };

/**
 * Declares the handler of an API operation, whose path, scope and schemas come from `contracts`.
 * The edge rejects tokens without the scope.
 */
export function Operation(name: OperationName): MethodDecorator {
  const { method, path, localized, localizedNames }: Contract = operations[name];
  const language = localized || localizedNames ? [Header('vary', 'accept-language')] : [];
  return applyDecorators(routes[method](path), AccessBy({ operation: name }), ...language);
}

/**
 * Declares a route without authentication by a token. All routes outside the API, pages included,
 * are logged at startup, at level debug.
 */
export const Public = (): MethodDecorator => AccessBy('public');
