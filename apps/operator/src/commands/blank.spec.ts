import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { blank } from './blank.js';
import { type Report } from '../command-line/command.js';

it('shows an item as tables', async () => {
  const item = {
    id: 7,
    name: 'tall-mug',
    version: 2,
    enabled: false,
    products: 3,
    displayName: { ja: 'マグ', en: 'Tall\u{1b}mug' },
    category: 'mugs',
    variants: [{ color: 'white', size: 'one-size', price: 1_200 }],
    printPlaces: [{ name: 'outside', price: 250, width: 161, height: 65.4 }],
    angles: [{ name: 'front', printPlace: 'outside', essential: true }],
    layers: 'c'.repeat(64),
  };
  const clients = { of: () => ({ call: () => Promise.resolve(item) }) };
  const report = (await blank['show']!.run(clients as never, { name: 'tall-mug' })) as Report;
  expect(report.data).toEqual({ item });
  expect(report.text.split('\n').filter(Boolean)).toEqual([
    'item  name      version  variants  products  state',
    '7     tall-mug  2        1         3         retired',
    'マグ (ja), Tall mug (en). Category: mugs.',
    `Layers: ${item.layers}`,
    'place    price  area',
    'outside  250    161 x 65.4 mm',
    'angle  place    essential',
    'front  outside  yes',
    'color  size      price',
    'white  one-size  1200',
  ]);
});

describe('with a bundle', () => {
  let folder: string;
  const path = () => join(folder, 'bundle');
  const run = async (name: string, flags: object = {}, clients: object = {}) =>
    (await blank[name]!.run(clients as never, { path: path(), ...flags })) as Report;
  const write = (file: string, content: unknown) => writeFileSync(join(path(), file), JSON.stringify(content));
  const item = () => JSON.parse(readFileSync(join(path(), 'item.json'), 'utf8')) as { variants: { color: string }[] };
  const white = readCatalogFiles(blanksFolder).colors.find(({ name }) => name === 'white')!;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'blank-'));
    cpSync(`${blanksFolder}/items/sticker`, path(), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('notes what ships with another form, without rejecting it', async () => {
    write('colors.json', [{ ...white, rgb: '#ff0000' }]);
    const { text, data, isGood } = await run('check');
    expect(isGood).toBe(true);
    expect(text.split('\n').slice(1)).toEqual([
      'Note: item.json:name: sticker is an item that ships with the service. An import accepts it only if it is yours.',
      'Note: colors.json:0: is in the catalog with other values. An import accepts it only if it is yours.',
    ]);
    expect(data).toMatchObject({ errors: [], notes: [{ path: 'item.json:name' }, { path: 'colors.json:0' }] });
  });

  it('draws the colors of the bundle, not those of the same name that ship', async () => {
    const [variant] = item().variants;
    write('item.json', { ...item(), variants: [{ ...variant, color: 'white' }] });
    const sheet = async (out: string) => {
      await run('preview', { out: join(folder, out), size: 64 });
      return readFileSync(join(folder, out));
    };
    const shipped = await sheet('shipped.png');
    write('colors.json', [{ ...white, rgb: '#ff0000' }]);
    expect((await sheet('own.png')).equals(shipped)).toBe(false);
  });
});
