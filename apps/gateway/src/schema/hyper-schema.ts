import { exampleBaseUrl, type Operation } from '#contracts';
import type { DocumentSettings } from './document-settings.js';
import { exampleOf, mapValues, replaced } from './json-schema.js';
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
  const shapes = shapesOf(table, draft04, settings);
  const links = linksOf(table, shapes, settings);
  const document = {
    $schema: 'http://json-schema.org/draft-04/hyper-schema',
    id: 'storefront',
    title: 'Storefront',
    description: 'Storefront API: materials, products, favorites, choices and activities of a print-on-demand shop.',
    type: ['object'],
    links: [{ href: `${settings.baseUrl}/api/v1`, rel: 'self' }],
    definitions: mapValues(table.resources, (_, name) => ({
      ...definition(name, table.resources, shapes),
      links: links.get(name) ?? [],
    })),
    properties: mapValues(table.resources, (_, name) => ({ $ref: draft04.reference(name) })),
  };
  return replaced(document, exampleBaseUrl, settings.baseUrl);
}

/** A resource: its attributes stand under `definitions`, so that links and other resources can point to each. */
function definition(name: string, resources: ApiTable['resources'], shapes: Shapes): object {
  const { title, description } = resources[name]!;
  const { type, properties = {}, required } = shapes.resource(name);
  const target = (ref: string) => shapes.resource(ref.slice(draft04.reference('').length));
  return {
    title,
    description,
    type,
    definitions: {
      ...mapValues(properties, (it) => ({
        ...it,
        ...(it.$ref !== undefined && { type: target(it.$ref).type }),
        example: exampleOf(it, target),
      })),
      identity: { $ref: identityOf(name, resources, shapes) },
    },
    properties: mapValues(properties, (_, attribute) => ({ $ref: attributeRef(name, attribute) })),
    ...(required && { required }),
  };
}

const attributeRef = (resource: string, attribute: string): string =>
  `${draft04.reference(resource)}/definitions/${attribute}`;

/** The attribute that tells which one it is: its own, or one of what it is a part of. */
function identityOf(name: string, resources: ApiTable['resources'], shapes: Shapes): string {
  const { properties = {} } = shapes.resource(name);
  const key = ['id', 'name', 'code'].find((it) => it in properties);
  if (key !== undefined) return attributeRef(name, key);
  const { partOf } = resources[name]!;
  if (partOf === undefined) throw new Error(`${name} has neither an id nor a name, and is part of nothing`);
  return identityOf(partOf, resources, shapes);
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
    return `{(${encodeURIComponent(attributeRef(resource, 'id'))})}`;
  });
}

const inputOf = ({ query, body }: Operation, shapes: Shapes): object => {
  const input = query ?? body;
  return input ? { schema: shapes.request(input) } : {};
};
