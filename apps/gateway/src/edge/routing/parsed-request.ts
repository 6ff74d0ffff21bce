import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type FieldError, DomainError } from '#kernel';
import { acceptsIdempotencyKey, type Idempotency, type Language, type Operation, problems } from '#contracts';
import { idempotencyOf } from '../headers/idempotency.js';
import { languageOf } from '../headers/language.js';
import { viewerOf } from '../authentication/viewer.js';

const parts = ['params', 'query', 'body'] as const;

/** Parsed request of any operation; `OperationRequest` is typed by operation. */
export interface ParsedRequest {
  readonly viewerId: number;
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
  readonly idempotency?: Idempotency;
  readonly language?: Language;
  readonly nameLanguage?: Language;
  readonly ofAnyOwner?: boolean;
}

/**
 * Validates all parts of a request against the contract and reports all errors together.
 *
 * @param bounded schemas by the schema of the contract that they replace, because their limits
 *   depend on a setting
 * @throws DomainError `request.invalid`
 */
export function parseRequest(
  operation: Operation,
  request: FastifyRequest,
  bounded: ReadonlyMap<z.ZodType, z.ZodType>,
): ParsedRequest {
  const viewer = viewerOf(request);
  const parsed: { viewerId: number } & Record<string, unknown> = { viewerId: viewer.userId };
  const errors: FieldError[] = [];
  for (const part of parts) {
    const shape = operation[part];
    if (!shape) continue;
    const result = (bounded.get(shape) ?? shape).safeParse(request[part]);
    if (result.success) parsed[part] = result.data;
    else
      for (const issue of result.error.issues)
        errors.push({ path: [part, ...issue.path].join('.'), message: issue.message });
  }
  if (acceptsIdempotencyKey(operation)) parsed.idempotency = idempotencyOf(request, errors);
  const { alternativeScope } = operation;
  if (alternativeScope) parsed.ofAnyOwner = viewer.scopes.includes(alternativeScope);
  const accepted = request.headers['accept-language'];
  if (operation.localized) parsed.language = languageOf(accepted);
  if (operation.localizedNames) parsed.nameLanguage = languageOf(accepted, 'ja');
  if (errors.length > 0) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new DomainError(problems['request.invalid'], `${first!.path}: ${first!.message}${more}`, errors);
  }
  return parsed;
}

const parsedRequests = new WeakMap<FastifyRequest, ParsedRequest>();

export const storeParsedRequest = (request: FastifyRequest, parsed: ParsedRequest): void =>
  void parsedRequests.set(request, parsed);

/** Returns the parsed request of an operation. */
export function parsedRequestOf(request: FastifyRequest): ParsedRequest {
  const parsed = parsedRequests.get(request);
  if (!parsed) throw new Error('the request was not parsed');
  return parsed;
}
