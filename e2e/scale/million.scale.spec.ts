import { writeFile } from 'node:fs/promises';
import { projectPath } from '#config';
import { farPages, firstPages, unlimitedReads, type ScaleCase, searches } from './cases.js';
import { fillLargeShop } from './large-shop.js';
import { type MeasuredCase, measureCase, type ScaleStack } from './measure-case.js';
import { type OwnDatabase, startOwnDatabase } from './own-database.js';
import { pageOf } from './page.js';
import { recordReads } from './reads.js';

/** Limits in CPU milliseconds. */
const maxMs = { list: 10, search: 30, old: 120 } as const;
const maxExtraMs = 25;
const farOffset = 100_000;
const explainOptions = { runs: 7, isSmall: false } as const;

/** Results by number of products, in measuring order. */
const resultsBySize = new Map<number, MeasuredCase[]>();

async function startLargeShop(products: number): Promise<ScaleStack & { close(): Promise<void> }> {
  const database: OwnDatabase = await startOwnDatabase();
  try {
    const shop = await fillLargeShop(database.ownerUrl, { products, users: products / 20 });
    const reads = await recordReads(database.urlOf);
    const close = async (): Promise<void> => {
      await reads.close();
      await database.close();
    };
    return { shop, reads, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

describe.each([10_000, 1_000_000])('a shop of %d products', (products) => {
  let stack: Awaited<ReturnType<typeof startLargeShop>>;

  beforeAll(async () => {
    stack = await startLargeShop(products);
    resultsBySize.set(products, []);
  }, 1_800_000);
  afterAll(() => stack.close());

  const measure = async (scaleCase: ScaleCase): Promise<MeasuredCase> => {
    const cost = await measureCase(stack, scaleCase, explainOptions);
    resultsBySize.get(products)!.push(cost);
    return cost;
  };
  // With 10,000 products sequential scans of small tables are right
  const defectsOf = ({ defects }: MeasuredCase) => (products < 100_000 ? [] : defects);

  it.each([...firstPages, ...searches])(
    '$name: uses indexes in the large shop, within its limit of CPU time',
    async (scaleCase) => {
      const cost = await measure(scaleCase);
      expect(defectsOf(cost)).toEqual([]);
      expect(cost.leastMs).toBeLessThan(maxMs[scaleCase.kind]);
    },
  );

  it.each([1_000, farOffset].flatMap((offset) => farPages.map((page) => ({ page, offset, name: page(offset).name }))))(
    '$name: costs little more than the first page',
    async ({ page, offset }) => {
      const [first, cost] = [await measureCase(stack, page(0), explainOptions), await measure(page(offset))];
      expect(defectsOf(cost)).toEqual([]);
      expect(cost.leastMs - first.leastMs).toBeLessThan(maxExtraMs);
    },
  );

  it.each([...unlimitedReads, farPages[0]!(999_999_979)])('$name: is measured', async (scaleCase) => {
    expect((await measure(scaleCase)).buffers).toBeGreaterThan(0);
  });
});

it('writes docs/measurements/scale.md if WRITE_DOCS is set', async () => {
  if (process.env.WRITE_DOCS) await writeFile(projectPath('docs', 'measurements', 'scale.md'), pageOf(resultsBySize));
  expect([...resultsBySize.keys()]).toEqual([10_000, 1_000_000]);
});
