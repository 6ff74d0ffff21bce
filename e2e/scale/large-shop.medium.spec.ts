import { testDatabase, type TestDatabase } from '#testing';
import { farPages, firstPages, unlimitedReads, searches } from './cases.js';
import { fillLargeShop } from './large-shop.js';
import { measureCase, type ScaleStack } from './measure-case.js';
import { recordReads } from './reads.js';

let db: TestDatabase;
let stack: ScaleStack;

beforeAll(async () => {
  db = await testDatabase('catalog');
  const shop = await fillLargeShop(db.ownerUrl, { products: 20_000, users: 1_000 });
  stack = { shop, reads: await recordReads(db.urlOf) };
});
afterAll(async () => {
  await stack.reads.close();
  await db.close();
});

// million.scale.spec.ts does the same with a million products, and measures the time
it.each([...firstPages, ...searches, ...farPages.map((page) => page(1_000)), ...unlimitedReads])(
  '$name: uses indexes and the expected number of statements',
  async (scaleCase) => {
    const { defects, statements } = await measureCase(stack, scaleCase, { runs: 0, isSmall: true });
    expect({ defects, statements }).toEqual({ defects: [], statements: scaleCase.statements });
  },
);
