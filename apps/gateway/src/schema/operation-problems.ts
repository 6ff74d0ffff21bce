import { acceptsIdempotencyKey, type Operation, type ProblemCode, problems } from '#contracts';
import { resourceOfParameter } from './parameter-resource.js';

/** Returns the code for an unknown resource, by the name of its path parameter. */
const notFoundCode = (parameter: string): ProblemCode =>
  `${resourceOfParameter(parameter).replaceAll('_', '-')}.not-found` as ProblemCode;

/**
 * Returns the problem codes that the API documents list for an operation. They are derived from its
 * entry in `operations`, in the order of the checks.
 */
export function problemsOf(operation: Operation): ProblemCode[] {
  const { scope, tokens, params, query, body, rateLimit } = operation;
  const hasKey = acceptsIdempotencyKey(operation);
  const notFound = Object.keys(params?.shape ?? {}).map(notFoundCode);
  const codes: ProblemCode[] = [
    ...(scope === null ? [] : (['token.missing', 'token.invalid'] as const)),
    ...(tokens === 'own' ? (['application.not-allowed'] as const) : []),
    ...(scope === null ? [] : (['token.insufficient-scope'] as const)),
    ...(body ? (['request.too-large', 'request.unsupported-media-type', 'request.body-not-json'] as const) : []),
    // A POST without input can have an invalid Idempotency-Key
    ...(params || query || body || hasKey ? (['request.invalid'] as const) : []),
    ...(rateLimit ? (['rate-limit.exceeded'] as const) : []),
    ...(hasKey ? (['idempotency-key.reused', 'idempotency-key.in-progress', 'idempotency-key.too-many'] as const) : []),
    ...notFound,
    ...(operation.problems ?? []),
    // Only operations with authentication send requests to services
    ...(scope === null ? [] : (['service.overloaded', 'service.unavailable', 'service.no-answer'] as const)),
    'service.failed',
  ];
  for (const code of codes)
    if (!Object.hasOwn(problems, code)) throw new Error(`${operation.path}: unknown problem code ${code}`);
  return codes;
}
