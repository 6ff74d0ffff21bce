import { z } from 'zod';
import { type Operation, type Resource } from '#contracts';
import { type JsonSchema, mapValues, rewrite, omitKeywords } from './json-schema.js';

/** Content of the API documents: the tables of `contracts`, or changed ones in tests. */
export interface ApiTable {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly resources: Readonly<Record<string, Resource>>;
}

/** Format of dates in responses. */
type DateTimeFormat = 'spec' | 'rfc3339';

/** Settings of the installation that schemas contain. */
export interface ShapeSettings {
  readonly dateTimeFormat: DateTimeFormat;
  /** Maximum price of a material. */
  readonly materialPriceMax: number;
}

/** A dialect of JSON Schema, and the location of named schemas in its document. */
export interface Dialect {
  readonly target: 'draft-04' | 'draft-2020-12';
  readonly reference: (resource: string) => string;
  /** Converts each schema to the dialect. */
  readonly transform: (schema: JsonSchema) => JsonSchema;
  /** Further named shapes beside the resources. */
  readonly named?: Named;
}

interface Named {
  readonly requests: Readonly<Record<string, z.ZodType>>;
  readonly responses: Readonly<Record<string, z.ZodType>>;
}

/**
 * The JSON Schemas of all shapes in one dialect. Named shapes are defined once and referenced
 * elsewhere.
 */
export interface Shapes {
  readonly resource: (name: string) => JsonSchema;
  /** Named shapes of the dialect, beside the resources. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  readonly response: (type: z.ZodType) => JsonSchema;
  readonly request: (type: z.ZodType) => JsonSchema;
}

type Settings = Parameters<typeof z.toJSONSchema>[1];

/**
 * Restores the examples of a parameter whose schema is transformed, and the default of a numeric
 * one: zod drops them for transformed schemas.
 */
const restoreWireKeywords: NonNullable<NonNullable<Settings>['override']> = ({ zodSchema, jsonSchema }) => {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  if ('wireNumber' in jsonSchema && zodSchema._zod.def.type === 'default')
    jsonSchema.default = zodSchema._zod.def.defaultValue;
};

/** Builds all schemas of a table together, so that they can refer to each other. */
export function shapesOf(table: ApiTable, dialect: Dialect, installation: ShapeSettings): Shapes {
  const names = z.registry<{ id: string }>();
  for (const [id, { shape }] of Object.entries(table.resources)) names.add(shape, { id });
  const { requests = {}, responses = {} } = dialect.named ?? {};
  for (const [id, shape] of Object.entries(responses)) names.add(shape, { id });
  const inputs = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(requests)) inputs.add(shape, { id });
  const settings = { target: dialect.target, unrepresentable: 'throw', override: restoreWireKeywords } as const;
  const finish = (schema: object): JsonSchema =>
    rewrite(
      rewrite(schema as JsonSchema, (it) => simplify(it, installation)),
      dialect.transform,
    );
  for (const { response } of Object.values(table.operations))
    if (response && !names.has(response)) names.add(response, { id: `response ${names._idmap.size}` });
  const { schemas } = z.toJSONSchema(names, { ...settings, io: 'output', uri: dialect.reference });
  const inputSchemas = z.toJSONSchema(inputs, { ...settings, io: 'input', uri: dialect.reference }).schemas;
  const response = (id: string): JsonSchema => finish(schemas[id]!);
  return {
    resource: response,
    named: {
      ...mapValues(responses, (_, id) => response(id)),
      // In OpenAPI, `required` of the request body says that a body is optional, so its schema has
      // no default
      ...mapValues(requests, (_, id) => omitKeywords(finish(inputSchemas[id]!), 'default')),
    },
    response: (type) => {
      const { id } = names.get(type)!;
      return id in table.resources || id in responses ? { $ref: dialect.reference(id) } : response(id);
    },
    request: (type) => {
      const name = inputs.get(type);
      return name ? { $ref: dialect.reference(name.id) } : finish(z.toJSONSchema(type, { ...settings, io: 'input' }));
    },
  };
}

/** Removes keywords of zod that neither document needs, and adds settings of the installation. */
function simplify(schema: JsonSchema, { dateTimeFormat, materialPriceMax }: ShapeSettings): JsonSchema {
  const plain = omitKeywords(
    unwrapReference(mergeAlternatives(collapseNullable(schema))),
    '$schema',
    '$id',
    'propertyNames',
    'isMaterialPrice',
    'isFormattedTime',
  );
  // Responses can get more fields, and unknown keys of requests are ignored
  const { additionalProperties } = plain;
  if (additionalProperties === false || (additionalProperties && Object.keys(additionalProperties).length === 0))
    delete plain.additionalProperties;
  if (plain.minimum === Number.MIN_SAFE_INTEGER) delete plain.minimum;
  if (plain.maximum === Number.MAX_SAFE_INTEGER) delete plain.maximum;
  if (schema.isMaterialPrice === true) plain.maximum = materialPriceMax;
  // Regular expression literals of JavaScript escape slashes, which other languages do not need
  if (plain.pattern !== undefined) plain.pattern = plain.pattern.replaceAll(String.raw`\/`, '/');
  return schema.isFormattedTime === true ? withDateFormat(plain, dateTimeFormat) : plain;
}

/** Converts `anyOf: [X, null]` to an array of types, which every generator supports. */
function collapseNullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [one, other] = anyOf ?? [];
  if (anyOf?.length !== 2 || one?.type === undefined || other?.type !== 'null') return schema;
  return {
    ...one,
    ...rest,
    type: [...[one.type].flat(), 'null'],
    ...(one.enum && { enum: [...one.enum, null] }),
  };
}

/**
 * Merges alternatives of different types into one schema with all types, because a keyword applies
 * to values of its type only. Generators for the hyper-schema do not support `anyOf`.
 *
 * @throws Error for alternatives of the same type, or without a type
 */
function mergeAlternatives(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return schema;
  const type = anyOf.map((it) => String(it.type));
  if (new Set(type).size < anyOf.length) throw new Error(`alternatives of the same type: ${JSON.stringify(anyOf)}`);
  return { ...(Object.assign({}, ...anyOf) as JsonSchema), ...rest, type };
}

/**
 * Converts `allOf: [$ref]` to `$ref`. In draft 4, zod writes `allOf` for references with a
 * description.
 */
function unwrapReference(schema: JsonSchema): JsonSchema {
  const [one, ...others] = schema.allOf ?? [];
  return one?.$ref === undefined || others.length > 0 ? schema : { ...omitKeywords(schema, 'allOf'), $ref: one.$ref };
}

/**
 * Declares the configured format of dates. The default format (docs/decisions.md, Requests and
 * responses 1) becomes a pattern instead of `date-time`, which generators parse as RFC 3339.
 */
function withDateFormat(schema: JsonSchema, format: DateTimeFormat): JsonSchema {
  if (format === 'spec')
    return { ...omitKeywords(schema, 'format'), pattern: String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$` };
  return {
    ...omitKeywords(schema, 'pattern'),
    ...(schema.examples && { examples: schema.examples.map(asRfc3339) }),
  };
}

const asRfc3339 = (example: unknown): unknown =>
  typeof example === 'string' ? example.replace(/^(\S+) (\S+) (...)(..)$/, '$1T$2.000$3:$4') : example;
