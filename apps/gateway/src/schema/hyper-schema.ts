import { z } from 'zod';
import type { Operation, Resource } from '#contracts';
import type { DocumentSettings } from './document-settings.js';
import { type JsonSchema, mapValues } from './json-schema.js';
import { type ApiTable, type Dialect, type Shapes, shapesOf } from './shapes.js';

/** Draft 4, as its generators read it: types are lists, maps are `patternProperties`, one `example` instead of several. */
const draft04: Dialect = {
  target: 'draft-04',
  reference: (resource) => `#/definitions/${resource}`,
  spell: ({ examples, wireNumber, additionalProperties, ...schema }) => ({
    ...schema,
    ...(schema.type !== undefined && { type: [schema.type].flat() }),
    ...(wireNumber !== undefined && typeof schema.default === 'number' && { default: String(schema.default) }),
    ...(typeof additionalProperties === 'object' && { patternProperties: { '^.+$': additionalProperties } }),
    ...(examples && { example: examples[0] }),
  }),
};

/** The API as JSON Hyper-Schema, draft 4, in the form that the generators of that format read. */
export function hyperSchema(table: ApiTable, settings: DocumentSettings): object {
  const shapes = shapesOf(table, draft04, settings.dateTimeFormat);
  const links = linksOf(table, shapes, settings);
  return {
    $schema: 'http://json-schema.org/draft-04/hyper-schema',
    id: 'storefront',
    title: 'Storefront',
    description: 'Storefront API: materials, products, favorites, choices and activities of a print-on-demand shop.',
    type: ['object'],
    links: [{ href: `${settings.baseUrl}/api/v1`, rel: 'self' }],
    definitions: mapValues(table.resources, (resource, name) => ({
      ...definition(name, resource, shapes.resource(name)),
      links: links.get(name) ?? [],
    })),
    properties: mapValues(table.resources, (_, name) => ({ $ref: draft04.reference(name) })),
  };
}

/** A resource: its attributes stand under `definitions`, so that links and other resources can point to each. */
function definition(name: string, { title, description, shape }: Resource, schema: JsonSchema): object {
  const head = { title, description, type: schema.type };
  if (!schema.properties) return { ...head, definitions: { identity: {} } };
  const attributes = Object.entries(schema.properties).filter(([, it]) => it.$ref === undefined);
  const own = new Map(attributes.map(([attribute]) => [attribute, `#/definitions/${name}/definitions/${attribute}`]));
  const key = ['id', 'name', 'code'].find((it) => own.has(it));
  return {
    ...head,
    definitions: {
      ...Object.fromEntries(attributes),
      identity: key === undefined ? {} : { $ref: own.get(key) },
    },
    properties: mapValues(schema.properties, (it, attribute) => ({ $ref: own.get(attribute) ?? it.$ref })),
    ...(shape instanceof z.ZodObject && schema.required && { required: schema.required }),
  };
}

function linksOf({ operations, resources }: ApiTable, shapes: Shapes, settings: DocumentSettings) {
  const links = new Map<string, object[]>();
  for (const [name, operation] of Object.entries(operations)) {
    const rateLimit = settings.rateLimitOf(name);
    const link = {
      title: operation.title,
      description: operation.description,
      href: hrefOf(operation, resources),
      method: operation.method,
      rel: operation.rel,
      ...inputOf(operation, shapes),
      ...(operation.response && { targetSchema: shapes.response(operation.response) }),
      ...(rateLimit && { ratelimit: { period: rateLimit.periodSeconds, limit: rateLimit.limit } }),
      ...(operation.extension && { extension: true }),
      ...(operation.status === 204 && { response_example: { head: 'HTTP/1.1 204 No Content', body: '' } }),
    };
    links.set(operation.resource, [...(links.get(operation.resource) ?? []), link]);
  }
  return links;
}

/** `:choiceId` is the id of a choice: the pointer to it in braces, percent-encoded. */
function hrefOf({ path }: Operation, resources: ApiTable['resources']): string {
  return path.replaceAll(/:(\w+)Id\b/g, (_, resource: string) => {
    if (!(resource in resources)) throw new Error(`${path}: there is no resource ${resource}`);
    return `{(${encodeURIComponent(`${draft04.reference(resource)}/definitions/id`)})}`;
  });
}

const inputOf = ({ query, body }: Operation, shapes: Shapes): object => {
  const input = query ?? body;
  return input ? { schema: shapes.request(input) } : {};
};
