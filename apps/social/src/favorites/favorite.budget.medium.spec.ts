import { jest } from '@jest/globals';
import pg from 'pg';
import { socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;
// A connection keeps the method that it was made with
const asked = jest.spyOn(pg.Client.prototype, 'query');
const product = 10;

beforeAll(async () => {
  stack = await socialStack();
  await stack.others.addProducts([product], stack.jiro);
  // Connected
  await stack.database.query('select 1');
});
afterAll(async () => {
  await stack.close();
  asked.mockRestore();
});

type Wanted = Parameters<SocialStack['favorites']['create']>[0];
const create = (more: Partial<Wanted> = {}) =>
  stack.favorites.create({ viewerId: stack.taro, productId: product, anonymous: false, count: 1, ...more });

/** Everything that goes to the database meanwhile, the first word of each: what begins and ends a transaction, too. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  asked.mockClear();
  await work();
  return asked.mock.calls.map(([statement]: unknown[]) => {
    const text = typeof statement === 'string' ? statement : (statement as pg.QueryConfig).text;
    return text.trim().split(/\s/, 1)[0]!.toLowerCase();
  });
}

/** The service has nothing but the database to ask: it gets no clients of other services. */
describe('a favorite', () => {
  it('is one statement, which is prepared', async () => {
    expect(await statementsOf(create)).toEqual(['with']);
    expect(asked.mock.calls[0]![0]).toHaveProperty('name');
    expect(await statementsOf(() => create({ count: 3 }))).toEqual(['with']);
  });

  it('that may not be placed is one statement, too', async () => {
    expect(await statementsOf(() => create({ productId: 11 }).catch(() => undefined))).toEqual(['with']);
  });

  it('with a key is that statement and one for the answer in a transaction, and one for the key before', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    expect(await statementsOf(() => create({ idempotency }))).toEqual(['insert', 'start', 'with', 'update', 'commit']);
  });
});
