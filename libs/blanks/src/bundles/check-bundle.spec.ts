import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { blanksFolder, readCatalogFiles } from '../items/item.files.js';
import { checkBundle } from './check-bundle.js';
import { openBundle } from './open-bundle.js';

type Files = Map<string, Buffer>;

const vocabulary = readCatalogFiles(blanksFolder);
const json = (content: unknown): Buffer => Buffer.from(JSON.stringify(content));
const plane = (side: number, value: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: { r: value, g: value, b: value } } });
const flat = (side: number, value: number): Promise<Buffer> => plane(side, value).toColourspace('b-w').png().toBuffer();
/** Returns an icon with a body, or the body alone when it begins with `<?` or `<!`. */
const icon = (body: string) => (files: Files) =>
  void files.set('icon.svg', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${body}</svg>`));
/** Returns definitions, of which each shows the next one twice. */
const nested = (name: string, count: number): string => {
  const of = (level: number) =>
    `${name === 'clipPath' ? 'clip-path' : name === 'mask' ? 'mask' : 'fill'}="url(#s${level})"`;
  const shown = (level: number) => `<rect width="64" height="64" ${of(level)}/>`.repeat(2);
  const definitions = Array.from(
    { length: count },
    (_, level) => `<${name} id="s${level}">${shown(level + 1)}</${name}>`,
  );
  return definitions.join('') + shown(0);
};
const text = (path: string, content: string) => (files: Files) => void files.set(path, Buffer.from(content));
/** Replaces a number of a JSON file by a text that JSON.stringify cannot write. */
const number = (path: string, key: string, value: string) => (files: Files) =>
  void files.set(
    path,
    Buffer.from(
      files
        .get(path)!
        .toString()
        .replace(new RegExp(`("${key}":\\s*)[-.\\d]+`), `$1${value}`),
    ),
  );
const lime = { name: 'lime', displayName: { ja: 'ライム', en: 'Lime' }, rgb: '#a0e020' };

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

/** Changes u and v of all nodes of the front, in parts of the print area. */
const nodes = (change: (u: number, v: number) => [u: number, v: number]) => (files: Files) => {
  const { scale, outside } = JSON.parse(files.get('layers/front/layer.json')!.toString()).uv;
  const grid = Buffer.from(files.get('layers/front/uv.bin')!);
  for (let at = 0; at < grid.length; at += 4) {
    if (grid.readInt16LE(at) === outside) continue;
    const changed = change(grid.readInt16LE(at) / scale, grid.readInt16LE(at + 2) / scale);
    grid.writeInt16LE(Math.round(changed[0] * scale), at);
    grid.writeInt16LE(Math.round(changed[1] * scale), at + 2);
  }
  files.set('layers/front/uv.bin', grid);
};

/** Adds an angle that shows a square of the front. */
const closeUp = (x: number, y: number, size: number) => (files: Files) => {
  item((it) => it.angles.push({ name: 'collar', printPlace: 'front', essential: true }))(files);
  const crop = { x, y, size };
  files.set('layers/collar/layer.json', json({ item: 't-shirt', angle: 'collar', of: 'front', crop }));
};
const noPrint = 'layers/collar/layer.json:crop shows no print: move it to where front is printed';

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
        files.set('colors.json', json([lime]));
        files.set('sizes.json', json([{ name: 'tiny', displayName: { ja: '極小', en: 'Tiny' } }]));
      }),
    ).toEqual([]);
  });

  it('accepts an icon with gradients, a clip path, and shapes that are used several times', async () => {
    const drawing =
      '<linearGradient id="a"><stop stop-color="red"/></linearGradient><linearGradient id="b" href="#a"/>' +
      '<g id="c"><path d="M9 9h9v9" fill="url(#b)"/></g><clipPath id="d"><circle r="40"/></clipPath>' +
      '<g id="e" clip-path="url(#d)"><use href="#c"/><use href="#c" x="20"/></g>';
    expect(await mistakes(icon(drawing))).toEqual([]);
  });

  it('reports all mistakes at once, in all files', async () => {
    const reported = await mistakes((files) => {
      item((it) => {
        it.variants[0].price = -1;
        it.angles[1].essential = 'yes';
      })(files);
      files.delete('icon.svg');
      files.set('sizes.json', Buffer.from('['));
      files.set('colors.json', json([{ ...lime, rgb: 'lime' }]));
      files.set('layers/front/mask.PNG', Buffer.alloc(1));
      files.delete('layers/back/uv.bin');
      files.set('layers/front/gloss.webp', Buffer.alloc(99));
    });
    expect(reported).toEqual([
      'sizes.json is not JSON',
      'item.json:angles.1.essential must be a boolean',
      'item.json:variants.0.price must be 0 or more',
      'colors.json:0.rgb must be #rrggbb in lower case',
      'icon.svg is missing',
      'layers/front/mask.PNG is not a file of a bundle',
      'layers/back/uv.bin is missing',
      'layers/front/gloss.webp is not a PNG or WebP image',
    ]);
  });

  it.each<[string, (files: Files) => void, string]>([
    ['is missing', (files) => void files.delete('item.json'), 'item.json is missing'],
    ['is no JSON', text('item.json', '{'), 'item.json is not JSON'],
    ['is a list', text('item.json', '[]'), 'item.json must be an object'],
    ['has no angles', item((it) => delete it.angles), 'item.json:angles is required'],
    ['has an angle without a name', item((it) => delete it.angles[0].name), 'item.json:angles.0.name is required'],
  ])('reports layers of all folders when item.json %s', async (_, change, message) => {
    const damage = (files: Files): void => {
      change(files);
      files.set('layers/back/mask.png', Buffer.alloc(99));
    };
    expect(await mistakes(damage)).toEqual([message, 'layers/back/mask.png is not a PNG or WebP image']);
  });

  it('accepts other values than those of the catalog, which an import compares', async () => {
    const other = { ...lime, name: vocabulary.colors[0]!.name };
    expect(await mistakes((files) => void files.set('colors.json', json([other])))).toEqual([]);
  });

  const folder = 'layers/front';
  it.each<[string, (files: Files) => void | Promise<void>, string]>([
    ['with a typo', item((it) => (it.colour = 1)), 'item.json Unrecognized key: "colour"'],
    ['with a price below 0', item((it) => (it.variants[0].price = -1)), 'item.json:variants.0.price must be 0 or more'],
    [
      'with a price of Infinity',
      number('item.json', 'price', '1e999'),
      'item.json:printPlaces.0.price must be an integer',
    ],
    ['with a price of NaN', number('item.json', 'price', 'NaN'), 'item.json is not JSON'],
    [
      'with 501 variants',
      item((it) => (it.variants = Array(501).fill(it.variants[0]))),
      'item.json:variants Too big: expected array to have <=500 items',
    ],
    [
      'with a prototype',
      (files) => void files.set('colors.json', Buffer.from(JSON.stringify([lime]).replace('{', '{"__proto__":{},'))),
      'colors.json:0 Unrecognized key: "__proto__"',
    ],
    [
      'with an unknown color',
      item((it) => (it.variants[0].color = 'lime')),
      'item.json:variants.0.color lime is not in colors.json',
    ],
    [
      'with an unknown category',
      item((it) => (it.category = 'toys')),
      'item.json:category toys is not in categories.json',
    ],
    [
      'with a color twice',
      (files) => void files.set('colors.json', json([lime, lime])),
      'colors.json:1.name lime appears twice',
    ],
    [
      'with an angle without layers',
      item((it) => it.angles.push({ name: 'side', printPlace: 'front', essential: false })),
      'layers/side/layer.json is missing',
    ],
    [
      'with a default place named constructor that a variant does not have',
      (files) => {
        item((it) => {
          it.printPlaces.push({ ...it.printPlaces[0], name: 'constructor' });
          it.defaultPrintPlace = 'constructor';
          it.angles = [{ name: 'front', printPlace: 'constructor', essential: true }];
          it.variants = [it.variants[0]];
          it.exemplaryVariantId = it.variants[0].id;
        })(files);
        for (const path of files.keys()) if (/^layers\/(?!front\/)/.test(path)) files.delete(path);
        edit('layers/front/layer.json', (it) => (it.printPlace = 'constructor'))(files);
        files.set('print-places.json', json([{ name: 'constructor', displayName: lime.displayName }]));
      },
      'item.json:variants.0.printPlaceIds lacks the default place constructor',
    ],
    [
      'with another print area',
      item((it) => (it.printPlaces[1].millimetres = { width: 270, height: 360 })),
      'layers/back/layer.json:printArea is 300 x 400 mm, not the 270 x 360 mm of back',
    ],
    [
      'with another aspect ratio',
      edit(`${folder}/layer.json`, (it) => (it.aspect = 1)),
      `${folder}/layer.json:aspect 1 is not that of 300 x 400 mm, 0.750`,
    ],
    ['with an area of NaN', number(`${folder}/layer.json`, 'aspect', 'NaN'), `${folder}/layer.json is not JSON`],
    [
      'with an aspect ratio of Infinity',
      number(`${folder}/layer.json`, 'aspect', '1e999'),
      `${folder}/layer.json:aspect must be a number`,
    ],
    [
      'of another place',
      edit('layers/back/layer.json', (it) => (it.printPlace = 'front')),
      'layers/back/layer.json shows front, not back of item.json',
    ],
    [
      'with layers of another item',
      edit(`${folder}/layer.json`, (it) => (it.item = 'mug')),
      `${folder}/layer.json declares itself as mug/front`,
    ],
    [
      'with a master of 10,000 pixels',
      edit(`${folder}/layer.json`, (it) => (it.width = it.height = 10_000)),
      `${folder}/layer.json:width must be 2400 or less`,
    ],
    [
      'with a missing image',
      (files) => void files.delete('layers/back/shade.webp'),
      'layers/back/shade.webp is missing',
    ],
    [
      'with a cut image',
      (files) => void files.set('layers/back/shade.webp', files.get('layers/back/shade.webp')!.subarray(0, 900)),
      'layers/back/shade.webp is damaged',
    ],
    [
      'with a cut mask',
      (files) => void files.set('layers/back/mask.png', files.get('layers/back/mask.png')!.subarray(0, -2_000)),
      'layers/back/mask.png is damaged',
    ],
    [
      'with an image of another size',
      async (files) => void files.set('layers/back/mask.png', await flat(600, 255)),
      'layers/back/mask.png is 600 x 600 pixels, not 1600 x 1600',
    ],
    [
      'with ink of another size',
      async (files) => void files.set('layers/back/ink.png', await flat(600, 255)),
      'layers/back/ink.png is 600 x 600 pixels, not 1600 x 1600',
    ],
    [
      'with ink nowhere',
      async (files) => void files.set('layers/back/ink.png', await flat(1_600, 0)),
      'layers/back/ink.png covers only 0 % of the print area',
    ],
    [
      'with ink beside the item',
      async (files) => void files.set('layers/back/ink.png', await flat(1_600, 255)),
      'layers/back/ink.png has ink where mask.png has no item, at 0,0',
    ],
    [
      'with an image of 64 megapixels',
      async (files) => void files.set('layers/back/mask.png', await flat(8_000, 255)),
      'layers/back/mask.png is 8000 x 8000 pixels, not 1600 x 1600',
    ],
    [
      'with an image of 16 bits',
      async (files) =>
        void files.set('layers/back/mask.png', await plane(1_600, 255).toColourspace('grey16').png().toBuffer()),
      'layers/back/mask.png must have 8 bits per channel',
    ],
    [
      'with an image of another kind',
      text('layers/back/mask.png', 'GIF89a, or a program'),
      'layers/back/mask.png is not a PNG or WebP image',
    ],
    [
      'with an SVG as an image',
      text('layers/back/shade.webp', '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1200"/>'),
      'layers/back/shade.webp is not a PNG or WebP image',
    ],
    [
      'with layers of 17 MB',
      (files) =>
        void files.set(
          'layers/back/mask.png',
          Buffer.concat([files.get('layers/back/mask.png')!, Buffer.alloc(17 * 1024 ** 2)]),
        ),
      expect.stringMatching(/^layers have 17\.\d MB in memory, and must have 16\.0 or less$/),
    ],
    [
      'with an empty mask',
      async (files) => void files.set('layers/back/mask.png', await flat(1_600, 0)),
      'layers/back/mask.png tints nothing, but variants have different colors',
    ],
    [
      'of one color with an empty mask',
      async (files) => {
        item((it) => {
          it.variants = [it.variants[0]];
          it.exemplaryVariantId = it.variants[0].id;
        })(files);
        files.set('layers/back/mask.png', await flat(1_600, 0));
      },
      'layers/back/mask.png covers only 0 % of the print area',
    ],
    [
      'of several colors with clear layers',
      edit(`${folder}/layer.json`, (it) => (it.clear = true)),
      `${folder}/layer.json:clear is for variants of one color`,
    ],
    [
      'with a grid that folds',
      node(30, 40, 12_000, 8_000),
      `${folder}/uv.bin folds at column 30, row 40: the print would be mirrored there`,
    ],
    [
      'with a grid that is mirrored beside its edge',
      nodes((u, v) => [0.19 * (1 - u), v]),
      expect.stringMatching(/^layers\/front\/uv\.bin folds at column \d, row \d: the print would be mirrored there$/),
    ],
    [
      'with a grid of zeros',
      (files) => void files.set(`${folder}/uv.bin`, Buffer.alloc(files.get(`${folder}/uv.bin`)!.length)),
      `${folder}/uv.bin has the same u and v at adjacent nodes: u must increase to the right, v downwards`,
    ],
    [
      'with a grid of one column of the print',
      nodes((_, v) => [0.1, v]),
      `${folder}/uv.bin has the same u and v at adjacent nodes: u must increase to the right, v downwards`,
    ],
    [
      'with a grid of 30 pixels',
      edit(`${folder}/layer.json`, (it) => Object.assign(it.uv, { x0: 600, y0: 500, step: 0.5 })),
      `${folder}/uv.bin has a print on less than 0.1 % of the image: enlarge the grid`,
    ],
    ['with a close-up beside the item', closeUp(0, 0, 150), noPrint],
    ['with a close-up of a part without print', closeUp(560, 120, 60), noPrint],
    [
      'with a close-up of a flat part',
      (files) => {
        nodes((u, v) => [Math.max(0.06, u), v])(files);
        closeUp(400, 300, 60)(files);
      },
      noPrint,
    ],
    [
      'with a grid without a print',
      (files) => void files.set(`${folder}/uv.bin`, Buffer.alloc(files.get(`${folder}/uv.bin`)!.length, 0x80)),
      `${folder}/uv.bin has no point of the print area`,
    ],
    [
      'with a grid beside the image',
      edit(`${folder}/layer.json`, (it) => (it.uv.x0 = 5_000)),
      `${folder}/uv.bin has no point of the print area`,
    ],
    [
      'with a grid at infinity',
      number(`${folder}/layer.json`, 'x0', '-1e999'),
      `${folder}/layer.json:uv.x0 must be a number`,
    ],
    [
      'with a grid of 2,000 columns',
      edit(`${folder}/layer.json`, (it) => (it.uv.cols = 2_000)),
      `${folder}/layer.json:uv.cols must be 1024 or less`,
    ],
    [
      'with a cut grid',
      (files) => void files.set(`${folder}/uv.bin`, Buffer.alloc(8)),
      expect.stringMatching(/^layers\/front\/uv\.bin has 8 bytes, not \d+ x \d+ nodes of 4$/),
    ],
    [
      'with a file that belongs to no part',
      text(`${folder}/mask.PNG`, 'x'),
      `${folder}/mask.PNG is not a file of a bundle`,
    ],
    [
      'with a list of 200,000 levels',
      text('colors.json', '['.repeat(2e5) + ']'.repeat(2e5)),
      'colors.json:0 must be an object',
    ],
    [
      'with an icon without end',
      text('icon.svg', '<svg viewBox="0 0 64 64"><g>'),
      'icon.svg cannot be drawn, or is larger than 64 x 64',
    ],
    [
      'with an icon with an entity',
      text('icon.svg', '<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 64 64">&a;</svg>'),
      'icon.svg must not have a DOCTYPE, entities, comments or processing instructions',
    ],
    ['with an icon of 100 KB', icon(' '.repeat(1e5)), 'icon.svg is larger than 64 KB'],
    ...(
      [
        ['<script>1</script>', 'must not have the element script'],
        ['<use href="/other.svg#a"/>', 'must not refer to other files'],
        ['<g onload="x()"/>', 'must not have event handlers'],
        ['<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script>', 'must not have the element x:script'],
        ['<object data="x"/>', 'must not have the element object'],
        ['<g style="fill:&#117;rl(http://a)"/>', 'must not have entities or escapes'],
        ['<g style="fill:u\\72l(x)"/>', 'must not have entities or escapes'],
        ['<g fill="url(//a/b)"/>', 'must not refer to other files'],
        ['<use xlink:href="data:image/svg+xml,x"/>', 'must not refer to other files'],
        ['<g x:onload="1"/>', 'must not have the attribute x:onload'],
        [`<g onload${' '.repeat(99)}="1"/>`, 'must not have event handlers'],
        ['<path d="M0 0', 'is not well-formed XML'],
        ['<g filter="blur(9px)"/>', 'must not have filters'],
        ['<g style="fill:red;filter/**/:blur(9px)"/>', 'must not have filters'],
        ['<g><use href="#a"/></g><g id="a"><use href="#b"/></g>', 'must not refer to b within a, which is referred to'],
        [
          '<clipPath id="a" clip-path="url(#a )"/><g clip-path="url(#a)"/>',
          'must not refer to a within a, which is referred to',
        ],
      ] as const
    ).map(([body, message]): [string, (files: Files) => void, string] => [
      `with an icon with ${body}`,
      icon(body),
      `icon.svg ${message}`,
    ]),
    ['with an icon of 18 nested masks', icon(nested('mask', 18)), 'icon.svg must not have the element mask'],
    ['with an icon of 12 nested patterns', icon(nested('pattern', 12)), 'icon.svg must not have the element pattern'],
    [
      'with an icon of 10 nested clip paths',
      icon(nested('clipPath', 10)),
      'icon.svg must not refer to s1 within s0, which is referred to',
    ],
    ['with an icon of 501 elements', icon('<g/>'.repeat(500)), 'icon.svg has more than 500 elements'],
    ['with an icon of 17 levels', icon('<g>'.repeat(16)), 'icon.svg has more than 16 levels of elements'],
    [
      'with an icon of 33 references',
      icon(`<path id="a" d="M0 0"/>${'<use href="#a"/>'.repeat(33)}`),
      'icon.svg has more than 32 references',
    ],
    [
      'with an icon of 18,000 letters',
      icon(`<text>${'Wg'.repeat(9_000)}</text>`),
      'icon.svg needs more than 4 s to be drawn: simplify its shapes',
    ],
  ])('rejects an item %s with one message', async (_, change, message) => {
    expect(await mistakes(change)).toEqual([message]);
  });

  it('reports each file of layers without an angle', async () => {
    const others = (await mistakes(item((it) => it.angles.splice(1, 1)))).map((it) => it.split(' ')[0]);
    expect(others).toEqual(
      ['gloss.webp', 'layer.json', 'mask.png', 'shade.webp', 'uv.bin'].map((name) => `layers/back/${name}`),
    );
  });
});
