import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { chosenEntries } from './chosen-entry.rules.js';

const pathOf = (index: number) => `body.choiceProducts.${index}`;
const refusing = (error: Error) => () => Promise.reject(error);

describe('the entries of a choice', () => {
  it('are settled in order, each with its place in the request', async () => {
    const choose = (entries: { productId: number }[]) =>
      Promise.resolve({ entries: entries.map(({ productId }) => ({ productId, itemVariantId: productId * 2 })) });
    expect(await chosenEntries([{ productId: 5 }, { productId: 3, itemVariantId: 6 }], pathOf, choose)).toEqual([
      { productId: 5, itemVariantId: 10, path: 'body.choiceProducts.0.productId' },
      { productId: 3, itemVariantId: 6, path: 'body.choiceProducts.1.productId' },
    ]);
  });

  it('are not asked for when there are none', async () => {
    expect(await chosenEntries([], pathOf, refusing(new Error('was asked')))).toEqual([]);
  });

  it('are refused with the paths of the request', async () => {
    const message = 'belongs to another item';
    const errors = [2, 13].map((index) => ({ path: `entries.${index}.itemVariantId`, message }));
    const refusal = new DomainError(
      problems['item-variant.not-of-item'],
      `entries.2.itemVariantId: ${message}, unlike entries.1.itemVariantId`,
      errors,
      { 'retry-after': '1' },
    );
    await expect(chosenEntries([{ productId: 5 }], pathOf, refusing(refusal))).rejects.toMatchObject({
      kind: problems['item-variant.not-of-item'],
      detail: `body.choiceProducts.2.itemVariantId: ${message}, unlike entries.1.itemVariantId`,
      errors: [
        { path: 'body.choiceProducts.2.itemVariantId', message },
        { path: 'body.choiceProducts.13.itemVariantId', message },
      ],
      headers: { 'retry-after': '1' },
    });
  });

  it('fail as the catalog fails', async () => {
    const down = new DomainError(problems['service.unavailable'], 'Nobody answers.');
    await expect(chosenEntries([{ productId: 5 }], pathOf, refusing(down))).rejects.toBe(down);
  });
});
