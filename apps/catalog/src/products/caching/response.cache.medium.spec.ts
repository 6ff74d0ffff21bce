import { jest } from '@jest/globals';
import pg from 'pg';
import type { RawReply } from '#request-queue';
import { Random } from '../../../../../e2e/load/random.js';
import {
  catalogStack,
  type CatalogStack,
  createMaterial,
  mug,
  createProductQueries,
  shirt,
  wantedProduct,
} from '../../testing/catalog-stack.js';
import type { ProductQueries } from '../product.queries.js';

let stack: CatalogStack;
let owner: pg.Client;
/** Two replicas with separate response and JSON caches, and shared item and sale caches. */
let replicas: readonly ProductQueries[];

const page = { limit: 20, offset: 0 };
const noFilters = { itemId: undefined, userId: undefined, userName: undefined, materialId: undefined };

/**
 * Returns the responses to cacheable requests of a viewer, with every kind of list and filter
 * except `newest`.
 */
const responsesOf = async (
  queries: ProductQueries,
  viewerId: number,
  productIds: readonly number[],
): Promise<string[]> => {
  const entries = productIds.map((productId) => ({ productId, itemVariantId: null }));
  const requests: (() => Promise<RawReply>)[] = [
    () => queries.list({ viewerId, ...page, ...noFilters }),
    () => queries.list({ viewerId, limit: 2, offset: 1, ...noFilters }),
    () => queries.list({ viewerId, ...page, ...noFilters, nameLanguage: 'en' }),
    () => queries.list({ viewerId, ...page, ...noFilters, userId: stack.hanako }),
    () => queries.list({ viewerId, ...page, ...noFilters, userName: 'taro' }),
    () => queries.list({ viewerId, ...page, ...noFilters, itemId: mug }),
    () => queries.search({ viewerId, ...page, q: 'cat', itemId: undefined }),
    () => queries.search({ viewerId, ...page, q: 'x', itemId: undefined }),
    () => queries.onSale({ viewerId, ...page }),
    () => queries.chosen({ viewerId, entries, nextOffset: null }),
    ...productIds.map((productId) => () => queries.get(viewerId, productId)),
    ...productIds.map((productId) => () => queries.get(viewerId, productId, 'en')),
  ];
  const all = await Promise.all(
    requests.map((request) => request().catch((error: unknown) => (error as Error).message)),
  );
  return all.map((response) =>
    typeof response === 'string' ? response : `${response.headers['etag']} ${String(response.body)}`,
  );
};

beforeAll(async () => {
  stack = await catalogStack();
  owner = new pg.Client(stack.ownerUrl);
  await owner.connect();
  replicas = [stack.products, createProductQueries(stack)];
});
afterAll(async () => {
  await owner.end();
  await stack.close();
});

/**
 * Makes a change that product responses depend on. `number` selects its kind. Returns the kind, or
 * undefined if it was rejected.
 */
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
  // A change of a missing row is rejected
  return changes[kind]!().then(
    () => kind,
    () => undefined,
  );
}

it('never returns data older than a commit before the request, nor drafts of other users', async () => {
  const random = new Random(42);
  const changed = new Set<number | undefined>();
  for (let step = 0; step < 30; step++) {
    changed.add(await change(step, random));
    const { rows } = await owner.query<{ id: string }>('select id from catalog.products order by id desc limit 3');
    const ids = [...rows.map(({ id }) => Number(id)), 999_999];
    for (const viewerId of [stack.hanako, stack.taro, stack.jiro]) {
      // New queries with an empty cache
      const expected = await responsesOf(createProductQueries(stack), viewerId, ids);
      for (const replica of replicas) expect(await responsesOf(replica, viewerId, ids)).toEqual(expected);
    }
  }
  changed.delete(undefined);
  expect([...changed].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Returns a promise and the function that resolves it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('ResponseCache', () => {
  /** Another page in each test, because the use of one decides whether the next is validated. */
  let limit = 20;
  beforeEach(() => (limit += 1));
  const list = (viewerId = stack.jiro) =>
    stack.products.list({ viewerId, limit, offset: 0, ...noFilters, itemId: shirt });

  it('returns the cached bytes to concurrent callers after one validation', async () => {
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const first = await list();
    const read = jest.spyOn(stack.database, 'read');
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => list(n % 2 === 0 ? stack.jiro : 999)));
    const statements = read.mock.calls.length;
    read.mockRestore();
    expect(all.every(({ body }) => body === first.body)).toBe(true);
    expect(statements).toBe(1);
  });

  it('caches empty results', async () => {
    const search = () => stack.products.search({ viewerId: stack.jiro, ...page, q: 'nowhere', itemId: undefined });
    const first = await search();
    expect((await search()).body).toBe(first.body);
    await createMaterial(stack, stack.hanako, { title: 'Nowhere', products: [wantedProduct(shirt)] });
    expect(String((await search()).body)).toContain('Nowhere');
  });

  it('reloads with one statement after a change', async () => {
    const first = await list();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const read = jest.spyOn(stack.database, 'read');
    const second = await list();
    const statements = read.mock.calls.length;
    read.mockRestore();
    // Validation and page
    expect(statements).toBe(2);
    expect(second.body.equals(first.body)).toBe(false);
    expect(second.headers['etag']).not.toBe(first.headers['etag']);
  });

  it('reloads without a validation after responses that were never used again, until one would be', async () => {
    const oneOfMany = () =>
      stack.products.list({ viewerId: stack.jiro, limit: 3, offset: 0, ...noFilters, userId: stack.taro });
    const statementsOf = async (): Promise<number> => {
      const read = jest.spyOn(stack.database, 'read');
      await oneOfMany();
      const { length } = read.mock.calls;
      read.mockRestore();
      return length;
    };
    await oneOfMany();
    const statements = [];
    for (let n = 0; n < 5; n++) {
      await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
      statements.push(await statementsOf());
    }
    // Validation and page, then the page only
    expect(statements).toEqual([2, 2, 2, 1, 1]);
    // Loads the same version again, then validates
    expect([await statementsOf(), await statementsOf()]).toEqual([1, 1]);
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    expect(await statementsOf()).toBe(2);
  });

  it('shares a reload among callers that arrived before it started', async () => {
    await list();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const read = jest.spyOn(stack.database, 'read');
    const all = await Promise.all(Array.from({ length: 50 }, () => list()));
    const statements = read.mock.calls.length;
    read.mockRestore();
    expect(statements).toBe(2);
    expect(all.every(({ body }) => body === all[0]!.body)).toBe(true);
  });

  it('does not share a reload that started before the call', async () => {
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    await list();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const [started, release] = [gate(), gate()];
    const original = stack.database.read.bind(stack.database);
    const read = jest.spyOn(stack.database, 'read').mockImplementationOnce(original);
    read.mockImplementationOnce(async (sql, parameters) => {
      const rows = await original(sql, parameters);
      started.open();
      await release.opened;
      return rows;
    });
    const early = list();
    await started.opened;
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const late = list();
    while (read.mock.calls.length < 3) await tick();
    // Waits until the late call has handled the result of its validation
    await read.mock.results[2]!.value;
    await tick();
    release.open();
    read.mockRestore();
    const productsOf = async (reply: Promise<RawReply>) =>
      (JSON.parse(String((await reply).body)) as { products: unknown[] }).products.length;
    expect(await productsOf(late)).toBe((await productsOf(early)) + 1);
  });

  it('reloads a response after the items were reloaded', async () => {
    const first = await list();
    stack.catalog.invalidate();
    expect((await list()).body.equals(first.body)).toBe(true);
    expect((await list()).body).not.toBe(first.body);
  });

  it('does not evict responses with newer items after an earlier validation', async () => {
    await list();
    const validated = gate();
    const original = stack.database.read.bind(stack.database);
    const read = jest.spyOn(stack.database, 'read').mockImplementationOnce(async (sql, parameters) => {
      const rows = await original(sql, parameters);
      await validated.opened;
      return rows;
    });
    const late = list();
    while (read.mock.calls.length < 1) await tick();
    stack.catalog.invalidate();
    const newer = await list();
    validated.open();
    await late;
    read.mockRestore();
    expect((await list()).body).toBe(newer.body);
  });

  it('reloads when the validation fails', async () => {
    await list();
    const validation = jest.spyOn(stack.database, 'read').mockRejectedValueOnce(new Error('connection lost'));
    expect((await list()).status).toBe(200);
    validation.mockRestore();
  });

  it('does not share failures with later callers', async () => {
    await list();
    // Both reads fail, validation and page: a failed validation alone is treated as a miss
    const failure = jest.spyOn(stack.database, 'read').mockRejectedValueOnce(new Error('connection lost'));
    failure.mockRejectedValueOnce(new Error('connection lost'));
    await expect(list()).rejects.toThrow('connection lost');
    failure.mockRestore();
    expect((await list()).status).toBe(200);
  });

  it('does not share a reload with a viewer who has got a draft since the validation', async () => {
    await list();
    await createMaterial(stack, stack.hanako, { products: [wantedProduct(shirt)] });
    const [validated, started, release] = [gate(), gate(), gate()];
    const original = stack.database.read.bind(stack.database);
    const read = jest.spyOn(stack.database, 'read').mockImplementationOnce(async (sql, parameters) => {
      const rows = await original(sql, parameters);
      await validated.opened;
      return rows;
    });
    const own = list(stack.jiro);
    while (read.mock.calls.length < 1) await tick();
    const products = [wantedProduct(shirt, { published: false })];
    const { products: drafts } = await createMaterial(stack, stack.jiro, { products });
    read.mockImplementationOnce(original).mockImplementationOnce(async (sql, parameters) => {
      const rows = await original(sql, parameters);
      started.open();
      await release.opened;
      return rows;
    });
    const others = list(999);
    await started.opened;
    validated.open();
    await tick();
    release.open();
    await others;
    read.mockRestore();
    const { products: shown } = JSON.parse(String((await own).body)) as { products: { id: number }[] };
    expect(shown.map(({ id }) => id)).toContain(drafts[0]!.id);
  });
});
