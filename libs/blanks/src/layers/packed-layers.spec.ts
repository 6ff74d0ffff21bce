import { openBundle } from '../bundles/open-bundle.js';
import { blanksFolder } from '../items/item.files.js';
import { readLayers } from './layer.js';
import { packLayers, readPackedLayers } from './packed-layers.js';

/** Returns packed layers with any header. */
function packedWith(header: string, contents = ''): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(Buffer.byteLength(header));
  return Buffer.concat([prefix, Buffer.from(header), Buffer.from(contents)]);
}

describe('packed layers', () => {
  let files: ReadonlyMap<string, Buffer>;
  beforeAll(async () => {
    files = await openBundle(`${blanksFolder}/items/t-shirt`);
  });

  it.each(['t-shirt', 'smartphone-case'])(
    'are read as the layers of the folder, in the same order: %s',
    async (item) => {
      const shipped = readLayers(blanksFolder).get(item)!;
      const packed = packLayers(await openBundle(`${blanksFolder}/items/${item}`));
      const read = readPackedLayers(packed.bytes, item);
      expect([...read.keys()]).toEqual([...shipped.keys()]);
      // `toEqual` compares each byte separately
      for (const [angle, { images, nodes, ...facts }] of shipped) {
        const other = read.get(angle)!;
        expect(other).toMatchObject(facts);
        expect(Buffer.from(other.nodes.buffer).equals(Buffer.from(nodes.buffer))).toBe(true);
        expect(Object.keys(other.images)).toEqual(Object.keys(images));
        for (const [name, image] of Object.entries(images))
          expect(other.images[name as keyof typeof images]!.equals(image)).toBe(true);
      }
    },
  );

  it('have a hash of their paths and contents, in any order and without other files', () => {
    const { hash } = packLayers(files);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(packLayers(new Map([...files].reverse())).hash).toBe(hash);
    expect(packLayers(new Map([...files, ['icon.svg', Buffer.from('other')]])).hash).toBe(hash);
    expect(packLayers(new Map([...files, ['layers/front/mask.png', Buffer.from('other')]])).hash).not.toBe(hash);
  });

  it('are rejected with all mistakes of their layers', () => {
    const damaged = new Map([...files].filter(([path]) => path !== 'layers/front/mask.png'));
    damaged.delete('layers/back/uv.bin');
    const read = () => readPackedLayers(packLayers(damaged).bytes, 't-shirt');
    expect(read).toThrow(expect.objectContaining({ kind: expect.objectContaining({ code: 'catalog.invalid' }) }));
    expect(read).toThrow(
      expect.objectContaining({
        errors: [
          { path: 'layers/back/uv.bin', message: 'is missing' },
          { path: 'layers/front/mask.png', message: 'is missing' },
        ],
      }),
    );
    expect(() => readPackedLayers(packLayers(files).bytes, 'mug')).toThrow('declares itself as t-shirt/back');
  });

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['truncated by a byte', (bytes) => bytes.subarray(0, -1), 'have '],
    ['truncated in their header', (bytes) => bytes.subarray(0, 100), 'are shorter than their header'],
    ['empty', () => Buffer.alloc(0), 'have no header'],
    ['longer than their files', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]), 'have '],
    ['without JSON', () => packedWith('{'), 'have an invalid header'],
    ['with a negative length', () => packedWith('[["layers/a/layer.json",-1]]'), 'have an invalid header'],
    ['with a length beyond their end', () => packedWith('[["layers/a/layer.json",9007199254740991]]'), 'have '],
    ['with the same file twice', () => packedWith('[["layers/a/x",1],["layers/a/x",1]]', 'xy'), 'contain a file twice'],
  ])('are rejected when they are %s', (_, change, message) => {
    expect(() => readPackedLayers(change(packLayers(files).bytes), 't-shirt')).toThrow(`layers ${message}`);
  });
});
