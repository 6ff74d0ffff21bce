import { readLayers, type Layer, blanksFolder } from '#blanks';
import { layersHash } from './layers-hash.js';

describe('layersHash', () => {
  const mug = [...readLayers(blanksFolder).get('mug')!.values()];
  const changed = (change: (layer: Layer) => Partial<Layer>): string =>
    layersHash(mug.map((layer, index) => (index === 0 ? { ...layer, ...change(layer) } : layer)));
  const other = (bytes: Buffer): Buffer => Buffer.from(bytes).fill(7, bytes.length - 8);

  it('is equal for equal layers', () => {
    expect(changed(({ nodes }) => ({ nodes: Int16Array.from(nodes) }))).toBe(layersHash(mug));
    expect(layersHash(mug)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, (layer: Layer) => Partial<Layer>]>([
    ['light', ({ images }) => ({ images: { ...images, shade: other(images.shade) } })],
    ['mask', ({ images }) => ({ images: { ...images, mask: other(images.mask) } })],
    ['ink', ({ images }) => ({ images: { ...images, ink: images.mask } })],
    ['gloss', ({ images }) => ({ images: { ...images, gloss: other(images.gloss) } })],
    ['grid', ({ nodes }) => ({ nodes: nodes.map((value, index) => value + (index === 0 ? 1 : 0)) })],
    ['fabric', () => ({ fabric: 'fleece' })],
    ['crop', ({ crop }) => ({ crop: { ...crop, x: crop.x + 1 } })],
  ])('changes with the %s', (_, change) => {
    expect(changed(change)).not.toBe(layersHash(mug));
  });
});
