import fc from 'fast-check';
import { type Operation, type OperationName, operations } from '#contracts';
import type { Asked } from './asked.js';
import { inPath } from './asked.js';
import { jsonTypes, oddHeaders } from './headers.js';
import { jsonBytes } from './json-bytes.js';
import { valuesOf } from './shape.js';
import { oddText, seldom } from './values.js';
import { otherIds, type World } from './world.js';

const names = Object.keys(operations) as OperationName[];

/** Seldom: each that succeeds is drawn in the background. */
const costly: ReadonlySet<string> = new Set(['materials.create', 'materials.text']);

/** Requests for every operation of the contracts, right ones and all kinds of others. */
export const apiRequests = (world: World): fc.Arbitrary<Asked> =>
  fc.oneof(...names.map((name) => ({ arbitrary: requestsFor(name, world), weight: costly.has(name) ? 1 : 4 })));

function requestsFor(name: OperationName, world: World): fc.Arbitrary<Asked> {
  const operation: Operation = operations[name];
  const { body } = operation;
  return fc.record({
    route: fc.constant(name),
    method: fc.constant(operation.method),
    path: pathsOf(operation, world),
    query: queriesOf(operation, world),
    headers: headersOf(operation, world),
    // What takes no body is sent one now and then
    body: body ? jsonBytes(valuesOf(body, world)) : seldom(jsonBytes(fc.constant({ a: 1 })), 20),
  });
}

function pathsOf({ path, method }: Operation, world: World): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    if (!part.startsWith(':')) return fc.constant(part);
    const known = world.ids[part.slice(1)]!;
    // What the others are about stays: what the run has made has higher ids
    const isForGood = method === 'DELETE' && !path.endsWith('/favorites');
    const ids = isForGood && !world.isShared ? spare(known) : known;
    const right = { arbitrary: fc.constantFrom(...ids).map(String), weight: 8 };
    return fc.oneof(right, { arbitrary: otherIds(world).map(String), weight: 1 }, inPath);
  });
  return fc.tuple(...parts).map((it) => it.join('/'));
}

const spare = (known: readonly number[]): number[] =>
  Array.from({ length: 6 }, (_, n) => Math.max(...known) + 5 + n * 3);

function queriesOf({ query }: Operation, world: World): fc.Arbitrary<[string, string][]> {
  const odd = fc.tuple(
    fc.constantFrom('limit', 'offset', 'q', 'name', 'userName', 'userId', '__proto__', 'x'),
    oddText,
  );
  const wrong = fc.array(odd, { maxLength: 2 }).map((pairs) => pairs.map(([key, it]): [string, string] => [key, it]));
  if (!query) return seldom(wrong, 5).map((it) => it ?? []);
  const right = valuesOf(query, world).map((it) => Object.entries(it as Record<string, string>));
  return fc.oneof({ arbitrary: right, weight: 3 }, wrong);
}

function headersOf({ method, body }: Operation, world: World): fc.Arbitrary<[string, string][]> {
  const { tokens } = world;
  const token = fc.oneof(
    { arbitrary: fc.constantFrom(...tokens), weight: 20 },
    fc.constantFrom('x'.repeat(43), '', "' OR 1=1 --", `${tokens[0]!}x`, undefined),
  );
  const key = method === 'POST' ? seldom(fc.uuid(), 5) : fc.constant(undefined);
  return fc
    .tuple(token, key, body ? jsonTypes : seldom(jsonTypes, 10), oddHeaders)
    .map(([bearer, once, type, odd]) => [
      ...(bearer === undefined ? [] : [['authorization', `Bearer ${bearer}`] satisfies [string, string]]),
      ...(once === undefined ? [] : [['idempotency-key', once] satisfies [string, string]]),
      ...(type === undefined ? [] : [['content-type', type] satisfies [string, string]]),
      ...odd,
    ]);
}
