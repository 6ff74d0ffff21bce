import { type Operation, type ProblemCode, problems } from '#contracts';

/** The refusals that an operation may answer, by what stands of it in the table, in the order in which they are checked. */
export function problemsOf(operation: Operation): ProblemCode[] {
  const { method, scope, params, query, body, rateLimit } = operation;
  const isPost = method === 'POST';
  const unknown = Object.keys(params?.shape ?? {}).map((it) => `${it.replace(/Id$/, '')}.not-found` as ProblemCode);
  const codes: ProblemCode[] = [
    ...(scope === null ? [] : (['token.missing', 'token.invalid', 'token.insufficient-scope'] as const)),
    ...(body ? (['request.too-large', 'request.unsupported-media-type', 'request.body-not-json'] as const) : []),
    // A POST without any input may still have a bad Idempotency-Key
    ...(params || query || body || isPost ? (['request.invalid'] as const) : []),
    ...(rateLimit ? (['rate-limit.exceeded'] as const) : []),
    ...(isPost ? (['idempotency-key.reused', 'idempotency-key.in-progress', 'idempotency-key.too-many'] as const) : []),
    ...unknown,
    ...(operation.problems ?? []),
    // Whatever needs a token asks other parts of the service
    ...(scope === null ? [] : (['service.overloaded', 'service.unavailable', 'service.no-answer'] as const)),
    'service.failed',
  ];
  for (const code of codes)
    if (!Object.hasOwn(problems, code)) throw new Error(`${operation.path}: there is no problem ${code}`);
  return codes;
}
