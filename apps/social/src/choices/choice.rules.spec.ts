import { changedFields, sameEntries } from './choice.rules.js';

const stored = { title: 'Light things', description: null, bannerUrl: null, secret: false };

it('a field changes with another value only', () => {
  expect(changedFields(stored, {})).toEqual([]);
  expect(changedFields(stored, { ...stored, bannerUrl: undefined })).toEqual([]);
  expect(changedFields(stored, { title: 'Heavy things', description: 'x', bannerUrl: null, secret: true })).toEqual([
    'title',
    'description',
    'secret',
  ]);
  expect(changedFields({ ...stored, description: 'x' }, { description: null })).toEqual(['description']);
});

it('entries change with their order and variant, not with repetitions', () => {
  const [a, b, other] = [
    { productId: 1, itemVariantId: 11 },
    { productId: 2, itemVariantId: 11 },
    { productId: 1, itemVariantId: 12 },
  ] as const;
  expect(sameEntries([a, b], [a, b, a])).toBe(true);
  expect(sameEntries([a, b], [b, a])).toBe(false);
  expect(sameEntries([a], [other])).toBe(false);
  expect(sameEntries([a], [])).toBe(false);
});
