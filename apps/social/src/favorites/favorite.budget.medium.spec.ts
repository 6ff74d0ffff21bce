import { jest } from '@jest/globals';
import pg from 'pg';
import { statementVerbs } from '#testing';
import { socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;
// Before the pool connects, because a connection uses the method that existed when it was created
const querySpy = jest.spyOn(pg.Client.prototype, 'query');
const product = 10;
const others = Array.from({ length: 15 }, (_, n) => 20 + n);

beforeAll(async () => {
  stack = await socialStack();
  await stack.others.addProducts([product, ...others], stack.jiro);
  // Opens the connection
  await stack.database.query('select 1');
});
afterAll(async () => {
  await stack.close();
  querySpy.mockRestore();
});

type CreateRequest = Parameters<SocialStack['favorites']['create']>[0];
const create = (more: Partial<CreateRequest> = {}) =>
  stack.favorites.create({ viewerId: stack.taro, productId: product, anonymous: false, count: 1, ...more });

/** Returns the first word of each statement sent while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  querySpy.mockClear();
  await work();
  return statementVerbs(querySpy.mock.calls);
}

it('sixteen favorites on different products that arrive together are one prepared statement', async () => {
  const placeAll = () => Promise.all([product, ...others].map((productId) => create({ productId })));
  // The first favorite of a product is placed alone, because it inserts the counter
  expect(await statementsOf(placeAll)).toHaveLength(17);
  expect(await statementsOf(placeAll)).toEqual(['with']);
  expect(querySpy.mock.calls[0]![0]).toHaveProperty('name');
});

/** The service uses only the database for favorites: it gets no clients of other services. */
describe('a favorite', () => {
  it('is one prepared statement', async () => {
    expect(await statementsOf(create)).toEqual(['with']);
    expect(querySpy.mock.calls[0]![0]).toHaveProperty('name');
    expect(await statementsOf(() => create({ count: 3 }))).toEqual(['with']);
  });

  it('is one statement also when it is rejected', async () => {
    expect(await statementsOf(() => create({ productId: 11 }).catch(() => undefined))).toEqual(['with']);
  });

  it('with an idempotency key claims the key, then stores the response in its transaction', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    expect(await statementsOf(() => create({ idempotency }))).toEqual(['insert', 'start', 'with', 'update', 'commit']);
  });
});
