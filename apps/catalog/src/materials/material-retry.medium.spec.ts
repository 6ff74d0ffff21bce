import { MaterialResponse, problems, WrittenMaterialResponse } from '#contracts';
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

/** A key that no other test uses. */
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
const oneMore = ({ materials, products, events }: Counts): Counts => ({
  materials: materials + 1,
  products: products + 2,
  events: events + 1,
});

beforeAll(async () => {
  stack = await catalogStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.rendering.taken.length = 0;
  stack.rendering.meanwhile = undefined;
});

describe('a material that is created under an Idempotency-Key', () => {
  it('is made once when fifty ask at once, and all who are answered are answered the same bytes', async () => {
    const idempotency = freshKey();
    const before = await counts();
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => create({ idempotency })));
    const bodies = new Set<string>();
    for (const it of tries)
      if (it.status === 'fulfilled') bodies.add(it.value.body.toString());
      else expect(it.reason).toMatchObject({ kind: problems['idempotency-key.in-progress'] });
    expect(bodies.size).toBe(1);
    expect(await counts()).toEqual(oneMore(before));
    expect(stack.rendering.taken).toHaveLength(1);
  });

  it('is answered again byte for byte, and says that it is', async () => {
    const idempotency = freshKey();
    const first = await create({ idempotency, title: '灯台 🐈 "quoted"' });
    const before = await counts();
    const second = await create({ idempotency });
    expect(second.body.equals(first.body)).toBe(true);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers).toEqual({});
    expect(second.headers).toEqual({ 'idempotency-replayed': 'true' });
    expect(await counts()).toEqual(before);
    const { warnings, ...shown } = WrittenMaterialResponse.parse(bodyOf(first));
    expect(warnings).not.toEqual([]);
    expect(JSON.parse(String(await stack.products.ofMaterial(stack.hanako, shown.material.id)))).toEqual(shown);
  });

  it('is another one under another key, of another user, and without a key', async () => {
    const idempotency = freshKey();
    const ids = [];
    for (const more of [{ idempotency }, { idempotency, viewerId: stack.taro }, { idempotency: freshKey() }, {}, {}])
      ids.push(MaterialResponse.parse(bodyOf(await create(more))).material.id);
    expect(new Set(ids).size).toBe(5);
  });

  it('is refused under the key of another request', async () => {
    const idempotency = freshKey();
    await create({ idempotency });
    const before = await counts();
    const other = create({ idempotency: { ...idempotency, fingerprint: 'b'.repeat(64) } });
    await expect(other).rejects.toMatchObject({ kind: problems['idempotency-key.reused'] });
    expect(await counts()).toEqual(before);
  });

  it('is refused again as it was refused first', async () => {
    const idempotency = freshKey();
    const refused = () => create({ idempotency, products: [wantedProduct(999)] }).catch((error: unknown) => error);
    const [first, second] = [(await refused()) as DomainError, (await refused()) as DomainError];
    expect(first.kind).toBe(problems['item.not-found']);
    expect(first.headers).toEqual({});
    expect(second.body()).toEqual(first.body());
    expect(second.headers).toEqual({ 'idempotency-replayed': 'true' });
  });

  it('may be asked for again after the renderer was away', async () => {
    const idempotency = freshKey();
    const away = new DomainError(problems['service.unavailable'], 'away', undefined, { 'retry-after': '1' });
    stack.rendering.meanwhile = () => Promise.reject(away);
    await expect(create({ idempotency })).rejects.toBe(away);
    stack.rendering.meanwhile = undefined;
    const before = await counts();
    expect((await create({ idempotency })).headers).toEqual({});
    expect(await counts()).toEqual(oneMore(before));
  });

  it('is made once when a slow first request is taken over: the slow one is undone', async () => {
    const idempotency = freshKey();
    const before = await counts();
    let goOn = (): void => undefined;
    stack.rendering.meanwhile = () => new Promise((resolve) => (goOn = resolve));
    const slow = create({ idempotency, title: 'slow' }).catch((error: unknown) => error);
    const itsRow = `update idempotency_keys set claimed_until = now() - interval '1 second'
      where key = $1 returning claimed_until`;
    await eventually('the claim of the slow request', async () => {
      const [rows] = await stack.database.query<unknown[]>(itsRow, [idempotency.key]);
      return rows!.length === 1;
    });
    await eventually('the slow request at the renderer', () => goOn.name !== 'goOn');
    stack.rendering.meanwhile = undefined;
    const second = await create({ idempotency, title: 'second' });
    goOn();
    expect(await slow).toMatchObject({ kind: problems['idempotency-key.in-progress'] });
    expect(await counts()).toEqual(oneMore(before));
    const replayed = (await create({ idempotency })) satisfies RawReply;
    expect(replayed.body.equals(second.body)).toBe(true);
    expect((await outbox(stack.database)).at(-1)).toMatchObject({ payload: { title: 'second' } });
  });
});
