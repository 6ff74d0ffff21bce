import fc from 'fast-check';
import { z } from 'zod';
import { otherIds, type FuzzFixture } from './fuzz-fixture.js';

/** Keywords of JSON Schema that the contracts use. */
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

/** Mostly valid values of a schema of the contracts, with ids and textures of the fixture. */
export const valuesOf = (shape: z.ZodType, fixture: FuzzFixture): fc.Arbitrary<unknown> =>
  arbitraryOf(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema, '', fixture);

function arbitraryOf(schema: Schema, name: string, fixture: FuzzFixture): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((it) => arbitraryOf(it, name, fixture)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, fixture);
    case 'array':
      return fc.array(arbitraryOf(schema.items!, name, fixture), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'integer':
    case 'number':
      return numberOf(schema, name, fixture);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return textOf(schema, name, fixture);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, fixture: FuzzFixture): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([key, it]) => [key, arbitraryOf(it, key, fixture)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

function numberOf({ minimum = 0, maximum = 200 }: Schema, name: string, fixture: FuzzFixture): fc.Arbitrary<number> {
  const ids = fixture.ids[name] ?? fixture.ids[name.replace(/^exemplaryItem/, 'item')];
  if (ids) return fc.oneof({ arbitrary: fc.constantFrom(...ids), weight: 8 }, otherIds(fixture));
  return fc.integer({ min: Math.max(minimum, 0), max: Math.min(maximum, 100_000) });
}

function textOf(schema: Schema, name: string, fixture: FuzzFixture): fc.Arbitrary<string> {
  if (name === 'texture') return fc.constantFrom(...fixture.textures);
  if (schema.format === 'uri') return fc.webUrl();
  const ids = fixture.ids[name];
  if (ids)
    return fc.oneof({ arbitrary: fc.constantFrom(...ids).map(String), weight: 8 }, otherIds(fixture).map(String));
  if (name === 'limit') return fc.integer({ min: 1, max: 30 }).map(String);
  if (name === 'offset') return fc.nat(60).map(String);
  if (/name$/i.test(name) && schema.pattern) return fc.constantFrom(fixture.userName, 'demo', 'no-such-user');
  const { minLength = 0, maxLength = 40 } = schema;
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}
