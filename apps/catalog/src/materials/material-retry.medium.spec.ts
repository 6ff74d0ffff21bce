import { MaterialResponse, problems, MaterialWriteResponse } from '#contracts';
import { DomainError } from '#kernel';
import { type RawReply } from '#request-queue';
import { eventually } from '#testing';
import {
  bodyOf,
  catalogStack,
  type CatalogStack,
  mug,
  outbox,
  shirt,
  type WantedMaterial,
  wantedMaterial,
  wantedProduct,
} from '../testing/catalog-stack.js';

let stack: CatalogStack;
let nextKey = 0;

/** Returns a key that no other test uses. */
const freshKey = (letter = 'a') => ({ key: `key ${(nextKey += 1)}`, fingerprint: letter.repeat(64) });
const create = (more: Partial<WantedMaterial>) =>
  stack.materials.create(
    wantedMaterial(stack.hanako, { products: [wantedProduct(shirt), wantedProduct(mug)], ...more }),
  );
interface Counts {
  readonly materials: number;
  readonly products: number;
  readonly events: number;
}
const counts = async (): Promise<Counts> => {
  const [row] = await stack.database.query<Counts>(
    `select (select count(*)::int from materials) as materials, (select count(*)::int from products) as products,
       (select count(*)::int from outbox where name = 'material.created') as events`,
  );
  return row!;
};
const plusOne = ({ materials, products, events }: Counts): Counts => ({
  materials: materials + 1,
  products: products + 2,
  events: events + 1,
});

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.rendering.storedSources.length = 0;
  stack.rendering.beforeReply = undefined;
});

describe('MaterialService.create with an Idempotency-Key', () => {
  it('creates one material for fifty concurrent requests, and returns the same bytes to all that succeed', async () => {
    const idempotency = freshKey();
    const before = await counts();
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => create({ idempotency })));
    const bodies = new Set<string>();
    for (const it of tries)
      if (it.status === 'fulfilled') bodies.add(it.value.body.toString());
      else expect(it.reason).toMatchObject({ kind: problems['idempotency-key.in-progress'] });
    expect(bodies.size).toBe(1);
    expect(await counts()).toEqual(plusOne(before));
    expect(stack.rendering.storedSources).toHaveLength(1);
  });

  it('replays the stored response byte for byte, with a header', async () => {
    const idempotency = freshKey();
    const first = await create({ idempotency, title: '灯台 🐈 "quoted"' });
    const before = await counts();
    const second = await create({ idempotency });
    expect(second.body.equals(first.body)).toBe(true);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers).toEqual({});
    expect(second.headers).toEqual({ 'idempotency-replayed': 'true' });
    expect(await counts()).toEqual(before);
    const { warnings, ...material } = MaterialWriteResponse.parse(bodyOf(first));
    expect(warnings).not.toEqual([]);
    expect(JSON.parse(String(await stack.products.ofMaterial(stack.hanako, material.material.id)))).toEqual(material);
  });

  it('creates separate materials for other keys, for other users, and without a key', async () => {
    const idempotency = freshKey();
    const ids = [];
    for (const more of [{ idempotency }, { idempotency, viewerId: stack.taro }, { idempotency: freshKey() }, {}, {}])
      ids.push(MaterialResponse.parse(bodyOf(await create(more))).material.id);
    expect(new Set(ids).size).toBe(5);
  });

  it('rejects a key of another request', async () => {
    const idempotency = freshKey();
    await create({ idempotency });
    const before = await counts();
    const other = create({ idempotency: { ...idempotency, fingerprint: 'b'.repeat(64) } });
    await expect(other).rejects.toMatchObject({ kind: problems['idempotency-key.reused'] });
    expect(await counts()).toEqual(before);
  });

  it('replays a rejection', async () => {
    const idempotency = freshKey();
    const rejected = () => create({ idempotency, products: [wantedProduct(999)] }).catch((error: unknown) => error);
    const [first, second] = [(await rejected()) as DomainError, (await rejected()) as DomainError];
    expect(first.kind).toBe(problems['item.not-found']);
    expect(first.headers).toEqual({});
    expect(second.body()).toEqual(first.body());
    expect(second.headers).toEqual({ 'idempotency-replayed': 'true' });
  });

  it('runs a repeated request after material-rendering was unavailable', async () => {
    const idempotency = freshKey();
    const unavailable = new DomainError(problems['service.unavailable'], 'unavailable', undefined, {
      'retry-after': '1',
    });
    stack.rendering.beforeReply = () => Promise.reject(unavailable);
    await expect(create({ idempotency })).rejects.toBe(unavailable);
    stack.rendering.beforeReply = undefined;
    const before = await counts();
    expect((await create({ idempotency })).headers).toEqual({});
    expect(await counts()).toEqual(plusOne(before));
  });

  it('rolls back a slow request whose claim was taken over', async () => {
    const idempotency = freshKey();
    const before = await counts();
    let release = (): void => undefined;
    stack.rendering.beforeReply = () => new Promise((resolve) => (release = resolve));
    const slow = create({ idempotency, title: 'slow' }).catch((error: unknown) => error);
    const expireClaim = `update idempotency_keys set claimed_until = now() - interval '1 second'
      where key = $1 returning claimed_until`;
    await eventually('the claim of the slow request', async () => {
      const [rows] = await stack.database.query<unknown[]>(expireClaim, [idempotency.key]);
      return rows!.length === 1;
    });
    await eventually('the slow request at material-rendering', () => release.name !== 'release');
    stack.rendering.beforeReply = undefined;
    const second = await create({ idempotency, title: 'second' });
    release();
    expect(await slow).toMatchObject({ kind: problems['idempotency-key.in-progress'] });
    expect(await counts()).toEqual(plusOne(before));
    const replayed = (await create({ idempotency })) satisfies RawReply;
    expect(replayed.body.equals(second.body)).toBe(true);
    expect((await outbox(stack.database)).at(-1)).toMatchObject({ payload: { title: 'second' } });
  });
});
