import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type FieldError, DomainError } from '#kernel';
import { type Operation, type OperationName, type operations, problems } from '#contracts';
import { viewerOf } from '../authentication/viewer.js';
import { operationOf } from './operation-of.js';

type Operations = typeof operations;
type Part<Name extends OperationName, Key extends string> =
  Operations[Name] extends Record<Key, infer Shape extends z.ZodType> ? z.output<Shape> : undefined;

/** A request that has passed its contract: parsed and typed. */
export interface CallOf<Name extends OperationName> {
  readonly viewerId: number;
  readonly params: Part<Name, 'params'>;
  readonly query: Part<Name, 'query'>;
  readonly body: Part<Name, 'body'>;
}

const places = ['params', 'query', 'body'] as const;

/**
 * Checks every part of a request against the operation's contract and names all offending paths at once.
 *
 * @throws DomainError `request.invalid`
 */
export function parseCall(operation: Operation, request: Pick<FastifyRequest, 'params' | 'query' | 'body'>) {
  const parsed: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const place of places) {
    const shape = operation[place];
    if (!shape) continue;
    const result = shape.safeParse(request[place]);
    if (result.success) parsed[place] = result.data;
    else
      for (const issue of result.error.issues)
        errors.push({ path: [place, ...issue.path].join('.'), message: issue.message });
  }
  if (errors.length > 0) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new DomainError(problems['request.invalid'], `${first!.path}: ${first!.message}${more}`, errors);
  }
  return parsed;
}

/** The checked request of an operation: `list(@Call() { viewerId, query }: CallOf<'products.list'>)`. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { viewerId: viewerOf(request).userId, ...parseCall(operationOf(context), request) };
});
