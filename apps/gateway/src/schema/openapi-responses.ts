import { acceptsIdempotencyKey, type Operation, type ProblemCode, problems } from '#contracts';
import { type JsonSchema, mapValues } from './json-schema.js';
import { type HeaderName, headerRefs } from './openapi-headers.js';
import { problemsOf } from './operation-problems.js';
import type { OpenApiContext } from './openapi-context.js';

const rateLimitHeaders: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/**
 * Rate limit headers of a 401. Without a valid token there is no user, whose limit the headers
 * would describe.
 */
const rateLimitHeadersOf401 = mapValues(headerRefs(...rateLimitHeaders), (it) => ({
  ...it,
  description: 'Present only if the token is valid but lacks a scope.',
}));

/** Returns the 2xx response of an operation, and 304 if it is conditional, with their headers. */
export function successResponses(
  name: string,
  operation: Operation,
  { shapes, settings, example }: OpenApiContext,
): object {
  const { status, response, query, conditional, mediaType = 'application/json' } = operation;
  const isPaged = query !== undefined && 'limit' in query.shape && 'offset' in query.shape;
  const headers = headerRefs(
    'X-Request-Id',
    ...(settings.rateLimitOf(name) ? rateLimitHeaders : []),
    ...(isPaged ? (['Link'] as const) : []),
    ...(conditional ? (['ETag'] as const) : []),
    ...(acceptsIdempotencyKey(operation) ? (['Idempotency-Replayed'] as const) : []),
  );
  const schema = response && shapes.response(response);
  return {
    [status]: {
      description: status === 204 ? 'Success.' : operation.description,
      headers,
      ...(schema && { content: { [mediaType]: { schema, example: example(schema) } } }),
    },
    ...(conditional && {
      304: { description: 'Not modified: the entity tag is current.', headers: headerRefs('X-Request-Id', 'ETag') },
    }),
  };
}

/** Returns the error responses of an operation by status, with the problem codes of each status. */
export function problemResponses(operation: Operation): object {
  const codes = problemsOf(operation);
  const statuses = new Set(codes.map((code) => problems[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = codes.filter((code) => problems[code].status === status);
      return [status, problemResponse(operation, status, ofStatus)];
    }),
  );
}

function problemResponse({ rateLimit }: Operation, status: number, codes: readonly ProblemCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n'),
    headers: {
      ...headerRefs('X-Request-Id'),
      ...(rateLimit && (status === 401 ? rateLimitHeadersOf401 : headerRefs(...rateLimitHeaders))),
      ...headerRefs(
        ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
        ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
      ),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** Returns an example of a problem document for each code. */
export function problemExamples(
  { settings, example }: OpenApiContext,
  schema: JsonSchema,
  codes: readonly ProblemCode[],
): object {
  const { errors, ...whole } = example(schema) as Record<string, unknown>;
  return Object.fromEntries(
    codes.map((it) => {
      const { code, status, title } = problems[it];
      const detail = `${title}.`;
      const type = `${settings.baseUrl}/problems/${code}`;
      const value = { ...whole, type, title, status, detail, code, message: detail };
      return [code, { summary: title, value: code === 'request.invalid' ? { ...value, errors } : value }];
    }),
  );
}
