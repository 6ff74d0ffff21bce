import { blanksFolder, readCatalogFiles, type ValidContent } from '#blanks';
import { filesOfImport, removedParts, type StoredRows } from './item-import.rules.js';

const { items, ...lists } = readCatalogFiles(blanksFolder);
const mug = items.find(({ name }) => name === 'mug')!;
const [place] = mug.printPlaces;
const [variant] = mug.variants;
const own = { colors: [], sizes: [], categories: [], printPlaces: [] };

/** The mug in one color, with another place that has the name of a property of all objects. */
const item: ValidContent['item'] = {
  ...mug,
  printPlaces: [place!, { ...place!, name: 'constructor' }],
  variants: [{ ...variant!, printPlaceIds: undefined }],
};
const before: StoredRows['variants'][number] = {
  id: 7,
  colorId: lists.colors.find(({ name }) => name === variant!.color)!.id,
  color: variant!.color,
  sizeId: lists.sizes.find(({ name }) => name === variant!.size)!.id,
  size: variant!.size,
  printPlaceIds: { [place!.name]: 8 },
};

describe('a print place named constructor', () => {
  it('has an id of its own in a new version', () => {
    const stored = { ...lists, item: { id: 6 }, variants: [before] };
    const files = filesOfImport({ item, ...own }, stored, lists.printPlaces, () => 100);
    expect(files.items[0]!.variants[0]!.printPlaceIds).toEqual({ [place!.name]: 8, constructor: 100 });
  });

  it('is removed from a variant that does not list it', () => {
    const stored = {
      isEmbroidery: false,
      angles: [],
      places: [place!.name, 'constructor'],
      defaultPlace: place!.name,
    };
    const listed = { ...item, variants: [{ ...variant!, printPlaceIds: { [place!.name]: 8 } }] };
    const removed = removedParts(listed, stored, [{ ...before, printPlaceIds: { [place!.name]: 8, constructor: 9 } }]);
    expect(removed.map(({ path, place: name }) => [path, name])).toEqual([
      ['item.json:variants.0.printPlaceIds', 'constructor'],
    ]);
  });
});
