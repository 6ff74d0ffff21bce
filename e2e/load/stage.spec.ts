import { Random } from './random.js';
import { Stage } from './stage.js';

const users = [1, 2].map((id) => ({ id, name: `user-${id}`, apiKey: `key ${id}` }));
const [owner, other] = users as [(typeof users)[0], (typeof users)[0]];
const product = (id: number) => ({ id, itemId: 10, published: true, resizeMode: null, sampleImageUrl: '' });
const never = new Promise<void>(() => undefined);

let stage: Stage;
beforeEach(() => {
  stage = new Stage(new Random(1));
  stage.add({ id: 3, user: owner, products: [product(30)] });
});

it('does not return a material that is being written', async () => {
  const material = stage.oldestOf(owner)!;
  let end = (): void => undefined;
  const written = stage.whileWritten(material, () => new Promise((resolve) => (end = resolve)));
  expect([stage.oldestOf(owner), stage.anyChangeable(), stage.any(), stage.anyPairForFavorite(other)]).toEqual(
    Array(4).fill(undefined),
  );
  expect(stage.mayBeDeleted(3)).toBe(true);
  end();
  await written;
  expect(stage.oldestOf(owner)).toBe(material);
  expect(stage.mayBeDeleted(3)).toBe(false);
});

it('returns a material with a product of an item', () => {
  expect(stage.anyChangeable(10)?.id).toBe(3);
  expect(stage.anyChangeable(11)).toBeUndefined();
});

it('returns a material for a change but not for deletion while a favorite of it is written', () => {
  void stage.whilePairWritten(stage.anyPairForFavorite(other)!, () => never);
  expect(stage.oldestOf(owner)).toBeUndefined();
  expect(stage.anyChangeable()).toBeDefined();
});

it('returns a favorite to one writer, and favorites of other users to others', () => {
  void stage.whilePairWritten(stage.anyPairForFavorite(other)!, () => never);
  expect(stage.anyPairForFavorite(other)).toBeUndefined();
  expect(stage.anyPairForFavorite(owner)?.key).toBe('1/30');
});

it('excludes resources that an attempt without a response may still change', async () => {
  const pair = stage.anyPairForFavorite(other)!;
  await stage.whilePairWritten(pair, () => Promise.resolve());
  expect(stage.anyPairForFavorite(other)).toBe(pair);
  pair.isUncertain = true;
  expect(stage.anyPairForFavorite(other)).toBeUndefined();
  stage.any()!.isUncertain = true;
  expect(stage.anyChangeable()).toBeUndefined();
  // A deletion is final
  expect(stage.mayBeDeleted(3)).toBe(false);
});

it('counts materials in creation, and not removed ones', () => {
  stage.beginMaking(owner);
  expect(stage.countOf(owner)).toBe(2);
  stage.endMaking(owner);
  stage.remove(stage.any()!);
  expect(stage.countOf(owner)).toBe(0);
});

it('removes the favorites of a removed material', async () => {
  const pair = stage.anyPairForFavorite(other)!;
  await stage.whilePairWritten(pair, () => Promise.resolve());
  pair.isPlaced = true;
  expect(stage.countPlaced(other)).toBe(1);
  stage.remove(pair.material);
  expect(stage.countPlaced(other)).toBe(0);
});
