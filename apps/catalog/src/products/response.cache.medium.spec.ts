import { jest } from '@jest/globals';
import pg from 'pg';
import type { RawReply } from '#request-queue';
import { Random } from '../../../../e2e/load/random.js';
import {
  catalogStack,
  type CatalogStack,
  createMaterial,
  mug,
  newProductQueries,
  shirt,
  wantedProduct,
} from '../testing/catalog-stack.js';
import type { ProductQueries } from './product.queries.js';

let stack: CatalogStack;
let owner: pg.Client;
/** Two that keep answers, and writes may go through either; as many as there are replicas. */
let replicas: readonly ProductQueries[];

const page = { limit: 20, offset: 0 };
const nothing = { itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };

/** What a viewer is answered to everything that may be kept. */
const answers = async (queries: ProductQueries, viewerId: number, productIds: readonly number[]): Promise<string[]> => {
  const entries = productIds.map((productId) => ({ productId, itemVariantId: null }));
  const asked: (() => Promise<RawReply>)[] = [
    () => queries.list({ viewerId, ...page, ...nothing }),
    () => queries.list({ viewerId, limit: 2, offset: 1, ...nothing }),
    () => queries.list({ viewerId, ...page, ...nothing, userId: stack.hanako }),
    () => queries.list({ viewerId, ...page, ...nothing, userName: 'taro' }),
    () => queries.list({ viewerId, ...page, ...nothing, itemId: mug }),
    () => queries.search({ viewerId, ...page, q: 'cat', itemId: undefined }),
    () => queries.search({ viewerId, ...page, q: 'x', itemId: undefined }),
    () => queries.onSale({ viewerId, ...page }),
    () => queries.chosen({ viewerId, entries, nextOffset: null }),
    ...productIds.map((productId) => () => queries.get(viewerId, productId)),
  ];
  const all = await Promise.all(asked.map((ask) => ask().catch((error: unknown) => (error as Error).message)));
  return all.map((answer) =>
    typeof answer === 'string' ? answer : `${answer.headers['etag']} ${String(answer.body)}`,
  );
};

beforeAll(async () => {
  stack = await catalogStack();
  owner = new pg.Client(stack.ownerUrl);
  await owner.connect();
  replicas = [stack.products, newProductQueries(stack)];
});
afterAll(async () => {
  await owner.end();
  await stack.close();
});

/** One change of what products show, by anybody; of which kind, the number says. @returns its kind, when there was one */
async function change(number: number, random: Random): Promise<number | undefined> {
  const [creator, other] = random.next() < 0.5 ? [stack.hanako, stack.taro] : [stack.taro, stack.hanako];
  const { rows } = await owner.query<{ id: string }>('select id from catalog.materials where user_id = $1', [creator]);
  const materialId = Number(random.of(rows)?.id ?? 0);
  const language = 'en';
  const changes: (() => Promise<unknown>)[] = [
    () => createMaterial(stack, creator, { title: 'Cat', products: [wantedProduct(shirt), wantedProduct(mug)] }),
    () => createMaterial(stack, creator, { title: 'x', products: [wantedProduct(mug, { published: false })] }),
    () => stack.materials.update({ viewerId: creator, materialId, language, title: `Cat ${random.below(9)}` } as never),
    () => stack.materials.update({ viewerId: creator, materialId, language, price: random.below(900) } as never),
    () =>
      stack.materials.update({
        viewerId: creator,
        materialId,
        language,
        products: [wantedProduct(shirt, { published: random.next() < 0.5 })],
      } as never),
    () => stack.materials.violate(materialId, 'not theirs'),
    () => stack.materials.clear(materialId, 'theirs'),
    () => stack.materials.delete(creator, materialId),
    () => owner.query('update accounts.users set display_name = $1 where id = $2', [`D${random.below(99)}`, other]),
    () =>
      stack.sales.create({
        name: 'Sale',
        target: { kind: 'user', userName: 'taro' },
        discount: { kind: 'percent', percent: 1 + random.below(50) },
      }),
  ];
  const kind = number % changes.length;
  // What is not there, or was so before, is refused, which is no change
  return changes[kind]!().then(
    () => kind,
    () => undefined,
  );
}

it('are never older than what was written before the question, nor what another may see alone', async () => {
  const random = new Random(42);
  const changed = new Set<number | undefined>();
  for (let step = 0; step < 30; step++) {
    changed.add(await change(step, random));
    const { rows } = await owner.query<{ id: string }>('select id from catalog.products order by id desc limit 3');
    const ids = [...rows.map(({ id }) => Number(id)), 999_999];
    for (const viewerId of [stack.hanako, stack.taro, stack.jiro]) {
      // Nobody has asked this one before: it keeps nothing
      const expected = await answers(newProductQueries(stack), viewerId, ids);
      for (const replica of replicas) expect(await answers(replica, viewerId, ids)).toEqual(expected);
    }
  }
  changed.delete(undefined);
  expect([...changed].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** What somebody waits at until another opens it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('a question that was asked before', () => {
  const ask = (viewerId = stack.jiro) => stack.products.list({ viewerId, ...page, ...nothing, itemId: shirt });

  it('is answered with the same bytes, after one look at what has changed, for all who ask at once', async () => {
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const first = await ask();
    const read = jest.spyOn(stack.database, 'read');
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(n % 2 === 0 ? stack.jiro : 999)));
    const looks = read.mock.calls.length;
    read.mockRestore();
    expect(all.every(({ body }) => body === first.body)).toBe(true);
    expect(looks).toBe(1);
  });

  it('is kept also when there is nothing to show', async () => {
    const search = () => stack.products.search({ viewerId: stack.jiro, ...page, q: 'nowhere', itemId: undefined });
    const first = await search();
    expect((await search()).body).toBe(first.body);
    await createMaterial(stack, stack.hanako, { title: 'Nowhere', products: [wantedProduct(shirt)] });
    expect(String((await search()).body)).toContain('Nowhere');
  });

  it('is answered anew by one statement of its own when something has changed', async () => {
    const first = await ask();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const read = jest.spyOn(stack.database, 'read');
    const second = await ask();
    const statements = read.mock.calls.length;
    read.mockRestore();
    // The look, and the page
    expect(statements).toBe(2);
    expect(second.body.equals(first.body)).toBe(false);
    expect(second.headers['etag']).not.toBe(first.headers['etag']);
  });

  it('is made anew once for all who asked before that began', async () => {
    await ask();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const read = jest.spyOn(stack.database, 'read');
    const all = await Promise.all(Array.from({ length: 50 }, () => ask()));
    const statements = read.mock.calls.length;
    read.mockRestore();
    expect(statements).toBe(2);
    expect(all.every(({ body }) => body === all[0]!.body)).toBe(true);
  });

  it('is made again for whoever asks when the statement of another has begun', async () => {
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    await ask();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const [begun, goOn] = [gate(), gate()];
    const really = stack.database.read.bind(stack.database);
    const read = jest.spyOn(stack.database, 'read').mockImplementationOnce(really);
    read.mockImplementationOnce(async (sql, parameters) => {
      const rows = await really(sql, parameters);
      begun.open();
      await goOn.opened;
      return rows;
    });
    const early = ask();
    await begun.opened;
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const late = ask();
    while (read.mock.calls.length < 3) await turn();
    // Its look at what has changed, and what it does then
    await read.mock.results[2]!.value;
    await turn();
    goOn.open();
    read.mockRestore();
    const productsOf = async (reply: Promise<RawReply>) =>
      (JSON.parse(String((await reply).body)) as { products: unknown[] }).products.length;
    expect(await productsOf(late)).toBe((await productsOf(early)) + 1);
  });

  it('is made anew with other items, and those of before are not kept in memory', async () => {
    const first = await ask();
    stack.catalog.invalidate();
    expect((await ask()).body.equals(first.body)).toBe(true);
    expect((await ask()).body).not.toBe(first.body);
  });

  it('does not evict responses with newer items when it was validated before them', async () => {
    await ask();
    const validated = gate();
    const really = stack.database.read.bind(stack.database);
    const read = jest.spyOn(stack.database, 'read').mockImplementationOnce(async (sql, parameters) => {
      const rows = await really(sql, parameters);
      await validated.opened;
      return rows;
    });
    const late = ask();
    while (read.mock.calls.length < 1) await turn();
    stack.catalog.invalidate();
    const newer = await ask();
    validated.open();
    await late;
    read.mockRestore();
    expect((await ask()).body).toBe(newer.body);
  });

  it('is made for itself when nobody can say what has changed', async () => {
    await ask();
    const look = jest.spyOn(stack.database, 'read').mockRejectedValueOnce(new Error('away'));
    expect((await ask()).status).toBe(200);
    look.mockRestore();
  });

  it('says nothing of a failure to others', async () => {
    await ask();
    // The look, and the page
    const failure = jest.spyOn(stack.database, 'read').mockRejectedValueOnce(new Error('away'));
    failure.mockRejectedValueOnce(new Error('away'));
    await expect(ask()).rejects.toThrow('away');
    failure.mockRestore();
    expect((await ask()).status).toBe(200);
  });
});
