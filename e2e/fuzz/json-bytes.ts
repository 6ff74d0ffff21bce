import fc from 'fast-check';
import { unusualText, unusualValue } from './values.js';

/** A change of a valid value: of the key with number `at`, modulo the number of keys. */
interface Change {
  readonly at: number;
  readonly kind: 'replace' | 'delete' | 'add';
  readonly key: string;
  readonly value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(1_000),
  kind: fc.constantFrom('replace', 'replace', 'delete', 'add'),
  key: unusualText,
  value: unusualValue,
});

/** Returns all keys in a value, at any depth, each with its object or array. */
function placesOf(value: unknown): { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesOf(inner)]);
}

function applyChanges(value: unknown, changes: readonly Change[]): unknown {
  const copy = structuredClone(value);
  for (const { at, kind, key, value } of changes) {
    const places = placesOf(copy);
    const place = places[at % Math.max(places.length, 1)];
    if (!place) continue;
    const attributes = { value: structuredClone(value), enumerable: true, writable: true, configurable: true };
    if (kind === 'delete') Reflect.deleteProperty(place.holder, place.key);
    else if (kind === 'replace') Object.defineProperty(place.holder, place.key, attributes);
    else if (!Array.isArray(place.holder)) Object.defineProperty(place.holder, key, attributes);
  }
  return copy;
}

const nested = (open: string, close: string, times: number): string => open.repeat(times) + close.repeat(times);

/** Arbitrary JSON and malformed JSON. */
const unusualJson = fc.oneof(
  { arbitrary: fc.json({ maxDepth: 5 }), weight: 6 },
  {
    arbitrary: fc.constantFrom(
      ...[
        '',
        ' ',
        '{',
        '}',
        '[]',
        'null',
        '"x"',
        '-',
        '0',
        '1e400',
        '{"a":1}}',
        "{'a':1}",
        '{"a":1,}',
        'NaN',
        '\u2028{}',
      ],
      ...['{"__proto__":{"title":"x"}}', '{"constructor":{"prototype":{"x":1}}}', '{"title":"x","__proto__":null}'],
      ...['{"title":"\\ud800"}', '{"title":"a\\u0000b"}', '{"title":"a\0b"}', '{"title":"\\x41"}', '{"price":-0}'],
    ),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom(
      ...[
        nested('[', ']', 10_000),
        nested('{"a":', '}', 8_000),
        nested('{"products":[', ']}', 6_000),
        '['.repeat(30_000),
      ],
      ...[`{"title":"${'x'.repeat(100_000)}"}`, '9'.repeat(50_000), `[${'1e400,'.repeat(9_000)}1]`],
      ...[
        `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":${n}`).join()}}`,
        `{"products":[${'{},'.repeat(5_000)}{}]}`,
      ],
    ),
    weight: 1,
  },
);

/** Serializations of JSON by name: other encodings, and changes of its text. */
const jsonVariants: Readonly<Record<string, (json: string) => Buffer>> = {
  'byte order mark': (json) => Buffer.from(`\ufeff${json}`),
  'UTF-16': (json) => Buffer.from(`\ufeff${json}`, 'utf16le'),
  'Latin-1': (json) => Buffer.from(json.replace('"', '"\u00ff'), 'latin1'),
  'overlong UTF-8': (json) => Buffer.from(json.replace('"', '"\u00c0\u00af'), 'latin1'),
  'half of it': (json) => Buffer.from(json.slice(0, json.length / 2)),
  twice: (json) => Buffer.from(json + json),
  'a key twice': (json) => Buffer.from(json.replace('{', '{"title":"x","title":5,"__proto__":{"title":"y"},')),
  'odd numbers': (json) => Buffer.from(json.replaceAll(/:\d+/g, ':1e400')),
  'negative zero': (json) => Buffer.from(json.replaceAll(/:\d+/g, ':-0')),
  'escaped keys': (json) => Buffer.from(json.replaceAll('"t', '"\\u0074')),
  'control characters': (json) => Buffer.from(json.replace('"', '"\u0001\u001b')),
};

/** Bytes of a body: a value as JSON, valid or slightly changed, or arbitrary JSON. */
export const jsonBytes = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> => {
  const valid = fc
    .tuple(values, fc.array(change, { maxLength: 2 }))
    .map(([value, changes]) => JSON.stringify(applyChanges(value, changes)));
  const text = fc.oneof({ arbitrary: valid, weight: 9 }, { arbitrary: unusualJson, weight: 1 });
  const disguise = fc.option(fc.constantFrom(...Object.keys(jsonVariants)), { freq: 6, nil: undefined });
  return fc
    .tuple(text, fc.boolean(), disguise)
    .map(([json, isPlain, name]) => (isPlain || name === undefined ? Buffer.from(json) : jsonVariants[name]!(json)));
};
