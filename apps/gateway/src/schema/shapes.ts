import { z } from 'zod';
import { type Operation, type Resource } from '#contracts';
import { type JsonSchema, mapValues, rewrite, without } from './json-schema.js';

/** What the documents say of the API: the tables of `contracts`, or changed ones. */
export interface ApiTable {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly resources: Readonly<Record<string, Resource>>;
}

/** How dates are written by this installation. */
type DateTimeFormat = 'spec' | 'rfc3339';

/** What this installation says in schemas beside the tables. */
export interface ShapeSettings {
  readonly dateTimeFormat: DateTimeFormat;
  /** The highest price of a material. */
  readonly materialPriceMax: number;
}

/** A way to write JSON Schema, and where its document keeps named resources. */
export interface Dialect {
  readonly target: 'draft-04' | 'draft-2020-12';
  readonly reference: (resource: string) => string;
  /** What else must be changed in each schema. */
  readonly spell: (schema: JsonSchema) => JsonSchema;
  /** Shapes beside the resources that stand once, by name. */
  readonly named?: Named;
}

interface Named {
  readonly requests: Readonly<Record<string, z.ZodType>>;
  readonly responses: Readonly<Record<string, z.ZodType>>;
}

/** The JSON Schemas of all shapes in one dialect. What has a name stands once; everything else refers to it. */
export interface Shapes {
  readonly resource: (name: string) => JsonSchema;
  /** The shapes that the dialect has named. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  readonly response: (type: z.ZodType) => JsonSchema;
  readonly request: (type: z.ZodType) => JsonSchema;
}

type Settings = Parameters<typeof z.toJSONSchema>[1];

/** zod drops examples and defaults of what it transforms; on the wire they are the text that is transformed. */
const keepWireFacts: NonNullable<NonNullable<Settings>['override']> = ({ zodSchema, jsonSchema }) => {
  if (!('wireNumber' in jsonSchema)) return;
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  if (zodSchema._zod.def.type === 'default') jsonSchema.default = zodSchema._zod.def.defaultValue;
};

/** Makes all schemas of a table at once, so that each knows the names of the others. */
export function shapesOf(table: ApiTable, dialect: Dialect, installation: ShapeSettings): Shapes {
  const names = z.registry<{ id: string }>();
  for (const [id, { shape }] of Object.entries(table.resources)) names.add(shape, { id });
  const { requests = {}, responses = {} } = dialect.named ?? {};
  for (const [id, shape] of Object.entries(responses)) names.add(shape, { id });
  const inputs = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(requests)) inputs.add(shape, { id });
  const settings = { target: dialect.target, unrepresentable: 'throw', override: keepWireFacts } as const;
  const finish = (schema: object): JsonSchema =>
    rewrite(
      rewrite(schema as JsonSchema, (it) => tidy(it, installation)),
      dialect.spell,
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
      // An optional body is marked in its operation, not in its schema
      ...mapValues(requests, (_, id) => without(finish(inputSchemas[id]!), 'default')),
    },
    response: (type) => {
      const { id } = names.get(type)!;
      return id in table.resources ? { $ref: dialect.reference(id) } : response(id);
    },
    request: (type) => {
      const name = inputs.get(type);
      return name ? { $ref: dialect.reference(name.id) } : finish(z.toJSONSchema(type, { ...settings, io: 'input' }));
    },
  };
}

/** What zod says and no reader of either document needs, and what only this installation knows. */
function tidy(schema: JsonSchema, { dateTimeFormat, materialPriceMax }: ShapeSettings): JsonSchema {
  const plain = without(referring(collapsed(schema)), '$schema', '$id', 'propertyNames', 'isMaterialPrice');
  // Answers may get more fields, and unknown keys of requests are ignored
  const { additionalProperties: others } = plain;
  if (others === false || (others && Object.keys(others).length === 0)) delete plain.additionalProperties;
  if (plain.minimum === Number.MIN_SAFE_INTEGER) delete plain.minimum;
  if (plain.maximum === Number.MAX_SAFE_INTEGER) delete plain.maximum;
  if (schema.isMaterialPrice === true) plain.maximum = materialPriceMax;
  // JavaScript writes a slash in a literal with a backslash, which other languages do not
  if (plain.pattern !== undefined) plain.pattern = plain.pattern.replaceAll(String.raw`\/`, '/');
  return plain.format === 'date-time' ? dated(plain, dateTimeFormat) : plain;
}

/** `anyOf: [X, null]` as a list of types: every generator understands it. */
function collapsed(schema: JsonSchema): JsonSchema {
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

/** What zod writes in old dialects of a reference with a description: `allOf: [$ref]`, which generators do not read. */
function referring(schema: JsonSchema): JsonSchema {
  const [one, ...others] = schema.allOf ?? [];
  return one?.$ref === undefined || others.length > 0 ? schema : { ...without(schema, 'allOf'), $ref: one.$ref };
}

/** A claim of `date-time` makes generators read RFC 3339, which the default form is not (docs/decisions.md, Answers 1). */
function dated(schema: JsonSchema, format: DateTimeFormat): JsonSchema {
  if (format === 'spec')
    return { ...without(schema, 'format'), pattern: String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$` };
  return {
    ...without(schema, 'pattern'),
    ...(schema.examples && { examples: schema.examples.map(asRfc3339) }),
  };
}

const asRfc3339 = (example: unknown): unknown =>
  typeof example === 'string' ? example.replace(/^(\S+) (\S+) (...)(..)$/, '$1T$2.000$3:$4') : example;
