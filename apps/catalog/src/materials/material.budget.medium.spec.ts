import { jest } from '@jest/globals';
import pg from 'pg';
import { problems } from '#contracts';
import { statementVerbs } from '#testing';
import {
  type CatalogStack,
  catalogStack,
  mug,
  phoneCase,
  shirt,
  type WantedMaterial,
  wantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';

let stack: CatalogStack;
// Before the pool connects, because a connection uses the method that existed when it was created
const querySpy = jest.spyOn(pg.Client.prototype, 'query');

const products = [shirt, mug, phoneCase].map((itemId) => wantedProduct(itemId));
const create = (more: Partial<WantedMaterial> = {}) =>
  stack.materials.create(wantedMaterial(stack.hanako, { products, ...more }));

beforeAll(async () => {
  stack = await catalogStack();
  // Loads items and sales
  await create();
});
afterAll(async () => {
  await stack.close();
  querySpy.mockRestore();
});

/** Returns the first word of each statement sent while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  querySpy.mockClear();
  await work();
  return statementVerbs(querySpy.mock.calls);
}

describe('a new material with three products', () => {
  it('is one prepared statement with its events and its response', async () => {
    expect(await statementsOf(create)).toEqual(['with']);
    expect(querySpy.mock.calls[0]![0]).toHaveProperty('name');
  });

  it('is one statement also when its author is deleted', async () => {
    await stack.database.query('insert into deleted_users (user_id) values ($1)', [stack.jiro]);
    const rejected = create({ viewerId: stack.jiro });
    await expect(rejected).rejects.toMatchObject({ kind: problems['user.not-found'] });
    expect(await statementsOf(() => create({ viewerId: stack.jiro }).catch(() => undefined))).toEqual(['with']);
    expect(await stack.database.query('select from materials where user_id = $1', [stack.jiro])).toEqual([]);
  });

  it('with an idempotency key claims the key, then stores the response in its transaction', async () => {
    const idempotency = { key: 'a', fingerprint: '0'.repeat(64) };
    expect(await statementsOf(() => create({ idempotency }))).toEqual(['insert', 'start', 'with', 'update', 'commit']);
  });
});
