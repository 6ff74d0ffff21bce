import fc from 'fast-check';
import { type Operation, type OperationName, operations } from '#contracts';
import { operationNames } from './endpoint-checks.js';
import type { RequestParts, EndpointFixture } from './endpoint-table.js';
import { anyText } from '../fuzz/any-text.js';
import { wrongJson, wrongText } from './wrong-values.js';

/** A generated request. */
export interface GeneratedRequest {
  readonly name: OperationName;
  readonly method: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Operations that are sent less often, because each success renders images. */
const costlyOperations: readonly OperationName[] = [
  'materials.create',
  'materials.text',
  'previews.create',
  'print-files.create',
  'preflight.get',
];

/** Returns whether the response of an operation ends; that of a stream does not. */
export const hasEnd = (name: OperationName): boolean => (operations[name] as Operation).mediaType === undefined;

const names = fc.oneof(
  ...operationNames
    .filter(hasEnd)
    .map((name) => ({ arbitrary: fc.constant(name), weight: costlyOperations.includes(name) ? 1 : 4 })),
);

const unusualText = fc.oneof(
  fc.string({ maxLength: 20 }),
  anyText,
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '\0', '\u202e', '%', '_', '\\', "'", '🐈', 'が', 'ﾈ') }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'x'.repeat(3_000)),
  fc.constantFrom(...Object.values(wrongText).flat()),
);
const unusualNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const unusualValue = fc.oneof(
  { arbitrary: unusualText, weight: 4 },
  { arbitrary: unusualNumber, weight: 4 },
  { arbitrary: fc.constantFrom<unknown>(...Object.values(wrongJson).flat()), weight: 4 },
  { arbitrary: fc.jsonValue({ maxDepth: 4 }), weight: 2 },
  { arbitrary: fc.constantFrom<unknown>(true, false, null, undefined, [], {}), weight: 2 },
);

/** Queries as sent: unusual, invalid and long ones, which client libraries do not produce. */
const unusualQuery = fc.constantFrom(
  ...['%', '%zz', '%ED%A0%80', '%00=%00', 'q=%00', 'q=%ff', '&&&', '=', 'a[b]=c', '__proto__[x]=1', '__proto__=1'],
  ...['constructor=1', 'limit[]=1', 'limit=1&limit=2', 'offset=999999999', 'q=%25_%5C', `x=${'y'.repeat(5_000)}`, '#'],
  ...['access_token=x', 'limit=%31', 'userName[toString]=1', `${'a=1&'.repeat(1_500)}a=1`],
);
const unusualHeaders: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'accept-language': fc.constantFrom('ja', 'en;q=0', '*', ';;,q=', 'x'.repeat(2_000), 'ja;q=1.5,en'),
  'accept-encoding': fc.constantFrom('gzip', 'br', 'identity;q=0', '*;q=0', 'zstd', 'deflate'),
  accept: fc.constantFrom('text/html', 'application/xml;q=0.9', 'nonsense'),
  'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('', ' ', 'é', 'x'.repeat(255), 'x'.repeat(256), '\t', 'same')),
  'if-none-match': fc.constantFrom('*', '"x"', 'W/"x"', '"', ','.repeat(1_000)),
  'x-request-id': fc.constantFrom('abc', 'a b', 'x'.repeat(129), '"', '<script>'),
  traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x', '00-0-0-0'),
  'content-type': fc.constantFrom(
    ...['application/json; charset=utf-8', 'application/json; charset=utf-16', 'APPLICATION/JSON', 'text/plain'],
    ...['application/json;;', 'application/problem+json', 'multipart/form-data', 'x', ''],
  ),
  'content-encoding': fc.constantFrom('gzip', 'identity', 'br', 'x'),
  'x-http-method-override': fc.constant('DELETE'),
  origin: fc.constantFrom('https://shop.example', 'null', 'x'),
  forwarded: fc.constant('for=127.0.0.1;host=evil.example'),
  'x-forwarded-host': fc.constant('evil.example'),
};

const nested = (open: string, close: string, times: number): string => open.repeat(times) + close.repeat(times);
const largeDataUri = `data:image/png;base64,${'A'.repeat(300_000)}`;
const escaped = '\\u0041'.repeat(2_000);
/** Bodies with unusual textures: the gateway extracts large data URIs before it parses JSON. */
const unusualTextures = [
  ...[
    `{"texture":"${largeDataUri}"`,
    `{"texture":"${largeDataUri}","title":"x"}`,
    `{"texture" :\n"${largeDataUri}","texture":"x","title":5}`,
  ],
  ...[`{"text\\u0075re":"${largeDataUri}","title":"x"}`, `{"title":"\\"texture\\":","texture":"data:,${escaped}"}`],
  ...[
    `{"title":"x","texture":"data:;taken=1,"}`,
    `{"texture":"${largeDataUri}\\`,
    `{"texture":"data:;base64,${escaped}\\u00"}`,
  ],
  ...[
    `{"title":{"texture":"${largeDataUri}"},"texture":["${largeDataUri}"]}`,
    `{"products":[{"sub_materials":[{"texture":"${largeDataUri}"}]}]}`,
  ],
  ...[
    `["texture",:"${largeDataUri}"]`,
    `"texture":"${largeDataUri}"`,
    `{"texture":"http://127.0.0.1:1/${'x'.repeat(2_000)}","title":"x"}`,
  ],
];

/** Arbitrary bodies, some of a megabyte. */
const unusualBody = fc.oneof(
  { arbitrary: fc.json({ maxDepth: 6 }), weight: 8 },
  { arbitrary: unusualText, weight: 4 },
  {
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '{',
      '[]',
      'null',
      '"x"',
      '{"__proto__":{"title":"x"}}',
      '\ufeff{}',
      '{"a":1}}',
    ),
    weight: 8,
  },
  {
    arbitrary: fc.constantFrom('1'.repeat(100_000), `{"price":1e999999}`, `{"title":"${'\\u0000'.repeat(99)}"}`),
    weight: 2,
  },
  { arbitrary: fc.constantFrom(...unusualTextures), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      ...[nested('[', ']', 500_000), nested('{"a":', '}', 100_000), nested('{"products":[', ']}', 9_000)],
      ...[nested('[', ']', 19_000), `{"title":"${'x'.repeat(1_000_000)}"}`, `{"products":[${'{},'.repeat(19_000)}{}]}`],
    ),
    weight: 1,
  },
);

/** Returns all paths in a JSON value except the root. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsOf(inner, [...path, key])]);
}

interface Mutation {
  readonly at: number;
  readonly value: unknown;
  readonly kind: 'replace' | 'delete' | 'add';
  readonly key: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(1_000),
  value: unusualValue,
  kind: fc.constantFrom('replace', 'replace', 'replace', 'delete', 'add'),
  key: unusualText,
});

function mutated(body: unknown, mutations: readonly Mutation[]): unknown {
  const copy = structuredClone(body);
  for (const { at, value, kind, key } of mutations) {
    const paths = pathsOf(copy);
    if (paths.length === 0) continue;
    const path = paths[at % paths.length]!;
    const holder = path.slice(0, -1).reduce((it: any, step) => it[step], copy);
    if (kind === 'delete') Reflect.deleteProperty(holder as object, path.at(-1)!);
    else
      Object.defineProperty(holder, kind === 'add' ? key : path.at(-1)!, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return copy;
}

/** Generated choices for a request, independent of the fixture. */
export interface GeneratedParts {
  readonly name: OperationName;
  readonly method: string | undefined;
  readonly token: 'me' | 'other' | 'eager' | 'read-only' | 'none' | 'junk';
  readonly param: string | undefined;
  readonly isKnownParam: boolean;
  readonly at: number;
  readonly query: readonly (readonly [string, string])[];
  readonly rawQuery: string | undefined;
  readonly mutations: readonly Mutation[];
  readonly rawBody: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, freq: number): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq });
const rarely = <T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: oneIn - 1 }, { arbitrary, weight: 1 });

const parts: fc.Arbitrary<GeneratedParts> = fc.record({
  name: names,
  method: rarely(fc.constantFrom('PATCH', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST', 'GET'), 25),
  token: fc.oneof(
    { arbitrary: fc.constantFrom('me', 'other', 'eager'), weight: 18 },
    { arbitrary: fc.constantFrom('read-only', 'none', 'junk'), weight: 2 },
  ),
  param: sometimes(unusualText, 1),
  isKnownParam: fc.boolean(),
  at: fc.nat(1_000),
  query: fc.array(
    fc.tuple(
      fc.constantFrom('limit', 'offset', 'userId', 'userName', 'itemId', 'materialId', 'q', 'name', '__proto__', 'x'),
      fc.oneof(fc.constantFrom('1', '2', '5', '50', '100', '0', 'demo', 'Seen', 'Light'), unusualText),
    ),
    { maxLength: 4 },
  ),
  rawQuery: rarely(unusualQuery, 10),
  mutations: fc.array(mutation, { maxLength: 3 }),
  rawBody: rarely(unusualBody, 6),
  headers: fc
    .dictionary(fc.constantFrom(...Object.keys(unusualHeaders)), fc.nat(), { maxKeys: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(Object.keys(chosen).map((key) => [key, unusualHeaders[key]!])))),
});

const missingId = 999_999_998;

/** Generates the parts of requests: the same for the same seed. */
export const sampleParts = (count: number, seed: number): GeneratedParts[] =>
  fc.sample(parts, { numRuns: count, seed });

/** Returns the parts of a valid request: that of the endpoint table, unchanged. */
export const validParts = (name: OperationName, { query = {} }: RequestParts): GeneratedParts => ({
  name,
  method: undefined,
  token: 'me',
  param: undefined,
  isKnownParam: true,
  at: 0,
  query: Object.entries(query).map(([key, value]) => [key, String(value)]),
  rawQuery: undefined,
  mutations: [],
  rawBody: undefined,
  headers: {},
});

/** Builds a request. `base` is a valid request of the operation. */
export function requestOf(it: GeneratedParts, base: RequestParts, fixture: EndpointFixture): GeneratedRequest {
  const operation: Operation = operations[it.name];
  const { mine, theirs } = fixture;
  const known: Readonly<Record<string, readonly number[]>> = {
    choiceId: [mine.choice, theirs.choice, theirs.secretChoice],
    materialId: [mine.material, theirs.material, theirs.unpublished.material, theirs.violating.material],
    productId: [mine.product, theirs.product, theirs.unpublished.product, theirs.violating.product],
    userId: [fixture.me.id, fixture.other.id],
    endpointId: [fixture.endpoint, fixture.theirDelivery.endpointId],
    printFilesId: [Number(base.params?.printFilesId ?? missingId)],
    deliveryId: [Number(base.params?.deliveryId ?? missingId), fixture.theirDelivery.deliveryId],
  };
  const method = it.method ?? operation.method;
  const path = operation.path.replaceAll(/:(\w+)/g, (_, key: string) => {
    // A DELETE names no resource that other requests need
    const isDeletion = method === 'DELETE';
    const ids = !isDeletion ? known[key]! : operation.method === method ? [base.params![key]!] : [missingId];
    const odd = it.param ?? String(isDeletion ? missingId : it.at);
    return encodeURIComponent(it.isKnownParam ? String(ids[it.at % ids.length]) : odd.toWellFormed());
  });
  const query = new URLSearchParams(it.query.map(([key, value]): [string, string] => [key, value])).toString();
  const search = [query, it.rawQuery ?? ''].filter((text) => text !== '').join('&');
  const json = it.rawBody ?? (base.body === undefined ? undefined : JSON.stringify(mutated(base.body, it.mutations)));
  const body = method === 'GET' || method === 'HEAD' ? undefined : json;
  const tokens = {
    me: fixture.me.apiKey,
    other: fixture.other.apiKey,
    eager: fixture.eager.apiKey,
    'read-only': fixture.readOnlyToken,
    junk: 'x'.repeat(43),
    none: undefined,
  };
  const token = tokens[it.token];
  return {
    name: it.name,
    method,
    address: search === '' ? path : `${path}?${search}`,
    body,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...it.headers,
    },
  };
}
