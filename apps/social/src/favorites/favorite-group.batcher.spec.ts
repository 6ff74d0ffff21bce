import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { type Deferred, deferred } from '#concurrency';
import { problems } from '#contracts';
import type { StoredResponse } from '#idempotency';
import { DomainError } from '#kernel';
import { RawReply, runInCall } from '#request-queue';
import { FavoriteGroupBatcher } from './favorite-group.batcher.js';
import type { Addition } from './place-favorite.queries.js';

const reply = RawReply.json('{}', { status: 201 }) as StoredResponse;
const stamp = { x: 0, y: 0, rotation: 0 };
const additionTo = (productId: number): Addition => ({
  favorite: { userId: productId, productId, count: 1, anonymous: false, stamp },
  storeResponse: undefined,
  metadata: {},
});
const productsOf = (additions: readonly Addition[]) => additions.map(({ favorite }) => favorite.productId);

/** Fake repository. The test ends each commit of several additions. */
function fakeRepository() {
  const groups: { products: number[]; end: Deferred<(StoredResponse | undefined)[]> }[] = [];
  const alone: number[] = [];
  return {
    groups,
    alone,
    placeUnlocked: (additions: readonly Addition[]) => {
      const end = deferred<(StoredResponse | undefined)[]>();
      groups.push({ products: productsOf(additions), end });
      return end.promise;
    },
    place: (additions: readonly Addition[]) => {
      alone.push(...productsOf(additions));
      return Promise.resolve([reply]);
    },
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const problem = (code: keyof typeof problems) => new DomainError(problems[code], 'for the test');
const violation = new QueryFailedError(
  'insert',
  [],
  Object.assign(new Error(), { code: '23514', constraint: 'bound' }),
);

let warn: jest.SpiedFunction<Logger['warn']>;
let repository: ReturnType<typeof fakeRepository>;
let batcher: FavoriteGroupBatcher;
beforeEach(() => {
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  repository = fakeRepository();
  batcher = new FavoriteGroupBatcher(repository);
});
afterEach(() => warn.mockRestore());

/** Adds favorites to two products, and fails their commit with `error`. */
async function failTogether(error: Error): Promise<unknown[]> {
  const adds = [1, 2].map((id) => batcher.add(additionTo(id)));
  await nextTurn();
  repository.groups[0]!.end.reject(error);
  return (await Promise.allSettled(adds)).map((it) => (it.status === 'fulfilled' ? 'placed' : it.reason));
}

it('settles each batch of 50 when it is committed, and drops later callers that have stopped waiting', async () => {
  const caller = new AbortController();
  const adds = Array.from({ length: 59 }, (_, id) => batcher.add(additionTo(id)));
  const late = runInCall({ requestId: 'late', signal: caller.signal }, () => batcher.add(additionTo(59)));
  await nextTurn();
  caller.abort();
  const { groups } = repository;
  expect(groups.map(({ products }) => products.length)).toEqual([50]);
  groups[0]!.end.resolve(Array.from({ length: 50 }, () => reply));
  await Promise.all(adds.slice(0, 50));
  await expect(late).rejects.toMatchObject({ kind: problems['service.overloaded'] });
  expect(groups.map(({ products }) => products.length)).toEqual([50, 9]);
  groups[1]!.end.resolve(Array.from({ length: 9 }, () => reply));
  expect(await Promise.all(adds)).toHaveLength(59);
  expect(repository.alone).toEqual([]);
});

it.each([
  ['a violated constraint', violation],
  ['a key that another request has claimed', problem('idempotency-key.in-progress')],
])('places each favorite alone after an error of one: %s', async (_, error) => {
  expect(await failTogether(error)).toEqual(['placed', 'placed']);
  expect(repository.alone).toEqual([1, 2]);
  expect(warn).not.toHaveBeenCalled();
});

it.each([
  ['a time limit of the server', problem('service.overloaded')],
  ['a defect', new Error('column "x" does not exist')],
])('logs an error that may affect all, and places each favorite alone: %s', async (_, error) => {
  expect(await failTogether(error)).toEqual(['placed', 'placed']);
  expect(repository.alone).toEqual([1, 2]);
  const message = `Placing 2 favorites together failed, placing each alone: ${String(error)}`;
  expect(warn.mock.calls).toEqual([[message]]);
});

it.each(['service.unavailable', 'service.no-answer'] as const)('places none a second time after %s', async (code) => {
  const error = problem(code);
  expect(await failTogether(error)).toEqual([error, error]);
  expect(repository.alone).toEqual([]);
});
