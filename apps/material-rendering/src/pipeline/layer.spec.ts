import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLayer, readLayers } from './layer.js';
import { layersFolder } from './test-card.js';

describe('layers', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'layers-')), 'front');
    await cp(join(layersFolder, 't-shirt', 'front'), folder, { recursive: true });
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  it('are all valid, and each item has an angle', () => {
    const items = readLayers(layersFolder);
    expect(items.size).toBe(21);
    for (const angles of items.values()) expect(angles.size).toBeGreaterThan(0);
  });

  it('are read with their print coordinates', () => {
    const layer = readLayer(folder);
    expect(layer).toMatchObject({ item: 't-shirt', angle: 'front', printPlace: 'front', cover: false, clear: false });
    expect(layer.nodes).toHaveLength(2 * layer.uv.cols * layer.uv.rows);
  });

  it.each(['shade.webp', 'mask.png', 'gloss.webp', 'uv.bin', 'layer.json'])('are refused without %s', async (name) => {
    await rm(join(folder, name));
    expect(() => readLayer(folder)).toThrow(name);
  });

  it('are refused when the grid is not as large as it says', async () => {
    await writeFile(join(folder, 'uv.bin'), (await readFile(join(folder, 'uv.bin'))).subarray(4));
    expect(() => readLayer(folder)).toThrow('uv.bin has');
  });

  it('are refused with a fact that nobody knows', async () => {
    const facts = JSON.parse(await readFile(join(folder, 'layer.json'), 'utf8'));
    await writeFile(join(folder, 'layer.json'), JSON.stringify({ ...facts, colour: 'red' }));
    expect(() => readLayer(folder)).toThrow('colour');
  });
});
