import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Operation, type OperationName, operations } from '#contracts';
import { accessOf, operationIn } from './access.js';

/** Returns the operation name of a handler; undefined for a route outside the API. */
export const operationNameOf = (context: ExecutionContext): OperationName | undefined =>
  operationIn(accessOf(context.getHandler()));

/** Returns the operation of a handler; undefined for a route outside the API. */
export function operationOf(context: ExecutionContext): Operation | undefined {
  const name = operationNameOf(context);
  return name && operations[name];
}

const names = new Map(
  (Object.keys(operations) as OperationName[]).map((name) => [
    `${operations[name].method} ${operations[name].path}`,
    name,
  ]),
);

/** Returns the operation name of a route, for code that runs before or without its handler. */
export function operationNameAt(method: string, path: string | undefined): OperationName | undefined {
  // Fastify handles HEAD with the route of GET
  return names.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
}

/** Returns the operation name of a routed request. */
export const operationNameOfRequest = ({ method, routeOptions }: FastifyRequest): OperationName | undefined =>
  operationNameAt(method, routeOptions.url);
