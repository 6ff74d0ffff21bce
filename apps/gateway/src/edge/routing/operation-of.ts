import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Operation, type OperationName, operations } from '#contracts';
import { accessOf, operationIn } from './access.js';

/** The name of the operation that a handler answers; undefined for a public route beside the API. */
export const operationNameOf = (context: ExecutionContext): OperationName | undefined =>
  operationIn(accessOf(context.getHandler()));

/** The operation that a handler answers; undefined for a public route beside the API. */
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

/** The name of the operation at a route, for what runs before its handler or without it. */
export function operationNameAt(method: string, path: string | undefined): OperationName | undefined {
  // Fastify answers HEAD with the route of GET
  return names.get(`${method === 'HEAD' ? 'GET' : method} ${path}`);
}

/** The name of the operation that a request was routed to. */
export const operationNameOfRequest = ({ method, routeOptions }: FastifyRequest): OperationName | undefined =>
  operationNameAt(method, routeOptions.url);
