/** A JSON Schema of one of the published dialects, as far as this service writes them. */
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

/** An object with the same keys and other values. */
export const mapValues = <From, To>(from: Readonly<Record<string, From>>, map: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value, key)]));

/** A schema that lacks some keywords. */
export const without = (schema: JsonSchema, ...keywords: string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

/** Rewrites a schema from its leaves up: `change` sees each schema with its parts changed already. */
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

/** A document with another text in all its texts. */
export const replaced = <T extends object>(document: T, text: string, other: string): T =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(text, other) : value,
  ) as T;

/**
 * The example of a schema: its own, else one composed of the examples of its parts.
 *
 * @param resolve finds what a `$ref` points to
 * @throws Error when a part has none: its field was written without `field()`
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
