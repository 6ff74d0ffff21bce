import type { JsonSchema } from '../json-schema.js';

/**
 * Returns every field of a schema as a line such as `.products![].item!.name!: string`, with `!`
 * after a required field, `[]` for an item of an array and `{}` for a value of a map. Equivalent
 * schemas of two dialects have the same lines.
 */
export function fieldsOf(schema: JsonSchema, resolve: (ref: string) => JsonSchema, path = ''): string[] {
  if (schema.$ref !== undefined) return fieldsOf(resolve(schema.$ref), resolve, path);
  const types = [schema.type ?? 'any'].flat().sort().join('|');
  const { properties = {}, required = [], items } = schema;
  const map = schema.patternProperties?.['^.+$'] ?? schema.additionalProperties;
  return [
    `${path}: ${types}`,
    ...Object.entries(properties).flatMap(([name, it]) =>
      fieldsOf(it, resolve, `${path}.${name}${required.includes(name) ? '!' : ''}`),
    ),
    ...(items ? fieldsOf(items, resolve, `${path}[]`) : []),
    ...(typeof map === 'object' ? fieldsOf(map, resolve, `${path}{}`) : []),
  ].sort();
}

/** Returns a function that resolves `#/a/b` in a document. */
export const pointerIn =
  (document: object) =>
  (ref: string): JsonSchema =>
    decodeURIComponent(ref)
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as JsonSchema;
