import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { blanksFolder, openBundle, packedLayersKey, packLayers } from '#blanks';
import { FolderBlobStore } from '#storage';
import { RenderEngine, type RenderRequest } from '#rendering/render-engine.js';
import { engineFiles, paintPng, quadrants, textureOf } from '#rendering/testing/test-card.js';
import { type PrintTextureStore } from '../textures/print-texture.store.js';
import { ImageRenderer } from './image.renderer.js';
import { type ImageStore } from './image.store.js';
import { LayerStore } from './layer.store.js';
import { type RenderLock } from './render.lock.js';

type Files = ReadonlyMap<string, Buffer>;

/** Returns the files under another name of the item. */
const renamed = (files: Files, name: string): Files =>
  new Map(
    [...files].map(([path, content]) => {
      if (!path.endsWith('/layer.json')) return [path, content];
      return [path, Buffer.from(JSON.stringify({ ...JSON.parse(content.toString()), item: name }))];
    }),
  );

describe('images from layers in the blob store', () => {
  let folder: string;
  let blobs: FolderBlobStore;
  let engine: RenderEngine;
  let request: RenderRequest;
  let shirt: Files;

  beforeAll(async () => {
    shirt = await openBundle(`${blanksFolder}/items/t-shirt`);
    const texture = textureOf(await paintPng(100, 100, quadrants));
    const prints = [{ place: 'front', texture, resizeMode: null, placed: null }];
    const size = { width: 161, height: 161 };
    request = { ...size, itemName: 't-shirt', angle: 'front', rgb: '#be1e2d', prints, adjustment: null, format: 'png' };
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'layers-'));
    blobs = new FolderBlobStore(folder);
    const layers = new LayerStore(blobs);
    engine = new RenderEngine({ ...engineFiles, packedLayers: (hash, itemName) => layers.layersOf(hash, itemName) });
  });

  afterEach(() => rm(folder, { recursive: true }));

  const store = async (files: Files): Promise<string> => {
    const { hash, bytes } = packLayers(files);
    await blobs.put(packedLayersKey(hash), bytes);
    return hash;
  };

  const expectShipped = async (change: Partial<RenderRequest>): Promise<void> => {
    const shipped = await engine.render({ ...request, angle: change.angle ?? 'front' });
    expect((await engine.render({ ...request, ...change })).equals(shipped)).toBe(true);
  };

  it('are the same bytes as from layers that ship, also for an unknown item', async () => {
    const layers = await store(shirt);
    for (const angle of ['front', 'back', 'close-up']) await expectShipped({ layers, angle });
    await expectShipped({ layers, angle: null });
    await expectShipped({ layers: await store(renamed(shirt, 'my-shirt')), itemName: 'my-shirt' });
    await expectShipped({ layers: null });
  });

  it('are those of the requested layers, whichever were rendered before', async () => {
    const bare = new Map([...shirt, ['layers/front/gloss.webp', shirt.get('layers/front/mask.png')!]]);
    const [shipped, changed] = [await store(shirt), await store(bare)];
    await expectShipped({ layers: shipped });
    const other = await engine.render({ ...request, layers: changed });
    expect(other.equals(await engine.render(request))).toBe(false);
    await expectShipped({ layers: shipped });
  });

  it('need one read of the blob store', async () => {
    const layers = await store(shirt);
    const get = jest.spyOn(blobs, 'get');
    await Promise.all(['front', 'back', 'close-up'].map((angle) => engine.render({ ...request, layers, angle })));
    await engine.render({ ...request, layers });
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('are rejected while the layers are missing', async () => {
    const { hash: layers, bytes } = packLayers(shirt);
    await expect(engine.render({ ...request, layers })).rejects.toMatchObject({
      kind: { code: 'service.unavailable' },
      headers: { 'retry-after': '5' },
    });
    await blobs.put(packedLayersKey(layers), bytes);
    await expectShipped({ layers });
  });

  it('are rejected for damaged layers, those of another item, and an unknown angle', async () => {
    const layers = await store(shirt);
    await expect(engine.render({ ...request, layers, itemName: 'mug' })).rejects.toThrow(/of mug are invalid/);
    await expect(engine.render({ ...request, layers, angle: 'left' })).rejects.toMatchObject({
      kind: { code: 'picture.not-found' },
    });
    const other = packLayers(renamed(shirt, 'other'));
    await blobs.put(packedLayersKey(other.hash), other.bytes.subarray(0, -1));
    const damaged = engine.render({ ...request, layers: other.hash, itemName: 'other' });
    await expect(damaged).rejects.toThrow(/of other are damaged/);
    await expect(new RenderEngine(engineFiles).render({ ...request, layers })).rejects.toThrow(/packedLayers/);
  });

  it('are rendered by the image renderer', async () => {
    const images = { has: (key: string) => blobs.has(key), put: (key: string, bytes: Buffer) => blobs.put(key, bytes) };
    const lock = { tryRun: (_: string, run: () => Promise<void>) => run().then(() => true) };
    const renderer = new ImageRenderer(
      engine,
      {} as PrintTextureStore,
      images as unknown as ImageStore,
      lock as unknown as RenderLock,
    );
    const spec = { ...request, angle: 'front', prints: [], resizeMode: 'contain' } as const;
    const layers = await store(renamed(shirt, 'my-shirt'));
    await renderer.render('blanks/my-shirt', { ...spec, itemName: 'my-shirt', layers }, 'interactive');
    const shipped = await engine.render({ ...request, prints: [] });
    expect((await readFile(join(folder, 'blanks/my-shirt'))).equals(shipped)).toBe(true);
  });
});
