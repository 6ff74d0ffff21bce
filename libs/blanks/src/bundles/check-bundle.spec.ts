import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { blanksFolder, readCatalogFiles } from '../items/item.files.js';
import { checkBundle } from './check-bundle.js';
import { openBundle } from './open-bundle.js';

type Files = Map<string, Buffer>;

const { colors, sizes, categories, printPlaces } = readCatalogFiles(blanksFolder);
const vocabulary = { colors, sizes, categories, printPlaces };
const json = (content: unknown): Buffer => Buffer.from(JSON.stringify(content));
const flat = (side: number, value: number): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: { r: value, g: value, b: value } } })
    .toColourspace('b-w')
    .png()
    .toBuffer();

/** Returns the files of the T-shirt after a change. */
async function changed(change: (files: Files) => void | Promise<void>): Promise<Files> {
  const files = new Map(await openBundle(`${blanksFolder}/items/t-shirt`));
  await change(files);
  return files;
}

/** Returns the mistakes of the T-shirt after a change, each as one text. */
const mistakes = async (change: (files: Files) => void | Promise<void>): Promise<string[]> =>
  (await checkBundle(await changed(change), vocabulary)).errors.map(({ path, message }) => `${path} ${message}`);

/** Changes a JSON file. Any type, because the tests break it. */
const edit = (path: string, change: (content: any) => void) => (files: Files) => {
  const content = JSON.parse(files.get(path)!.toString());
  change(content);
  files.set(path, json(content));
};
const item = (change: (content: any) => void) => edit('item.json', change);

/** Changes the print coordinates of a node of the front: u and v times the scale. */
const node = (column: number, row: number, u: number, v: number) => (files: Files) => {
  const grid = Buffer.from(files.get('layers/front/uv.bin')!);
  const { cols } = JSON.parse(files.get('layers/front/layer.json')!.toString()).uv;
  grid.writeInt16LE(u, 4 * (row * cols + column));
  grid.writeInt16LE(v, 4 * (row * cols + column) + 2);
  files.set('layers/front/uv.bin', grid);
};

describe('checkBundle', () => {
  it.each(readdirSync(`${blanksFolder}/items`))('accepts the item that ships: %s', async (name) => {
    const { content, errors } = await checkBundle(await openBundle(`${blanksFolder}/items/${name}`), vocabulary);
    expect(errors).toEqual([]);
    expect(content?.item.name).toBe(name);
  });

  it('accepts an item without ids, with colors and sizes of its own', async () => {
    const withoutIds = item((it) => {
      delete it.id;
      delete it.exemplaryVariantId;
      it.variants = [{ color: 'lime', size: 'tiny', price: 1_000 }];
    });
    expect(
      await mistakes((files) => {
        withoutIds(files);
        files.set('colors.json', json([{ name: 'lime', displayName: { ja: 'ライム', en: 'Lime' }, rgb: '#a0e020' }]));
        files.set('sizes.json', json([{ name: 'tiny', displayName: { ja: '極小', en: 'Tiny' } }]));
      }),
    ).toEqual([]);
  });

  it('reports all mistakes at once', async () => {
    const reported = await mistakes((files) => {
      item((it) => {
        it.variants[0].price = -1;
      })(files);
      files.delete('icon.svg');
      files.set('layers/front/mask.PNG', Buffer.alloc(1));
    });
    expect(reported).toEqual(['item.json:variants.0.price must be 0 or more', 'icon.svg is missing']);
  });

  it.each<[string, (files: Files) => void | Promise<void>, string]>([
    ['without item.json', (files) => void files.delete('item.json'), 'item.json is missing'],
    ['with broken JSON', (files) => void files.set('item.json', Buffer.from('{')), 'item.json is not JSON'],
    ['with a typo', item((it) => (it.colour = 1)), 'item.json Unrecognized key: "colour"'],
    ['with an unknown color', item((it) => (it.variants[0].color = 'lime')), 'item.json:variants.0.color lime is not in colors.json'],
    ['with an unknown category', item((it) => (it.category = 'toys')), 'item.json:category toys is not in categories.json'],
    ['with an angle without layers', item((it) => it.angles.push({ name: 'side', printPlace: 'front', essential: false })), 'layers/side/layer.json is missing'],
    ['with layers without an angle', item((it) => it.angles.splice(1, 1)), 'layers/back/gloss.webp back is not in the angles of item.json'],
    ['with another print area', item((it) => (it.printPlaces[0].millimetres = { width: 330, height: 440 })), 'layers/front/layer.json:printArea is 300 x 400 mm, not the 330 x 440 mm of front'],
    ['with another aspect ratio', edit('layers/front/layer.json', (it) => (it.aspect = 1)), 'layers/front/layer.json:aspect 1 is not that of 300 x 400 mm, 0.750'],
    ['of another place', edit('layers/front/layer.json', (it) => (it.printPlace = 'back')), 'layers/front/layer.json shows back, not front of item.json'],
    ['with a missing image', (files) => void files.delete('layers/back/shade.webp'), 'layers/back/shade.webp is missing'],
    ['with a cut image', (files) => void files.set('layers/back/shade.webp', files.get('layers/back/shade.webp')!.subarray(0, 900)), 'layers/back/shade.webp is damaged'],
    ['with an image of another size', async (files) => void files.set('layers/back/mask.png', await flat(600, 255)), 'layers/back/mask.png is 600 x 600 pixels, not 1200 x 1200'],
    ['with an image of another kind', (files) => void files.set('layers/back/mask.png', Buffer.from('GIF89a, or a program')), 'layers/back/mask.png is not a PNG or WebP image'],
    ['with an empty mask', async (files) => void files.set('layers/back/mask.png', await flat(1_200, 0)), 'layers/back/mask.png covers only 0 % of the print area'],
    ['with a mask that tints nothing', async (files) => void files.set('layers/back/mask.png', await flat(1_200, 0)), 'layers/back/mask.png tints nothing, but variants have different colors'],
    ['with a grid that folds', node(30, 40, 12_000, 8_000), 'layers/front/uv.bin folds at column 30, row 40: the print would be mirrored there'],
    ['with a grid without a print', (files) => void files.set('layers/front/uv.bin', Buffer.alloc(files.get('layers/front/uv.bin')!.length, 0x80)), 'layers/front/uv.bin has no point of the print area'],
    ['with a cut grid', (files) => void files.set('layers/front/uv.bin', Buffer.alloc(8)), 'layers/front/uv.bin has 8 bytes, not 76 x 96 nodes of 4'],
    ['with a file that belongs to no part', (files) => void files.set('layers/front/mask.PNG', Buffer.alloc(1)), 'layers/front/mask.PNG is not a file of a bundle'],
    ['with an icon with a script', (files) => void files.set('icon.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><script>1</script></svg>')), 'icon.svg must not have the element script'],
    ['with an icon with an entity', (files) => void files.set('icon.svg', Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 64 64">&a;</svg>')), 'icon.svg must not have a DOCTYPE, entities, comments or processing instructions'],
    ['with an icon that loads a file', (files) => void files.set('icon.svg', Buffer.from('<svg viewBox="0 0 64 64"><use href="/other.svg#a"/></svg>')), 'icon.svg must not refer to other files'],
    ['with an icon with an event handler', (files) => void files.set('icon.svg', Buffer.from('<svg viewBox="0 0 64 64"><g onload="x()"/></svg>')), 'icon.svg must not have event handlers'],
    ...(
      [
        ['<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script>', 'must not have the element x:script'],
        ['<object data="x"/>', 'must not have the element object'],
        ['<g style="fill:&#117;rl(http://a)"/>', 'must not have entities or escapes'],
        ['<g style="fill:u\\72l(x)"/>', 'must not have entities or escapes'],
        ['<g fill="url(//a/b)"/>', 'must not refer to other files'],
        ['<use xlink:href="data:image/svg+xml,x"/>', 'must not refer to other files'],
        ['<g x:onload="1"/>', 'must not have the attribute x:onload'],
        [`<g onload${' '.repeat(99)}="1"/>`, 'must not have event handlers'],
        ['<path d="M0 0', 'cannot be drawn, or is larger than 64 x 64'],
      ] as const
    ).map(([body, message]): [string, (files: Files) => void, string] => [
      `with an icon with ${body}`,
      (files) =>
        void files.set('icon.svg', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${body}</svg>`)),
      `icon.svg ${message}`,
    ]),
    ['with a color twice', (files) => void files.set('colors.json', json([...Array(2)].map(() => ({ name: 'lime', displayName: { ja: 'ラ', en: 'L' }, rgb: '#a0e020' })))), 'colors.json:1.name lime appears twice'],
  ])('rejects an item %s', async (_, change, message) => {
    expect(await mistakes(change)).toContain(message);
  });
});
