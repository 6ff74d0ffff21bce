import { blanksFolder, readCatalogFiles } from '../items/item.files.js';
import { changedEntries, type ValidContent } from './bundle-content.js';

const { items, ...lists } = readCatalogFiles(blanksFolder);
const content: ValidContent = { item: items[0]!, colors: [], sizes: [], categories: [], printPlaces: [] };
const displayName = { ja: 'ライム', en: 'Lime' };
const changed = (own: Partial<ValidContent>) =>
  changedEntries({ ...content, ...own }, lists).map(({ path, message }) => `${path} ${message}`);

describe('changedEntries', () => {
  it('ignores new entries, and those with the same values in another order or with another id', () => {
    const [color] = lists.colors;
    const { name, rgb, displayName: names } = color!;
    const same = { displayName: { en: names.en, ja: names.ja }, rgb, name, id: 7 };
    const lime = { name: 'lime', displayName, rgb: '#a0e020' };
    expect(changed({ colors: [same, lime], categories: [...lists.categories] })).toEqual([]);
  });

  it.each<[string, Partial<ValidContent>, string]>([
    ['a color', { colors: [{ ...lists.colors[0]!, rgb: '#a0e020' }] }, 'colors.json:0'],
    ['a size', { sizes: [lists.sizes[1]!, { ...lists.sizes[0]!, displayName }] }, 'sizes.json:1'],
    ['a category', { categories: [{ ...lists.categories[0]!, displayOrder: 9_999 }] }, 'categories.json:0'],
    ['a print place', { printPlaces: [{ ...lists.printPlaces[0]!, displayName }] }, 'print-places.json:0'],
  ])('returns %s with other values', (_, own, path) => {
    expect(changed(own)).toEqual([`${path} is in the catalog with other values`]);
  });
});
