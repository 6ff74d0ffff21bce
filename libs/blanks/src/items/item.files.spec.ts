import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError, type FieldError } from '#kernel';
import { blanksFolder, readCatalogFiles } from './item.files.js';
import { type Printing } from './item-file.schema.js';

type Json = Record<string, any>;

/** Edits a copy of the shipped files and returns the errors of reading it. */
function errorsAfter(editFiles: (folder: string) => void): readonly FieldError[] {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-files-'));
  try {
    cpSync(blanksFolder, folder, { recursive: true });
    editFiles(folder);
    readCatalogFiles(folder);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.kind.code).toBe('catalog.invalid');
    return error.errors!;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a function that edits the content of one file. */
const edited = (file: string, edit: (content: any) => void) => (folder: string) => {
  const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  edit(content);
  writeFileSync(join(folder, file), JSON.stringify(content));
};

const at = 'printPlaces.0.printing';
const printing = (change: Partial<Printing>) => (item: Json) => Object.assign(item.printPlaces[0].printing, change);
const mug = (edit: (item: Json) => void) => errorsAfter(edited('items/mug/item.json', edit));

describe('the shipped catalog files', () => {
  const files = readCatalogFiles(blanksFolder);
  const variants = files.items.flatMap((item) => item.variants.map((variant) => ({ ...variant, item: item.name })));

  it('are valid and contain 22 items', () => {
    expect(files.items).toHaveLength(22);
  });

  it.each([
    [1, 't-shirt', 'white', 's', 2200],
    [103, 't-shirt', 'black', 'xxxl', 2600],
    [431, 't-shirt', 'red', '150', 2000],
    [752, 't-shirt', 'oatmeal', 'gm', 2200],
    [606, 'sticker', 'white', 'm', 466],
    [842, 'sacoche', 'natural', 'm', 1800],
    [843, 'sacoche', 'black', 'm', 1800],
    [1952, 'acrylic-keychain', 'clear', '50x50mm', 780],
  ])('have the stable variant id %i of %s %s %s', (id, item, color, size, price) => {
    expect(variants.find((variant) => variant.id === id)).toMatchObject({ item, color, size, price });
  });

  it('allow cover on phone cases, notebooks and full-graphic T-shirts only', () => {
    const covered = files.items.filter(({ resizeModes }) => resizeModes.includes('cover')).map(({ name }) => name);
    expect(covered.sort()).toEqual(['full-graphic-t-shirt', 'note', 'smartphone-case']);
    expect(files.items.every(({ resizeModes }) => resizeModes.includes('contain'))).toBe(true);
  });

  it('print the default place without a surcharge', () => {
    const defaults = files.items.map((item) => item.printPlaces.find(({ name }) => name === item.defaultPrintPlace));
    expect(defaults.every((place) => place?.price === 0)).toBe(true);
  });

  it.each(['t-shirt', 'big-t-shirt', 'long-sleeve-t-shirt'])('have at least twelve colors of the %s', (name) => {
    const colors = variants.filter(({ item }) => item === name).map(({ color }) => color);
    expect(new Set(colors).size).toBeGreaterThanOrEqual(12);
  });

  it('describe every angle, and show as extra angles close-ups, worn items and the end of a print', () => {
    const extra: string[] = [];
    for (const { name: item, angles, imageDescriptions } of files.items) {
      expect(imageDescriptions).toHaveLength(angles.length);
      for (const { name, essential, wearing = false } of angles) {
        if (!essential) extra.push(`${item}/${name}`);
        else expect({ name, wearing }).toEqual({ name: expect.not.stringMatching('close-up'), wearing: false });
      }
    }
    expect(extra.filter((it) => !/\/(?:close-up|front-wearing)$/.test(it))).toEqual(['mug/left']);
  });

  it('have an icon for every item', () => {
    for (const { name } of files.items) {
      expect(readFileSync(join(blanksFolder, 'items', name, 'icon.svg'), 'utf8')).toMatch(
        /^<svg .*viewBox="0 0 64 64"/,
      );
    }
  });
});

describe('readCatalogFiles', () => {
  it('returns no errors of unedited files', () => {
    expect(errorsAfter(() => undefined)).toEqual([]);
  });

  it('reports all errors at once, with file and path', () => {
    const errors = errorsAfter((folder) => {
      edited('colors.json', (colors) => (colors[1].id = 1))(folder);
      edited('items/mug/item.json', (item) => (item.variants[0].price = -1))(folder);
      edited('items/note/item.json', (item) => (item.colour = 'typo'))(folder);
      edited('items/sticker/item.json', (item) => (item.variants[0].color = 'invisible'))(folder);
      writeFileSync(join(folder, 'items/cushion/item.json'), '{');
    });
    expect(errors.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'items/cushion/item.json is not JSON',
      'items/mug/item.json:variants.0.price must be 0 or more',
      'items/note/item.json Unrecognized key: "colour"',
      'colors.json:1.id 1 appears twice',
      'items/sticker/item.json:variants.0.color invisible is not in colors.json',
    ]);
  });

  it('does not check references to an unreadable file', () => {
    const errors = errorsAfter((folder) => rmSync(join(folder, 'colors.json')));
    expect(errors).toEqual([{ path: 'colors.json', message: 'cannot be read (ENOENT)' }]);
  });

  it.each<[string, (item: Json) => void, string, string]>([
    ['a name other than that of the folder', (it) => (it.name = 'cup'), 'name', 'cup is not the name of the folder'],
    ['an unknown category', (it) => (it.category = 'ships'), 'category', 'ships is not in categories.json'],
    ['an unknown exemplary variant', (it) => (it.exemplaryVariantId = 9), 'exemplaryVariantId', '9 is not in variants'],
    [
      'a disabled exemplary variant',
      (it) => (it.variants[0].enabled = false),
      'exemplaryVariantId',
      '3001 is not enabled',
    ],
    [
      'an unknown default place',
      (it) => (it.defaultPrintPlace = 'back'),
      'defaultPrintPlace',
      'back is not in printPlaces',
    ],
    [
      'a place without a display name',
      (it) => (it.printPlaces[0].name = 'inside'),
      'printPlaces.0.name',
      'inside is not in print-places.json',
    ],
    [
      'an area with another aspect ratio',
      (it) => (it.printPlaces[0].pixels.height = 1300),
      'printPlaces.0.pixels',
      'has another aspect ratio than millimetres',
    ],
    [
      'an area two pixels too high',
      (it) => (it.printPlaces[0].pixels.height += 2),
      'printPlaces.0.pixels',
      'has another aspect ratio than millimetres',
    ],
    [
      'an unknown technique',
      (it) => (it.printPlaces[0].printing.technique = 'fax'),
      `${at}.technique`,
      'must be direct-to-garment, sublimation, uv, digital, embroidery',
    ],
    ['too large a bleed', printing({ bleed: 32.7 }), `${at}.bleed`, 'is larger than the area'],
    ['no room inside the safe zone', printing({ safeZone: 32.7 }), `${at}.safeZone`, 'covers the whole area'],
    ['a resolution above that of pixels', printing({ dpi: 490 }), `${at}.dpi`, 'is higher than that of pixels'],
    [
      'embroidery of a printed item',
      printing({ technique: 'embroidery' }),
      `${at}.technique`,
      'must not be embroidery',
    ],
    [
      'a seam outside of the area',
      printing({ hidden: [{ x: 160, y: 0, width: 2, height: 5 }] }),
      `${at}.hidden.0`,
      'is outside of the area',
    ],
    ['a mirrored direct print', printing({ technique: 'uv' }), `${at}.mirror`, 'is for sublimation only'],
    [
      'white below CMYK',
      printing({ colorSpace: 'cmyk', whiteUnderbase: 'always' }),
      `${at}.whiteUnderbase`,
      'needs an alpha channel, which only rgb has',
    ],
    ['a duplicate angle', (it) => (it.angles[1].name = 'front'), 'angles.1.name', 'front appears twice'],
    [
      'an angle of an unknown place',
      (it) => (it.angles[2].printPlace = 'back'),
      'angles.2.printPlace',
      'back is not in printPlaces',
    ],
    [
      'an essential angle of the worn item',
      (it) => (it.angles[0].wearing = true),
      'angles.0.wearing',
      'is for angles that are not essential',
    ],
    ['no angle', (it) => (it.angles = []), 'angles', 'the first essential angle must show outside'],
    ['an unknown color', (it) => (it.variants[1].color = 'pink'), 'variants.1.color', 'pink is not in colors.json'],
    ['an unknown size', (it) => (it.variants[1].size = 'huge'), 'variants.1.size', 'huge is not in sizes.json'],
    ['a duplicate combination', (it) => (it.variants[1].color = 'white'), 'variants.1', 'white/m appears twice'],
    [
      'a place of another item',
      (it) => (it.variants[1].printPlaceIds.back = 1),
      'variants.1.printPlaceIds.back',
      'is not in printPlaces',
    ],
    [
      'no default place',
      (it) => (it.variants[1].printPlaceIds = {}),
      'variants.1.printPlaceIds',
      'lacks the default place outside',
    ],
    [
      'a duplicate print place id',
      (it) => (it.variants[1].printPlaceIds.outside = 30011),
      'variants.1.printPlaceIds',
      '30011 appears twice',
    ],
  ])('reports %s', (_, edit, path, message) => {
    expect(mug(edit)).toContainEqual({ path: `items/mug/item.json:${path}`, message });
  });

  it('reports the second item with the same item id or variant id', () => {
    const errors = mug((it) => {
      it.id = 11;
      it.variants[1].id = 606;
    });
    expect(errors).toEqual([
      { path: 'items/sticker/item.json:id', message: '11 is the id of another item' },
      { path: 'items/sticker/item.json:variants.0.id', message: '606 appears twice' },
    ]);
  });
});
