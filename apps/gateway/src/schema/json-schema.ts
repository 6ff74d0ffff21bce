/** A JSON Schema in one of the published dialects, with the keywords used here. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  [keyword: string]: unknown;
}

/** Returns an object with the same keys and mapped values. */
export const mapValues = <From, To>(from: Readonly<Record<string, From>>, map: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value, key)]));

/** Returns a schema without the given keywords. */
export const omitKeywords = (schema: JsonSchema, ...keywords: string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

/**
 * Rewrites a schema bottom-up: `change` receives each schema after its subschemas. Those in `allOf`
 * and `patternProperties` are not visited.
 */
export function rewrite(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const deeper = (part: JsonSchema): JsonSchema => rewrite(part, change);
  const { properties, items, additionalProperties, anyOf } = schema;
  return change({
    ...schema,
    ...(properties && { properties: mapValues(properties, deeper) }),
    ...(items && { items: deeper(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: deeper(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(deeper) }),
  });
}

/** Returns a copy of a document in which every string has `text` replaced. */
export const replaceText = <T extends object>(document: T, text: string, replacement: string): T =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(text, replacement) : value,
  ) as T;

/**
 * Returns the example of a schema: its own, or an example composed of those of its subschemas.
 *
 * @param resolve returns the schema of a `$ref`
 * @throws Error when a subschema has no example, because its field was declared without `field()`
 */
export function exampleOf(schema: JsonSchema, resolve: (ref: string) => JsonSchema): unknown {
  if (schema.examples) return schema.examples[0];
  if ('example' in schema) return schema.example;
  if (schema.$ref !== undefined) return exampleOf(resolve(schema.$ref), resolve);
  if (schema.properties) return mapValues(schema.properties, (it) => exampleOf(it, resolve));
  if (schema.items) return [exampleOf(schema.items, resolve)];
  if (schema.type === 'object') return {};
  throw new Error(`no example for ${JSON.stringify(schema)}`);
}
