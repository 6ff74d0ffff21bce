import { exampleBaseUrl, type Operation } from '#contracts';
import type { DocumentSettings } from './document-settings.js';
import { exampleOf, mapValues, replaceText } from './json-schema.js';
import { descriptionOf } from './operation-description.js';
import { resourceOfParameter } from './parameter-resource.js';
import { type ApiTable, type Dialect, type Shapes, shapesOf } from './shapes.js';

/**
 * JSON Schema draft 4 as the generators for Hyper-Schema expect it (heroics, prmd, schematic):
 * types are arrays, maps are `patternProperties`, and a schema has at most one `example`.
 */
const draft04: Dialect = {
  target: 'draft-04',
  reference: (resource) => `#/definitions/${resource}`,
  transform: ({ examples, wireNumber, additionalProperties, ...schema }) => ({
    ...schema,
    ...(schema.type !== undefined && { type: [schema.type].flat() }),
    ...(wireNumber !== undefined && typeof schema.default === 'number' && { default: String(schema.default) }),
    ...(typeof additionalProperties === 'object' && { patternProperties: { '^.+$': additionalProperties } }),
    ...(examples && { example: examples[0] }),
  }),
};

/**
 * Returns the API as JSON Hyper-Schema, draft 4.
 */
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
  return replaceText(document, exampleBaseUrl, settings.baseUrl);
}

/**
 * Returns the schema of a resource. Its attributes are `definitions`, to which links and other
 * resources can refer.
 */
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

/**
 * Returns the reference to the attribute that identifies a resource: its own, or that of its
 * parent.
 */
function identityOf(name: string, resources: ApiTable['resources'], shapes: Shapes): string {
  const { properties = {} } = shapes.resource(name);
  const key = ['id', 'name', 'code'].find((it) => it in properties);
  if (key !== undefined) return attributeRef(name, key);
  const { partOf } = resources[name]!;
  if (partOf === undefined) throw new Error(`${name} has neither id nor name nor code, and no parent`);
  return identityOf(partOf, resources, shapes);
}

function linksOf({ operations, resources }: ApiTable, shapes: Shapes, settings: DocumentSettings) {
  const links = new Map<string, object[]>();
  for (const [name, operation] of Object.entries(operations)) {
    const rateLimit = settings.rateLimitOf(name);
    const link = {
      title: operation.title,
      description: descriptionOf(operation),
      href: hrefOf(operation, resources),
      method: operation.method,
      rel: operation.rel,
      ...inputOf(operation, shapes),
      ...(operation.response && { targetSchema: shapes.response(operation.response) }),
      ...(operation.mediaType && { mediaType: operation.mediaType }),
      ...(rateLimit && { ratelimit: { period: rateLimit.periodSeconds, limit: rateLimit.limit } }),
      ...(operation.extension && { extension: true }),
      ...(operation.status === 204 && { response_example: { head: 'HTTP/1.1 204 No Content', body: '' } }),
    };
    links.set(operation.resource, [...(links.get(operation.resource) ?? []), link]);
  }
  return links;
}

/**
 * Replaces a parameter such as `:choiceId` by `{(pointer)}`, the percent-encoded JSON pointer to
 * the id of the resource.
 */
function hrefOf({ path }: Operation, resources: ApiTable['resources']): string {
  return path.replaceAll(/:(\w+Id)\b/g, (_, parameter: string) => {
    const resource = resourceOfParameter(parameter);
    if (!(resource in resources)) throw new Error(`${path}: unknown resource ${resource}`);
    return `{(${encodeURIComponent(attributeRef(resource, 'id'))})}`;
  });
}

const inputOf = ({ query, body }: Operation, shapes: Shapes): object => {
  const input = query ?? body;
  return input ? { schema: shapes.request(input) } : {};
};
