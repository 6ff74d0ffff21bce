import { events, type EventPayload } from '#contracts';
import { bodyOf, socialStack, type SocialStack } from '../testing/social-stack.js';

let stack: SocialStack;

beforeAll(async () => {
  stack = await socialStack();
  await stack.others.addProducts([1, 2, 3], stack.jiro);
});
afterAll(() => stack.close());
beforeEach(() => stack.database.query('delete from outbox'));

const create = async (...productIds: number[]) => {
  const choiceProducts = productIds.map((productId) => ({ productId }));
  const reply = await stack.choices.create({ viewerId: stack.taro, title: 'Light things', choiceProducts });
  return bodyOf('choices.create', reply).choice.id;
};
const target = (choiceId: number) => ({ viewerId: stack.taro, choiceId });

/** Returns the changes of a choice with their revisions, in the order of the outbox. */
const changesOf = async (choiceId: number) => {
  const rows = await stack.database.query<{ payload: EventPayload<'choice.updated'> }>(
    `select payload from outbox where name = 'choice.updated' order by seq`,
  );
  for (const { payload } of rows) {
    expect(events['choice.updated'].payload.strict().parse(payload)).toEqual(payload);
    expect(payload).toMatchObject({ choiceId, userId: stack.taro });
  }
  return rows.map(({ payload: { revision, changed } }) => [revision, ...changed]);
};

describe('choice.updated', () => {
  it('is appended for each kind of change, with the next revision', async () => {
    const choiceId = await create(1);
    await stack.choices.update({ ...target(choiceId), title: 'Heavy things', description: 'x', secret: false });
    await stack.choices.update({ ...target(choiceId), secret: true, choiceProducts: [{ productId: 2 }] });
    await stack.choices.add({ ...target(choiceId), productId: 3 });
    await stack.choices.moveFirst({ ...target(choiceId), productId: 2 });
    await stack.choices.remove({ ...target(choiceId), productId: 3 });
    await stack.choices.delete(target(choiceId));
    expect(await changesOf(choiceId)).toEqual([
      [1, 'created'],
      [2, 'title', 'description'],
      [3, 'secret', 'choiceProducts'],
      [4, 'choiceProducts'],
      [5, 'choiceProducts'],
      [6, 'choiceProducts'],
      [7, 'deleted'],
    ]);
  });

  it('is not appended when nothing changes', async () => {
    const choiceId = await create(1, 2);
    const same = { title: 'Light things', description: null, choiceProducts: [{ productId: 1 }, { productId: 2 }] };
    for (const wanted of [{}, same]) await stack.choices.update({ ...target(choiceId), ...wanted });
    for (const productId of [undefined, 2]) await stack.choices.add({ ...target(choiceId), productId });
    for (const productId of [undefined, 3]) await stack.choices.remove({ ...target(choiceId), productId });
    for (const productId of [1, 3]) await stack.choices.moveFirst({ ...target(choiceId), productId });
    expect(await changesOf(choiceId)).toEqual([[1, 'created']]);
  });

  it('has consecutive revisions for concurrent changes', async () => {
    const choiceId = await create();
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        n % 2
          ? stack.choices.update({ ...target(choiceId), title: `Title ${n}` })
          : stack.choices.add({ ...target(choiceId), productId: 1, itemVariantId: 11 + n }),
      ),
    );
    const revisions = (await changesOf(choiceId)).map(([revision]) => revision as number);
    expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 31 }, (_, n) => n + 1));
  });
});
