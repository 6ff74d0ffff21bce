import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Layer } from 'ag-psd';
import { readPsd } from './from-psd.js';
import { colorFill, customWarp, group, layerOf, meshPoints, pixels, psdOf, smartObject } from './testing/psd-file.js';

type Corners = [[number, number], [number, number], [number, number], [number, number]];
const corners: Corners = [
  [20, 20],
  [80, 20],
  [80, 80],
  [20, 80],
];
const content = { width: 60, height: 60 };
const print = (more: Layer & { corners?: Corners; warp?: ReturnType<typeof customWarp> } = {}) =>
  smartObject('Print', { ...content, corners, ...more });
const wall = layerOf('Wall', { left: 0, top: 0, width: 100, height: 100 }, () => [0.9, 0.9, 0.9, 1]);
const valid = psdOf(100, [wall, print()]);

/** Document with an image of its own, which has a smart object in another grey. */
const striped = (x: number) => [0.9, 0.9, x < 50 ? 0.9 : 0.5, 1] as const;
const drawn = psdOf(100, [layerOf('Wall', { left: 0, top: 0, width: 100, height: 100 }, striped), print()], {
  imageData: pixels(100, 100, striped),
});

/** Returns a document whose bytes are changed. */
function changed(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(valid);
  change(bytes);
  return bytes;
}
const nested = (depth: number): Layer => (depth === 0 ? wall : group(`Group ${depth}`, [nested(depth - 1)]));
const meshOf = (move: (u: number, v: number) => { x: number; y: number }) =>
  customWarp(meshPoints([1, 1], move), content.width, content.height);
const withoutTransform = (): Layer => {
  const layer = print();
  layer.placedLayer!.transform = [1, 1, 1, 1, 1, 1, 1, 1];
  return layer;
};
/** Sets the size of the first layer in its record. */
const hugeLayer = (bytes: Buffer): void => {
  const record = bytes.indexOf('8BIMnorm') - 16 - 2 - 6 * 4;
  bytes.writeInt32BE(0, record);
  bytes.writeInt32BE(0, record + 4);
  bytes.writeInt32BE(29_000, record + 8);
  bytes.writeInt32BE(29_000, record + 12);
};

describe('readPsd', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'psd-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = async (bytes: Buffer, layers: object = {}) => {
    const path = join(folder, 'mockup.psd');
    await writeFile(path, bytes);
    return readPsd(path, { printLayer: null, colorLayer: null, ...layers });
  };

  it.each<[string, () => Buffer, string]>([
    ['that is empty', () => Buffer.alloc(0), 'is empty'],
    ['that is garbage', () => Buffer.alloc(5_000, 'garbage'), 'is not a PSD file'],
    ['with another signature', () => changed((it) => it.write('8BPX')), 'is not a PSD file'],
    ['cut in its header', () => valid.subarray(0, 20), 'is cut: the header is not complete'],
    ['cut behind its header', () => valid.subarray(0, 40), 'is damaged or cut'],
    ['cut in a layer', () => valid.subarray(0, valid.length >> 2), 'is damaged or cut'],
    ['saved as PSB', () => changed((it) => it.writeUInt16BE(2, 4)), 'is a PSB (large document): save it as PSD'],
    ['of an unknown version', () => changed((it) => it.writeUInt16BE(7, 4)), 'has version 7, not 1'],
    [
      'of a huge width',
      () => changed((it) => it.writeUInt32BE(2 ** 31, 18)),
      'has 2147483648 x 100 pixels; at most 50 million',
    ],
    ['without height', () => changed((it) => it.writeUInt32BE(0, 14)), 'has a size of 100 x 0 pixels'],
    ['with a huge layer', () => changed(hugeLayer), 'has 29000 x 29000 pixels in layer "Wall"; at most 50 million'],
    ['of 16 bits', () => changed((it) => it.writeUInt16BE(16, 22)), 'has 16 bits per channel: convert it to 8'],
    ['in CMYK', () => changed((it) => it.writeUInt16BE(4, 24)), 'has the color mode CMYK: convert it to RGB'],
    ['without a smart object', () => psdOf(100, [wall]), 'has no smart object'],
    [
      'with two smart objects',
      () => psdOf(100, [print(), { ...print(), name: 'Other' }]),
      'has 2 visible smart objects, choose one by --print-layer: "Print", "Other"',
    ],
    [
      'with a hidden smart object',
      () => psdOf(100, [print({ hidden: true })]),
      'has only hidden smart objects: "Print"',
    ],
    ['without a transform', () => psdOf(100, [withoutTransform()]), 'has corners on one line in smart object "Print"'],
    [
      'that is mirrored',
      () =>
        psdOf(100, [
          print({
            corners: [
              [80, 20],
              [20, 20],
              [20, 80],
              [80, 80],
            ],
          }),
        ]),
      'mirrors smart object "Print"',
    ],
    [
      'outside of the document',
      () =>
        psdOf(100, [
          print({
            corners: [
              [220, 20],
              [280, 20],
              [280, 80],
              [220, 80],
            ],
          }),
        ]),
      'shows less than',
    ],
    [
      'with a warp that folds',
      () => psdOf(100, [print({ warp: meshOf((u, v) => ({ x: 60 * (3 * u * u - 2 * u), y: 60 * v })) })]),
      'folds smart object "Print" at 0 % from its left',
    ],
    [
      'with an incomplete warp',
      () => psdOf(100, [print({ warp: customWarp([{ x: 0, y: 0 }], 60, 60) })]),
      'has 1 points in the warp of smart object "Print", not 4 x 4',
    ],
    [
      'with a named warp',
      () => psdOf(100, [print({ warp: { ...meshOf((x, y) => ({ x, y })), style: 'arc' } })]),
      'has the warp style arc in smart object "Print", which is not supported',
    ],
    ['with deep groups', () => psdOf(100, [nested(40), print()]), 'has groups in more than 12 levels'],
    [
      'with many layers',
      () => psdOf(100, [...Array.from({ length: 501 }, (_, i) => ({ name: `${i}` })), print()]),
      'has more than 500 layers',
    ],
  ])('rejects a file %s', async (_, bytes, message) => {
    await expect(read(bytes())).rejects.toMatchObject({
      kind: { code: 'catalog.invalid' },
      errors: [{ path: join(folder, 'mockup.psd'), message: expect.stringContaining(message) as string }],
    });
    expect(await readdir(folder)).toEqual(['mockup.psd']);
  });

  it('rejects a file that is missing', async () => {
    await expect(readPsd(join(folder, 'none'), { printLayer: null, colorLayer: null })).rejects.toThrow(
      'cannot be read',
    );
  });

  it('rejects a pipe without waiting for a writer', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readPsd(pipe, { printLayer: null, colorLayer: null });
    await expect(reading).rejects.toThrow('no regular file');
    await rm(pipe);
  });

  it('finds the layers by their names', async () => {
    const fill = colorFill('Cloth', [0.2, 0.4, 0.8], 100);
    const bytes = psdOf(100, [fill, print(), { ...print(), name: 'Other' }]);
    const found = await read(bytes, { printLayer: 'Other', colorLayer: 'Cloth' });
    expect(found).toMatchObject({ printLayer: 'Other', colorLayer: 'Cloth', color: '#3366cc', aspect: 1 });
    await expect(read(bytes, { printLayer: 'Cloth' })).rejects.toThrow(
      'has no smart object "Cloth", only "Print", "Other"',
    );
    await expect(read(bytes, { printLayer: 'Other', colorLayer: 'x' })).rejects.toThrow(
      'has 0 visible layers "x" for the color',
    );
  });

  it('compares the layers with the image that is stored', async () => {
    // 8 x 8 of 100 x 100 pixels are 0.4 and 0.4 and 0.4 darker
    expect((await read(drawn)).storedDifference).toBeCloseTo((64 * 0.4 * 255) / 10_000, 0);
    expect((await read(valid)).storedDifference).toBeNull();
  });
});
