import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parsedRequestOf } from './parsed-request.js';

/**
 * The parsed request of an operation: `list(@Parsed() { viewerId, query }:
 * OperationRequest<'products.list'>)`.
 */
export const Parsed = createParamDecorator((_: unknown, context: ExecutionContext) =>
  parsedRequestOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
