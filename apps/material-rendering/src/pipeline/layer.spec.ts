import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLayer, readLayers } from './layer.js';
import { blanksFolder } from './testing/test-card.js';

describe('layers', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'layers-')), 'front');
    await cp(join(blanksFolder, 't-shirt', 'layers', 'front'), folder, { recursive: true });
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  it('are all valid, with at least one angle per item', () => {
    const items = readLayers(blanksFolder);
    expect(items.size).toBe(21);
    for (const angles of items.values()) expect(angles.size).toBeGreaterThan(0);
  });

  it('are read with their print coordinates', () => {
    const layer = readLayer(folder);
    expect(layer).toMatchObject({ item: 't-shirt', angle: 'front', printPlace: 'front', cover: false, clear: false });
    expect(layer.crop).toEqual({ x: 0, y: 0, size: layer.width });
    expect(layer.nodes).toHaveLength(2 * layer.uv.cols * layer.uv.rows);
  });

  it.each(['shade.webp', 'mask.png', 'gloss.webp', 'uv.bin', 'layer.json'])('are rejected without %s', async (name) => {
    await rm(join(folder, name));
    expect(() => readLayer(folder)).toThrow(name);
  });

  it('are rejected when the grid has another size than declared', async () => {
    await writeFile(join(folder, 'uv.bin'), (await readFile(join(folder, 'uv.bin'))).subarray(4));
    expect(() => readLayer(folder)).toThrow('uv.bin has');
  });

  it('are rejected with an unknown field', async () => {
    const facts = JSON.parse(await readFile(join(folder, 'layer.json'), 'utf8'));
    await writeFile(join(folder, 'layer.json'), JSON.stringify({ ...facts, color: 'red' }));
    expect(() => readLayer(folder)).toThrow('color');
  });
});

describe('a close-up', () => {
  let item: string;
  beforeEach(async () => {
    item = await mkdtemp(join(tmpdir(), 'layers-'));
    await cp(join(blanksFolder, 't-shirt', 'layers', 'front'), join(item, 'front'), { recursive: true });
  });
  afterEach(() => rm(item, { recursive: true }));

  async function closeUp(change: object = {}): Promise<string> {
    const folder = join(item, 'close-up');
    await mkdir(folder, { recursive: true });
    const facts = { item: 't-shirt', angle: 'close-up', of: 'front', crop: { x: 300, y: 200, size: 900 } };
    await writeFile(join(folder, 'layer.json'), JSON.stringify({ ...facts, ...change }));
    return folder;
  }

  it('has everything except name and crop from the angle that it is a part of', async () => {
    const whole = readLayer(join(item, 'front'));
    expect(readLayer(await closeUp())).toEqual({ ...whole, angle: 'close-up', crop: { x: 300, y: 200, size: 900 } });
  });

  it.each([
    ['that reaches beyond the image', { crop: { x: 301, y: 0, size: 900 } }, 'reaches beyond front'],
    ['of half a pixel', { crop: { x: 0.5, y: 0, size: 900 } }, 'crop'],
    ['of a missing angle', { of: 'side' }, 'side'],
    ['of itself', { of: 'close-up' }, 'itself a crop'],
    ['with a print area of its own', { printPlace: 'back' }, 'printPlace'],
  ])('%s is rejected', async (_, change, reason) => {
    const folder = await closeUp(change);
    expect(() => readLayer(folder)).toThrow(reason);
  });
});
