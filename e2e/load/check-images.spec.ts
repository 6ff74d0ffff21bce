import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { imageKey, type ImageSource } from '#contracts';
import { type BlobStore, openBlobStore } from '#storage';
import { renderSpecOf, imagesToPrepare } from '../../apps/material-rendering/src/images/image.rules.js';
import { checkImages } from './check-images.js';
import { LoadLedger } from './ledger.js';
import { Notes } from './notes.js';

type Mode = ImageSource['products'][number]['resizeMode'];

const sourceOf = (materialId: number, resizeMode: Mode): ImageSource => ({
  materialId,
  filePath: `${materialId}/1763629200-320x240.png`,
  textureHash: 'a texture',
  products: [
    {
      itemName: 'note',
      published: true,
      revision: 0,
      resizeMode,
      prints: [],
      cmykPlaces: [],
      defaultPrintPlace: 'front',
      colors: [
        { name: 'white', rgb: '#ffffff' },
        { name: 'yellow', rgb: '#f2c230' },
      ],
      sizes: ['a5'],
      angles: ['front', 'back'],
      essentialAngles: ['front', 'back'],
      sample: { size: 'a5', color: 'white', angle: 'front' },
    },
  ],
});

let folder: string;
let blobs: BlobStore;
let ledger: LoadLedger;
let sources: Map<number, ImageSource>;

/**
 * Returns fake image bytes. As a side without a print, the back does not depend on the resize mode.
 */
const bytesOf = (source: ImageSource, image: ReturnType<typeof imagesToPrepare>[number]): Buffer => {
  const drawing = renderSpecOf(source, image)!;
  return Buffer.from(JSON.stringify(drawing.angle === 'back' ? { ...drawing, resizeMode: '' } : drawing));
};

async function drawn(materialId: number, resizeMode: Mode): Promise<void> {
  const source = sourceOf(materialId, resizeMode);
  for (const image of imagesToPrepare(source)) await blobs.put(imageKey(image), bytesOf(source, image));
}

async function found() {
  const notes = new Notes();
  const source = (id: number) => Promise.resolve(sources.get(id) ?? null);
  await checkImages(blobs, ledger.materials.values(), source, notes);
  return notes.findings(0);
}
const none = { lost: [], duplicated: [], wrong: [], settledMs: 0 };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-images-'));
  blobs = openBlobStore(pathToFileURL(folder).href);
  ledger = new LoadLedger([]);
  for (const id of [3, 4]) ledger.made(1, `Gull ${id}`, { id, title: `Gull ${id}`, products: [] });
  sources = new Map([
    [3, sourceOf(3, 'contain')],
    [4, sourceOf(4, 'cover')],
  ]);
  await drawn(3, 'contain');
  await drawn(4, 'cover');
});
afterEach(() => rm(folder, { recursive: true }));

it('reports nothing if each image is stored and correct', async () => {
  expect(await found()).toEqual(none);
});

it('reports each missing image', async () => {
  const missing = imagesToPrepare(sources.get(3)!).map(imageKey);
  for (const key of missing) await blobs.delete(key);
  const { lost, wrong } = await found();
  expect(lost.toSorted()).toEqual(missing.map((key) => `the image ${key} is not stored`).toSorted());
  expect(wrong).toEqual([]);
});

it('reports images rendered before a change of the resize mode', async () => {
  sources.set(3, sourceOf(3, 'cover'));
  const { wrong } = await found();
  expect(wrong).toHaveLength(imagesToPrepare(sources.get(3)!).filter(({ angle }) => angle === 'front').length);
  expect(wrong[0]).toMatch(/^images\/\S+ and images\/\S+ must show the same and do not$/);
});

it('reports equal images with different resize modes', async () => {
  await drawn(3, 'cover');
  const { wrong } = await found();
  expect(wrong).toHaveLength(imagesToPrepare(sources.get(3)!).filter(({ angle }) => angle === 'front').length);
  expect(wrong[0]).toMatch(/^images\/3\S+ and images\/4\S+ are laid in otherwise and show the same$/);
});

it('reports an image of a deleted material, and requires none of a material that may be deleted', async () => {
  ledger.deleted(3);
  ledger.deleting(4);
  await blobs.deletePrefix('images/4');
  expect((await found()).wrong).toEqual([
    expect.stringMatching(/^the image images\/3\S+ of a deleted material is left$/),
  ]);
});
