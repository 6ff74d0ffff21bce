import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type FieldError, DomainError } from '#kernel';
import { type Idempotency, type Operation, type OperationName, type operations, problems } from '#contracts';
import { idempotencyOf } from '../headers/idempotency.js';
import { viewerOf } from '../authentication/viewer.js';

type Operations = typeof operations;
type Part<Name extends OperationName, Key extends string> =
  Operations[Name] extends Record<Key, infer Shape extends z.ZodType> ? z.output<Shape> : undefined;

/** A request that has passed its contract: parsed and typed. */
export interface CallOf<Name extends OperationName> {
  readonly viewerId: number;
  readonly params: Part<Name, 'params'>;
  readonly query: Part<Name, 'query'>;
  readonly body: Part<Name, 'body'>;
  /** What the client sent as `Idempotency-Key`, on POST only. */
  readonly idempotency: Idempotency | undefined;
}

const places = ['params', 'query', 'body'] as const;

/**
 * Checks every part of a request against the operation's contract and names all offending paths at once.
 *
 * @throws DomainError `request.invalid`
 */
export function parseCall(operation: Operation, request: FastifyRequest): object {
  const parsed: Record<string, unknown> = { viewerId: viewerOf(request).userId };
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
  if (operation.method === 'POST') parsed.idempotency = idempotencyOf(request, errors);
  if (errors.length > 0) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new DomainError(problems['request.invalid'], `${first!.path}: ${first!.message}${more}`, errors);
  }
  return parsed;
}

const calls = new WeakMap<FastifyRequest, object>();

export const keepCall = (request: FastifyRequest, call: object): void => void calls.set(request, call);

/** The checked request of an operation. */
export function callOf(request: FastifyRequest): object {
  const call = calls.get(request);
  if (!call) throw new Error('the request was not checked');
  return call;
}
