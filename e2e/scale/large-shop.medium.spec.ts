import { testDatabase, type TestDatabase } from '#testing';
import { farPages, firstPages, ofOnesOwn, searches } from './cases.js';
import { fillLargeShop } from './large-shop.js';
import { measureCase, type ScaleStack } from './measure-case.js';
import { watchReads } from './reads.js';

let db: TestDatabase;
let stack: ScaleStack;

beforeAll(async () => {
  db = await testDatabase('catalog');
  const shop = await fillLargeShop(db.ownerUrl, { products: 20_000, users: 1_000 });
  stack = { shop, reads: await watchReads(db.urlOf) };
});
afterAll(async () => {
  await stack.reads.close();
  await db.close();
});

// The same at a million products: million.scale.spec.ts
it.each([...firstPages, ...searches, ...farPages.map((page) => page(1_000)), ...ofOnesOwn])(
  '$name: has its indexes, and is so many statements',
  async (scaleCase) => {
    const { defects, statements } = await measureCase(stack, scaleCase, { runs: 0, isSmall: true });
    expect({ defects, statements }).toEqual({ defects: [], statements: scaleCase.statements });
  },
);
