import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callOf } from './parsed-call.js';

export type { CallOf } from './parsed-call.js';

/** The checked request of an operation: `list(@Call() { viewerId, query }: CallOf<'products.list'>)`. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
