import { applyDecorators, Delete, Get, Header, Post, Put } from '@nestjs/common';
import { type Operation as Contract, type OperationName, operations } from '#contracts';
import { AccessBy } from './access.js';

const routes = { GET: Get, POST: Post, PUT: Put, DELETE: Delete };

/**
 * Makes a method answer one operation of the API: its address, its scope and its shapes come from `contracts`, and the
 * edge rejects tokens without the scope.
 */
export function Operation(name: OperationName): MethodDecorator {
  const { method, path, localized }: Contract = operations[name];
  const language = localized ? [Header('vary', 'accept-language')] : [];
  return applyDecorators(routes[method](path), AccessBy({ operation: name }), ...language);
}

/** A route without a token. The start logs the list of them. */
export const Public = (): MethodDecorator => AccessBy('public');
