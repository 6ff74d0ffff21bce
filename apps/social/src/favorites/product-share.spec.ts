import { problems } from '#contracts';
import { ProductShare } from './product-share.js';

/** Writes of products that have not ended, and how many were rejected. */
function fill(share: ProductShare) {
  const ends: (() => void)[] = [];
  const running = new Map<number, number>();
  const begin = (productId: number) =>
    share
      .run(productId, () => {
        running.set(productId, (running.get(productId) ?? 0) + 1);
        return new Promise<void>((resolve) => ends.push(resolve));
      })
      .catch((error: unknown) => expect(error).toMatchObject({ kind: problems['service.overloaded'] }));
  return { running, begin, endAll: () => ends.splice(0).forEach((end) => end()) };
}

it('gives a popular product half of the slots, and always one to another', () => {
  const { running, begin } = fill(new ProductShare(64));
  for (let n = 0; n < 100; n += 1) void begin(1);
  expect(running).toEqual(new Map([[1, 32]]));
  for (let n = 0; n < 100; n += 1) for (const id of [1, 2, 3]) void begin(id);
  expect([...running.values()].reduce((sum, count) => sum + count)).toBeLessThan(64);
  void begin(4);
  expect(running.get(4)).toBe(1);
});

it('gives the slots back, also a single one', async () => {
  const { running, begin, endAll } = fill(new ProductShare(1));
  for (let n = 1; n <= 3; n += 1) {
    const ended = begin(1);
    expect(running.get(1)).toBe(n);
    endAll();
    await ended;
  }
});
