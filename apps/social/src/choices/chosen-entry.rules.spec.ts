import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { chooseEntries } from './chosen-entry.rules.js';

const pathOf = (index: number) => `body.choiceProducts.${index}`;
const rejectWith = (error: Error) => () => Promise.reject(error);

describe('chooseEntries()', () => {
  it('returns the entries in order, each with its path in the request', async () => {
    const choose = (entries: { productId: number }[]) =>
      Promise.resolve({ entries: entries.map(({ productId }) => ({ productId, itemVariantId: productId * 2 })) });
    expect(await chooseEntries([{ productId: 5 }, { productId: 3, itemVariantId: 6 }], pathOf, choose)).toEqual([
      { productId: 5, itemVariantId: 10, path: 'body.choiceProducts.0.productId' },
      { productId: 3, itemVariantId: 6, path: 'body.choiceProducts.1.productId' },
    ]);
  });

  it('does not call the catalog for an empty list', async () => {
    expect(await chooseEntries([], pathOf, rejectWith(new Error('was called')))).toEqual([]);
  });

  it('throws the error of the catalog with the paths of the request', async () => {
    const message = 'belongs to another item';
    const errors = [2, 13].map((index) => ({ path: `entries.${index}.itemVariantId`, message }));
    const rejection = new DomainError(
      problems['item-variant.not-of-item'],
      `entries.2.itemVariantId: ${message}, unlike entries.1.itemVariantId`,
      errors,
      { 'retry-after': '1' },
    );
    await expect(chooseEntries([{ productId: 5 }], pathOf, rejectWith(rejection))).rejects.toMatchObject({
      kind: problems['item-variant.not-of-item'],
      detail: `body.choiceProducts.2.itemVariantId: ${message}, unlike entries.1.itemVariantId`,
      errors: [
        { path: 'body.choiceProducts.2.itemVariantId', message },
        { path: 'body.choiceProducts.13.itemVariantId', message },
      ],
      headers: { 'retry-after': '1' },
    });
  });

  it('passes on a catalog error without paths', async () => {
    const down = new DomainError(problems['service.unavailable'], 'The catalog does not respond.');
    await expect(chooseEntries([{ productId: 5 }], pathOf, rejectWith(down))).rejects.toBe(down);
  });
});
