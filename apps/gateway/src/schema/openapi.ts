import { exampleBaseUrl, type Operation } from '#contracts';
import { metadataPath } from '../oauth/metadata.js';
import type { DocumentSettings } from './document-settings.js';
import { exampleOf, type JsonSchema, replaced } from './json-schema.js';
import { headers, parameters } from './openapi-headers.js';
import { info } from './openapi-info.js';
import { problemExamples, problemResponses, successResponses } from './openapi-responses.js';
import { type ApiTable, type Dialect, shapesOf } from './shapes.js';
import type { Workshop } from './workshop.js';

const componentName = (resource: string): string =>
  resource.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The JSON Schema of OpenAPI 3.1. Numbers in addresses are numbers here. */
const draft2020: Dialect = {
  target: 'draft-2020-12',
  reference: (resource) => `#/components/schemas/${componentName(resource)}`,
  spell: ({ wireNumber, pattern, examples, ...schema }) =>
    wireNumber === undefined
      ? { ...schema, ...(pattern !== undefined && { pattern }), ...(examples && { examples }) }
      : {
          ...schema,
          ...(wireNumber as object),
          type: 'integer',
          ...(examples && { examples: examples.map(Number) }),
        },
};

/** The API as OpenAPI 3.1. */
export function openApi(table: ApiTable, settings: DocumentSettings): object {
  const shapes = shapesOf(table, draft2020, settings.dateTimeFormat);
  const schemas = Object.fromEntries(
    Object.entries(table.resources).map(([name, { title, description }]) => {
      const schema = shapes.resource(name);
      return [componentName(name), { title, description, ...schema }];
    }),
  );
  const example = (schema: JsonSchema) =>
    exampleOf(schema, (ref) => schemas[ref.slice('#/components/schemas/'.length)]!);
  const workshop: Workshop = { shapes, settings, example };
  const used = new Set(Object.values(table.operations).map(({ resource }) => resource));
  const document = {
    openapi: '3.1.0',
    info,
    servers: [{ url: settings.baseUrl }],
    tags: Object.entries(table.resources)
      .filter(([name]) => (used as Set<string>).has(name))
      .map(([, { title, description }]) => ({ name: title, description })),
    paths: pathsOf(table, workshop),
    components: {
      schemas,
      headers,
      parameters,
      examples: problemExamples(workshop, schemas.Problem!),
      securitySchemes: securitySchemes(settings.baseUrl),
    },
  };
  return replaced(document, exampleBaseUrl, settings.baseUrl);
}

function pathsOf({ operations, resources }: ApiTable, workshop: Workshop) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    const tag = resources[operation.resource]!.title;
    (paths[path] ??= {})[operation.method.toLowerCase()] = operationObject(name, operation, { tag, workshop });
  }
  return paths;
}

function operationObject(name: string, operation: Operation, { tag, workshop }: { tag: string; workshop: Workshop }) {
  const { title, description, scope, extension, body } = operation;
  const scopes = scope === 'write' ? ['read', 'write'] : ['read'];
  return {
    operationId: name.replaceAll(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tag],
    summary: title,
    description: extension ? `${description} (Extension.)` : description,
    ...(extension && { 'x-extension': true }),
    parameters: parametersOf(operation, workshop),
    ...(body && { requestBody: requestBody(workshop.shapes.request(body), workshop) }),
    responses: {
      ...successResponses(name, operation, workshop),
      ...problemResponses(operation),
    },
    security: scope === null ? [] : [{ bearer: [] }, { oauth2: scopes }],
  };
}

function parametersOf({ method, params, query, conditional, localized }: Operation, { shapes }: Workshop): object[] {
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
    ...(method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(conditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ...(localized ? [{ $ref: '#/components/parameters/AcceptLanguage' }] : []),
  ];
}

/** A body with a default may be left out. */
function requestBody({ default: left, ...schema }: JsonSchema, { example }: Workshop): object {
  return { required: left === undefined, content: { 'application/json': { schema, example: example(schema) } } };
}

const securitySchemes = (baseUrl: string) => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal API key, from the application management screen. It has the scopes read and write.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'A token for somebody else, by the authorization code flow: register an application, ask its user, exchange the ' +
      'code. PKCE (S256) for everybody; public clients must use it. ' +
      `Everything else a client needs to know is at [${metadataPath}](${baseUrl}${metadataPath}).`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/oauth/token`,
        refreshUrl: `${baseUrl}/oauth/token`,
        scopes: { read: 'Reads. Every operation needs it.', write: 'Makes, changes and deletes.' },
      },
    },
  },
});
