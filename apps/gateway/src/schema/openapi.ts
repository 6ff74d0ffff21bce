import type { z } from 'zod';
import {
  acceptsIdempotencyKey,
  exampleBaseUrl,
  type Operation,
  type ProblemCode,
  requestShapes,
  responseShapes,
} from '#contracts';
import { metadataPath } from './oauth-metadata.js';
import type { DocumentSettings } from './document-settings.js';
import { exampleOf, type JsonSchema, replaceText } from './json-schema.js';
import { headers, parameters } from './openapi-headers.js';
import { info } from './openapi-info.js';
import { problemExamples, problemResponses, successResponses } from './openapi-responses.js';
import { descriptionOf } from './operation-description.js';
import { problemsOf } from './operation-problems.js';
import { type ApiTable, type Dialect, shapesOf } from './shapes.js';
import type { OpenApiContext } from './openapi-context.js';
import { webhooksOf } from './openapi-webhooks.js';

/** `Schema` alone would not say that the document is a hyper-schema. */
const componentName = (resource: string): string =>
  resource === 'schema'
    ? 'HyperSchema'
    : resource.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the problem codes of all operations, without duplicates. */
const returnedCodes = (operations: readonly Operation[]): ProblemCode[] => [...new Set(operations.flatMap(problemsOf))];

/**
 * Declares the code as an open enum: generators know the current codes, and clients must accept new
 * ones.
 */
const withKnownCodes = (problem: JsonSchema, codes: readonly ProblemCode[]): JsonSchema => ({
  ...problem,
  properties: {
    ...problem.properties,
    code: { ...problem.properties!.code, anyOf: [{ enum: [...codes] }, { type: 'string' }] },
  },
});

/**
 * Converts a summary to an operation id: `List products on sale` to `listProductsOnSale`, and `Get
 * OpenAPI document` to `getOpenApiDocument`.
 */
const operationIdOf = (summary: string): string => {
  const [verb, ...words] = summary.split(/[ -]/);
  const capitalized = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const lowerAcronym = (word: string) => word.replace(/(?<=[A-Z])[A-Z]+/, (rest) => rest.toLowerCase());
  return verb!.toLowerCase() + capitalized.map(lowerAcronym).join('');
};

/** JSON Schema of OpenAPI 3.1. Numeric parameters in paths and queries have the type `integer`. */
const draft2020: Dialect = {
  target: 'draft-2020-12',
  reference: (name) => `#/components/schemas/${componentName(name)}`,
  named: { requests: requestShapes, responses: responseShapes },
  transform: ({ wireNumber, pattern, examples, ...schema }) =>
    wireNumber === undefined
      ? { ...schema, ...(pattern !== undefined && { pattern }), ...(examples && { examples }) }
      : {
          ...schema,
          ...(wireNumber as object),
          type: 'integer',
          ...(examples && { examples: examples.map(Number) }),
        },
};

/** Returns the API as OpenAPI 3.1 document. */
export function openApi(table: ApiTable, settings: DocumentSettings): object {
  const shapes = shapesOf(table, draft2020, settings);
  const schemas: Record<string, JsonSchema> = {
    ...Object.fromEntries(
      Object.entries(table.resources).map(([name, { title, description }]) => {
        const schema = shapes.resource(name);
        return [componentName(name), { title, description, ...schema }];
      }),
    ),
    ...shapes.named,
  };
  const codes = returnedCodes(Object.values(table.operations));
  schemas.Problem = withKnownCodes(schemas.Problem!, codes);
  const example = (schema: JsonSchema) =>
    exampleOf(schema, (ref) => schemas[ref.slice('#/components/schemas/'.length)]!);
  const context: OpenApiContext = { shapes, settings, example };
  const used = new Set(Object.values(table.operations).map(({ resource }) => resource));
  const document = {
    openapi: '3.1.0',
    info,
    servers: [{ url: settings.baseUrl }],
    tags: Object.entries(table.resources)
      .filter(([name]) => (used as Set<string>).has(name))
      .map(([, { title, description }]) => ({ name: title, description })),
    paths: pathsOf(table, context),
    webhooks: webhooksOf(context),
    components: {
      schemas,
      headers,
      parameters,
      examples: problemExamples(context, schemas.Problem, codes),
      securitySchemes: securitySchemes(settings.baseUrl),
    },
  };
  return replaceText(document, exampleBaseUrl, settings.baseUrl);
}

function pathsOf({ operations, resources }: ApiTable, context: OpenApiContext) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    const tag = resources[operation.resource]!.title;
    (paths[path] ??= {})[operation.method.toLowerCase()] = operationObject(name, operation, { tag, context });
  }
  return paths;
}

function operationObject(
  name: string,
  operation: Operation,
  { tag, context }: { tag: string; context: OpenApiContext },
) {
  const { summary, extension, body } = operation;
  const description = descriptionOf(operation);
  return {
    operationId: operationIdOf(summary),
    tags: [tag],
    summary,
    description: extension ? `${description} (Extension.)` : description,
    ...(extension && { 'x-extension': true }),
    parameters: parametersOf(operation, context),
    ...(body && { requestBody: requestBody(body, context) }),
    responses: {
      ...successResponses(name, operation, context),
      ...problemResponses(operation),
    },
    security: securityOf(operation),
  };
}

/** Returns the alternative security requirements of an operation. */
function securityOf({ scope, tokens, alternativeScope }: Operation): object[] {
  if (scope === null) return [];
  const scopes = scope === 'write' ? ['read', 'write'] : ['read'];
  return [
    { bearer: [] },
    ...(tokens === 'own' ? [] : [{ oauth2: scopes }]),
    ...(alternativeScope ? [{ [alternativeScope]: [] }] : []),
  ];
}

function parametersOf(operation: Operation, { shapes }: OpenApiContext): object[] {
  const { params, query, conditional, mediaType } = operation;
  const listed = (place: 'path' | 'query', schema: JsonSchema): object[] =>
    Object.entries(schema.properties ?? {}).map(([name, { description, examples, ...it }]) => ({
      name,
      in: place,
      description,
      required: place === 'path',
      schema: it,
      example: examples?.[0],
    }));
  return [
    ...(params ? listed('path', shapes.request(params)) : []),
    ...(query ? listed('query', shapes.request(query)) : []),
    ...(acceptsIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(conditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ...(mediaType === 'text/event-stream' ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
    ...languageParameter(operation),
  ];
}

function languageParameter({ localized, localizedNames }: Operation): object[] {
  if (!localized && !localizedNames) return [];
  const texts = localized ? 'AcceptLanguage' : 'NameLanguage';
  const name = localized && localizedNames ? 'NameAndMessageLanguage' : texts;
  return [{ $ref: `#/components/parameters/${name}` }];
}

/** Returns the request body. A body is optional if its schema accepts `undefined`. */
function requestBody(body: z.ZodType, { shapes, example }: OpenApiContext): object {
  const schema = shapes.request(body);
  const required = !body.safeParse(undefined).success;
  return { required, content: { 'application/json': { schema, example: example(schema) } } };
}

const securitySchemes = (baseUrl: string) => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Personal API key of a user, with the scopes `read` and `write`. Users find it on the page of their applications.',
  },
  production: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Token with the scope `production`, for the programs of a printer. The operator of the shop creates it. It permits ' +
      'the operations that name this scheme, for the products of all users, and no others.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'Access token of an application, issued for a user by the authorization code flow. PKCE (S256) is supported ' +
      `and required for public clients. Server metadata (RFC 8414): [${metadataPath}](${baseUrl}${metadataPath}).`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/oauth/token`,
        refreshUrl: `${baseUrl}/oauth/token`,
        scopes: {
          read: 'Read access. Required by every operation.',
          write: 'Write access. Required by operations that create, update or delete.',
        },
      },
    },
  },
});
