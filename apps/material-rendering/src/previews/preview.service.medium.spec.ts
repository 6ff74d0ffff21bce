import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { deferred } from '#concurrency';
import { type PreviewArtwork, type PreviewImage, previewKey } from '#contracts';
import { testRedisUrl } from '#testing';
import type { RenderingEnv } from '../env.js';
import { ImageRenderer } from '../images/image.renderer.js';
import { ImageStore } from '../images/image.store.js';
import { RenderLock } from '../images/render.lock.js';
import { RenderedImageRepository } from '../images/rendered-image.repository.js';
import { sharp } from '#images';
import { RecordingEngine } from '../testing/recording-engine.js';
import { TextureIntake } from '../testing/texture-intake.js';
import { PrintTextureStore } from '../textures/print-texture.store.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureRepository } from '../textures/texture.repository.js';
import type { TextureService } from '../textures/texture.service.js';
import { testImage } from '../textures/testing/test-images.js';
import { previewTextureBytes } from './preview.rules.js';
import { PreviewService } from './preview.service.js';
import { PreviewSweeper } from './preview.sweeper.js';

const userId = 7;
const log = pino({ level: 'silent' });
const env = { REDIS_REQUESTS_URL: testRedisUrl(), PREVIEW_SECONDS: 3_600 } as RenderingEnv;

let intake: TextureIntake;
let decoder: TextureDecoder;
let lock: RenderLock;
let engine: RecordingEngine;
let textures: TextureService;
let images: ImageStore;
let previews: PreviewService;
let sweepers: readonly PreviewSweeper[];

beforeAll(async () => {
  intake = await TextureIntake.open();
  decoder = new TextureDecoder({ timeoutMs: 60_000 });
  lock = new RenderLock(env, log);
  engine = new RecordingEngine();
  const { blobs, db } = intake;
  const rows = new TextureRepository(db.database);
  textures = intake.serviceWith(decoder);
  images = new ImageStore(blobs, new RenderedImageRepository(db.database));
  const printTextures = new PrintTextureStore(decoder, blobs, rows);
  const renderer = new ImageRenderer(engine, printTextures, images, lock);
  previews = new PreviewService(env, textures, rows, blobs, engine, renderer);
  sweepers = [1, 2].map(() => new PreviewSweeper(blobs, images, log, env));
});
afterAll(async () => {
  decoder.onApplicationShutdown();
  lock.onApplicationShutdown();
  await intake.close();
});
beforeEach(async () => {
  engine.requests = [];
  for (const folder of ['preview-textures', 'drawn/previews']) await images.deletePrefix(folder);
});

const tables = ['textures', 'texture_references', 'discarded_blobs', 'drawn_images', 'outbox'];
const rowCounts = async (): Promise<number[]> => {
  const { database } = intake.db;
  const counts = tables.map((table) =>
    database.query<{ count: number }>(`select count(*)::int as count from ${table}`),
  );
  return (await Promise.all(counts)).map(([row]) => row!.count);
};
const blobKeys = async (): Promise<string[]> =>
  (await Promise.all(['preview-textures', 'drawn', 'uploads'].map((folder) => intake.keys(folder)))).flat();

const prepare = async (bytes: Buffer): Promise<PreviewArtwork> =>
  previews.prepare(userId, { kind: 'upload', key: await intake.upload(bytes) });
const imageOf = (artwork: PreviewArtwork, fields: Partial<PreviewImage> = {}): PreviewImage => {
  const { hash, key, width, height, expiresAt, sweepAt } = artwork;
  return {
    itemName: 't-shirt',
    angle: 'front',
    rgb: '#ffffff',
    side: 323,
    place: 'front',
    resizeMode: 'contain',
    texture: { hash, key, width, height },
    placed: null,
    oneOfMany: true,
    expiresAt,
    sweepAt,
    ...fields,
  };
};
const sweepAt = ({ sweepAt: seconds }: PreviewArtwork, plusMs = 0) =>
  Promise.all(sweepers.map((sweeper) => sweeper.sweep(new Date(1_000 * seconds + plusMs))));

describe('an artwork of previews', () => {
  it('is stored once for equal images of a user, without a row', async () => {
    const before = await rowCounts();
    const bytes = await testImage({ format: 'png', width: 300, height: 200, color: '#aa2211' });
    const [artwork, again] = [await prepare(bytes), await prepare(bytes)];
    expect(artwork).toMatchObject({ width: 300, height: 200, dominantRgb: '#aa2211' });
    expect(again.key).toBe(artwork.key);
    expect(await intake.blobs.get(artwork.key)).toEqual(bytes);
    expect(await blobKeys()).toEqual([artwork.key]);
    expect(await rowCounts()).toEqual(before);
  });

  it('has no metadata, and may be a URL', async () => {
    const plain = await testImage({ format: 'jpeg', width: 60, height: 40, orientation: 6 });
    intake.served = { bytes: plain };
    const source = { kind: 'url', url: intake.addressOf('cat.jpg') } as const;
    const artwork = await previews.prepare(userId, source);
    expect(artwork).toMatchObject({ width: 40, height: 60 });
    expect(await blobKeys()).toEqual([artwork.key]);
  });

  it.each([
    ['an empty file', Buffer.alloc(0), 'texture.empty'],
    ['text', Buffer.from('hello'), 'texture.unsupported-format'],
    ['a damaged image', Buffer.from('\x89PNG\r\n\x1a\n damaged', 'latin1'), 'texture.not-decoded'],
  ])('is rejected and not stored: %s', async (_what, bytes, code) => {
    await expect(prepare(bytes)).rejects.toMatchObject({ kind: { code, status: 422 } });
    expect(await blobKeys()).toEqual([]);
  });

  it('is rejected above the limit of its user', async () => {
    const key = `preview-textures/${userId}/1.${'0'.repeat(64)}`;
    await intake.blobs.put(key, Buffer.alloc(previewTextureBytes - 10));
    const bytes = await testImage({ format: 'png', width: 30, height: 20 });
    await expect(prepare(bytes)).rejects.toMatchObject({ kind: { code: 'texture.quota-exceeded' } });
    const other = await previews.prepare(8, { kind: 'upload', key: await intake.upload(bytes) });
    expect(await intake.keys('preview-textures/8')).toEqual([other.key]);
  });

  it('of a material is its texture', async () => {
    const upload = await intake.upload(await testImage({ format: 'png', width: 50, height: 40, color: '#010203' }));
    const [texture] = await textures.store(userId, [{ kind: 'upload', key: upload }]);
    const artwork = await previews.prepare(userId, { kind: 'stored', hash: texture!.hash });
    expect(artwork).toMatchObject({ width: 50, height: 40, dominantRgb: '#010203' });
    expect(await intake.blobs.has(artwork.key)).toBe(true);
    expect(await intake.keys('preview-textures')).toEqual([]);
    const { key } = await previews.render(imageOf(artwork));
    expect(await intake.blobs.has(key)).toBe(true);
    await images.deletePrefix('textures');
    const missing = previews.prepare(userId, { kind: 'stored', hash: '0'.repeat(64) });
    await expect(missing).rejects.toMatchObject({ kind: { code: 'picture.not-found' } });
  });
});

describe('a preview', () => {
  it('is rendered once, from the level to which its artwork was decoded when it was stored', async () => {
    const levels: number[] = [];
    const level = decoder.level.bind(decoder);
    decoder.level = (path, edge) => (levels.push(edge), level(path, edge));
    const artwork = await prepare(await testImage({ format: 'png', width: 900, height: 900, color: '#ff0000' }));
    for (const itemName of ['hoodie', 't-shirt', 'hoodie']) {
      const { key } = await previews.render(imageOf(artwork, { itemName }));
      expect(key).toBe(previewKey(imageOf(artwork, { itemName })));
      const { info } = await sharp((await intake.blobs.get(key))!)
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(info).toMatchObject({ width: 323, height: 323 });
    }
    decoder.level = level;
    expect(levels).toEqual([]);
    expect(engine.requests.map(({ itemName }) => itemName)).toEqual(['hoodie', 't-shirt']);
  });

  it('shows the artwork as placed', async () => {
    const artwork = await prepare(await testImage({ format: 'png', width: 400, height: 400, color: '#00ff00' }));
    const greenOf = async (placed: PreviewImage['placed']): Promise<number> => {
      const { key } = await previews.render(imageOf(artwork, { placed }));
      const pixels = await sharp((await intake.blobs.get(key))!)
        .removeAlpha()
        .raw()
        .toBuffer();
      let green = 0;
      for (let at = 0; at < pixels.length; at += 3) if (pixels[at + 1]! > pixels[at]! + 100) green += 1;
      return green;
    };
    const small = { matrix: [30, 0, 0, 30, 135, 185], repeat: 'none', period: { x: 1, y: 1 } } as const;
    const placed = { ...small, matrix: [...small.matrix] as PlacedMatrix };
    const [fitted, once, repeated] = [
      await greenOf(null),
      await greenOf(placed),
      await greenOf({ ...placed, repeat: 'grid', period: { x: 2, y: 2 } }),
    ];
    expect(once).toBeLessThan(fitted / 50);
    expect(repeated).toBeGreaterThan(10 * once);
  });

  it('is 404 when its artwork was deleted', async () => {
    const artwork = await prepare(await testImage({ format: 'png', width: 45, height: 45, color: '#445566' }));
    await intake.blobs.delete(artwork.key);
    // Another process, which has no level of the artwork
    const other = { ...artwork, hash: '4'.repeat(64) };
    await expect(previews.render(imageOf(other))).rejects.toMatchObject({ kind: { code: 'picture.not-found' } });
    expect(await intake.keys('drawn')).toEqual([]);
  });
});

type PlacedMatrix = NonNullable<PreviewImage['placed']>['matrix'];

describe('the sweep of previews', () => {
  it('deletes artworks, images and their rows at the sweep time, in several processes', async () => {
    const before = [await rowCounts(), await blobKeys()];
    const artwork = await prepare(await testImage({ format: 'png', width: 70, height: 50, color: '#778899' }));
    const sides = [323, 500];
    for (const side of sides) await previews.render(imageOf(artwork, { side }));
    const later = imageOf({ ...artwork, sweepAt: artwork.sweepAt + 900 });
    await previews.render(later);
    expect(await intake.keys('drawn/previews')).toHaveLength(3);
    await sweepAt(artwork, -1);
    expect(await intake.keys('drawn/previews')).toHaveLength(3);
    await sweepAt(artwork);
    expect(await blobKeys()).toEqual([previewKey(later)]);
    await sweepAt(artwork, 900_000);
    expect([await rowCounts(), await blobKeys()]).toEqual(before);
    await sweepAt(artwork, 900_000);
  });

  it('deletes an image whose rendering ended after an earlier sweep', async () => {
    const artwork = await prepare(await testImage({ format: 'png', width: 71, height: 51, color: '#77aa99' }));
    const [rendered, swept] = [deferred(), deferred()];
    engine.after = () => {
      rendered.resolve();
      return swept.promise;
    };
    const rendering = previews.render(imageOf(artwork));
    await rendered.promise;
    await sweepAt(artwork);
    swept.resolve();
    engine.after = () => undefined;
    await rendering;
    expect(await blobKeys()).toHaveLength(1);
    await sweepAt(artwork);
    expect(await blobKeys()).toEqual([]);
  });

  it('ignores the modification time', async () => {
    const artwork = await prepare(await testImage({ format: 'png', width: 72, height: 52, color: '#77bb99' }));
    await utimes(join(intake.folder, artwork.key), 0, 0);
    await sweepAt(artwork, -1);
    expect(await blobKeys()).toEqual([artwork.key]);
  });
});
