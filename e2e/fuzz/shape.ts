import fc from 'fast-check';
import { z } from 'zod';
import { otherIds, type World } from './world.js';

/** As much of JSON Schema as the contracts use. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly pattern?: string;
}

/** Values that a contract accepts, mostly; ids and images are those of the world. */
export const valuesOf = (shape: z.ZodType, world: World): fc.Arbitrary<unknown> =>
  arbitraryOf(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema, '', world);

function arbitraryOf(schema: Schema, name: string, world: World): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((it) => arbitraryOf(it, name, world)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, world);
    case 'array':
      return fc.array(arbitraryOf(schema.items!, name, world), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'integer':
    case 'number':
      return numberOf(schema, name, world);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return textOf(schema, name, world);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, world: World): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([key, it]) => [key, arbitraryOf(it, key, world)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

function numberOf({ minimum = 0, maximum = 200 }: Schema, name: string, world: World): fc.Arbitrary<number> {
  const ids = world.ids[name] ?? world.ids[name.replace(/^exemplaryItem/, 'item')];
  if (ids) return fc.oneof({ arbitrary: fc.constantFrom(...ids), weight: 8 }, otherIds(world));
  return fc.integer({ min: Math.max(minimum, 0), max: Math.min(maximum, 100_000) });
}

function textOf(schema: Schema, name: string, world: World): fc.Arbitrary<string> {
  if (name === 'texture') return fc.constantFrom(...world.textures);
  if (schema.format === 'uri') return fc.webUrl();
  const ids = world.ids[name];
  if (ids) return fc.oneof({ arbitrary: fc.constantFrom(...ids).map(String), weight: 8 }, otherIds(world).map(String));
  if (name === 'limit') return fc.integer({ min: 1, max: 30 }).map(String);
  if (name === 'offset') return fc.nat(60).map(String);
  if (/name$/i.test(name) && schema.pattern) return fc.constantFrom(world.userName, 'demo', 'no-such-user');
  const { minLength = 0, maxLength = 40 } = schema;
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}
