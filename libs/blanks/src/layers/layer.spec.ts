import { blanksFolder } from '../items/item.files.js';
import { filesOf, type Layer, readLayer, readLayers } from './layer.js';

const shirt = filesOf(`${blanksFolder}/items/t-shirt`);

/** Reads an angle of the T-shirt whose files are replaced; undefined = missing. */
function readChanged(angle: string, changes: Readonly<Record<string, Buffer | undefined>>) {
  const errors: string[] = [];
  const layer = readLayer(
    (path) => (path in changes ? changes[path] : shirt(path)),
    't-shirt',
    angle,
    (path, message) => errors.push(`${path} ${message}`),
  );
  return { layer, errors };
}

const facts = JSON.parse(shirt('layers/front/layer.json')!.toString());
const json = (content: object): Buffer => Buffer.from(JSON.stringify(content));

describe('layers', () => {
  it('are all valid, with at least one angle per item', () => {
    const items = readLayers(blanksFolder);
    expect(items.size).toBe(21);
    for (const angles of items.values()) expect(angles.size).toBeGreaterThan(0);
  });

  it('are read with their print coordinates', () => {
    const { layer, errors } = readChanged('front', {});
    expect(errors).toEqual([]);
    expect(layer).toMatchObject({ item: 't-shirt', angle: 'front', printPlace: 'front', cover: false, clear: false });
    const { crop, width, nodes, uv } = layer as Layer;
    expect(crop).toEqual({ x: 0, y: 0, size: width });
    expect(nodes).toHaveLength(2 * uv.cols * uv.rows);
  });

  it('are rejected with all missing files', () => {
    const missing = ['shade.webp', 'mask.png', 'gloss.webp', 'uv.bin'].map((name) => `layers/front/${name}`);
    const { layer, errors } = readChanged('front', Object.fromEntries(missing.map((path) => [path, undefined])));
    expect(layer).toBeUndefined();
    expect(errors).toEqual(missing.map((path) => `${path} is missing`));
  });

  it.each<[string, string, Buffer | undefined, string]>([
    ['without layer.json', 'layer.json', undefined, 'layer.json is missing'],
    ['with broken JSON', 'layer.json', Buffer.from('{'), 'layer.json is not JSON'],
    ['of another angle', 'layer.json', json({ ...facts, angle: 'side' }), 'layer.json declares itself as t-shirt/side'],
    ['with an unknown field', 'layer.json', json({ ...facts, color: 'red' }), 'layer.json Unrecognized key: "color"'],
    ['with a text as a number', 'layer.json', json({ ...facts, aspect: 'wide' }), 'layer.json:aspect must be a number'],
    [
      'of an unknown cloth',
      'layer.json',
      json({ ...facts, fabric: 'silk' }),
      'layer.json:fabric must be jersey, fleece, plain',
    ],
    ['that are not square', 'layer.json', json({ ...facts, height: 900 }), 'layer.json:height is not width'],
    ['with a grid of another size', 'uv.bin', shirt('layers/front/uv.bin')!.subarray(4), 'uv.bin has '],
  ])('are rejected %s', (_, file, content, message) => {
    const { layer, errors } = readChanged('front', { [`layers/front/${file}`]: content });
    expect(layer).toBeUndefined();
    expect(errors).toEqual([expect.stringContaining(`layers/front/${message}`)]);
  });
});

describe('a close-up', () => {
  const closeUp = { item: 't-shirt', angle: 'close-up', of: 'front', crop: { x: 300, y: 200, size: 900 } };
  const read = (change: object) =>
    readChanged('close-up', { 'layers/close-up/layer.json': json({ ...closeUp, ...change }) });

  it('has everything except name and crop from the angle that it is a part of', () => {
    const whole = readChanged('front', {}).layer;
    expect(read({}).layer).toEqual({ ...whole, angle: 'close-up', crop: closeUp.crop });
  });

  it.each<[string, object, string]>([
    [
      'that reaches beyond the image',
      { crop: { x: facts.width - 899, y: 0, size: 900 } },
      ':crop reaches beyond front',
    ],
    ['of half a pixel', { crop: { x: 0.5, y: 0, size: 900 } }, ':crop.x must be an integer'],
    ['of a missing angle', { of: 'side' }, ':of side is not an angle'],
    ['of itself', { of: 'close-up' }, ':of close-up is not an angle'],
    ['with a print area of its own', { printPlace: 'back' }, ' Unrecognized key: "printPlace"'],
  ])('%s is rejected', (_, change, message) => {
    const { layer, errors } = read(change);
    expect(layer).toBeUndefined();
    expect(errors).toEqual([expect.stringContaining(`layers/close-up/layer.json${message}`)]);
  });
});
