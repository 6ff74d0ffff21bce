import fc from 'fast-check';
import { type Operation, type OperationName, operations } from '#contracts';
import type { FuzzRequest } from './fuzz-request.js';
import { unusualSegment } from './fuzz-request.js';
import { jsonTypes, unusualHeaders } from './headers.js';
import { jsonBytes } from './json-bytes.js';
import { valuesOf } from './shape.js';
import { unusualText, rarely } from './values.js';
import { otherIds, type FuzzFixture } from './fuzz-fixture.js';

/** Names of all operations except the stream, whose response has no end. */
const operationNames = (Object.keys(operations) as OperationName[]).filter((name) => name !== 'events.stream');

/** Operations that are sent less often, because each success renders images. */
const costlyOperations: ReadonlySet<string> = new Set([
  'materials.create',
  'materials.text',
  'previews.create',
  'print-files.create',
  'preflight.get',
]);

/** Valid and invalid requests for every operation of the contracts. */
export const apiRequests = (fixture: FuzzFixture): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    ...operationNames.map((name) => ({
      arbitrary: requestsFor(name, fixture),
      weight: costlyOperations.has(name) ? 1 : 4,
    })),
  );

function requestsFor(name: OperationName, fixture: FuzzFixture): fc.Arbitrary<FuzzRequest> {
  const operation: Operation = operations[name];
  const { body } = operation;
  return fc.record({
    route: fc.constant(name),
    method: fc.constant(operation.method),
    path: pathsOf(operation, fixture),
    query: queriesOf(operation, fixture),
    headers: headersOf(operation, fixture),
    // Sometimes a body for operations without one
    body: body ? jsonBytes(valuesOf(body, fixture)) : rarely(jsonBytes(fc.constant({ a: 1 })), 20),
  });
}

function pathsOf({ path, method }: Operation, fixture: FuzzFixture): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    if (!part.startsWith(':')) return fc.constant(part);
    const known = fixture.ids[part.slice(1)]!;
    // In an unshared stack DELETE mostly has higher ids, those of resources that the run created.
    // The resources of the fixture remain for other requests
    const isPermanent = method === 'DELETE' && !path.endsWith('/favorites');
    const ids = isPermanent && !fixture.isShared ? idsAbove(known) : known;
    const right = { arbitrary: fc.constantFrom(...ids).map(String), weight: 8 };
    return fc.oneof(right, { arbitrary: otherIds(fixture).map(String), weight: 1 }, unusualSegment);
  });
  return fc.tuple(...parts).map((it) => it.join('/'));
}

const idsAbove = (known: readonly number[]): number[] =>
  Array.from({ length: 6 }, (_, n) => Math.max(...known) + 5 + n * 3);

function queriesOf({ query }: Operation, fixture: FuzzFixture): fc.Arbitrary<[string, string][]> {
  const odd = fc.tuple(
    fc.constantFrom('limit', 'offset', 'q', 'name', 'userName', 'userId', '__proto__', 'x'),
    unusualText,
  );
  const wrong = fc.array(odd, { maxLength: 2 }).map((pairs) => pairs.map(([key, it]): [string, string] => [key, it]));
  if (!query) return rarely(wrong, 5).map((it) => it ?? []);
  const right = valuesOf(query, fixture).map((it) => Object.entries(it as Record<string, string>));
  return fc.oneof({ arbitrary: right, weight: 3 }, wrong);
}

function headersOf({ method, body }: Operation, fixture: FuzzFixture): fc.Arbitrary<[string, string][]> {
  const { tokens } = fixture;
  const token = fc.oneof(
    { arbitrary: fc.constantFrom(...tokens), weight: 20 },
    fc.constantFrom('x'.repeat(43), '', "' OR 1=1 --", `${tokens[0]!}x`, undefined),
  );
  const key = method === 'POST' ? rarely(fc.uuid(), 5) : fc.constant(undefined);
  return fc
    .tuple(token, key, body ? jsonTypes : rarely(jsonTypes, 10), unusualHeaders)
    .map(([bearer, once, type, odd]) => [
      ...(bearer === undefined ? [] : [['authorization', `Bearer ${bearer}`] satisfies [string, string]]),
      ...(once === undefined ? [] : [['idempotency-key', once] satisfies [string, string]]),
      ...(type === undefined ? [] : [['content-type', type] satisfies [string, string]]),
      ...odd,
    ]);
}
