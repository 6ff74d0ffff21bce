import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import {
  blankKey,
  defaultImageSizes,
  onDemandKey,
  evictedFolders,
  imageKey,
  problems,
  type ImageRequest,
  type ImageSource,
  storedImageOf,
} from '#contracts';
import type { Delivery } from '#events';
import { DomainError } from '#kernel';
import { currentCall, type QueueClients, runInCall } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import type { RenderingEnv } from '../env.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { engineFiles } from '#rendering/testing/test-card.js';
import { mug } from '../testing/mug.js';
import { RecordingEngine } from '../testing/recording-engine.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { addTexture } from '../testing/stored-texture.js';
import { PrintTextureStore } from '../textures/print-texture.store.js';
import { testImage } from '../textures/testing/test-images.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { type PrintFileSweeper } from '../print-files/print-file.sweeper.js';
import { RenderLock } from './render.lock.js';
import { RenderSourceStore } from './render-source.store.js';
import { RenderedImageRepository } from './rendered-image.repository.js';
import { RenderedImageSweeper } from './rendered-image.sweeper.js';
import { ImageConsumer } from './image.consumer.js';
import { ImageRenderer } from './image.renderer.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageService } from './image.service.js';
import { currentImage, imagesToPrepare } from './image.rules.js';
import { ImageStore } from './image.store.js';

const materialId = 12;
const notFound = { kind: { code: 'picture.not-found', status: 404 } };

describe('images of a material', () => {
  let db: TestDatabase;
  let lock: RenderLock;
  let decoder: TextureDecoder;
  let repository: TextureRepository;
  let folder: string;
  const env = {
    REDIS_REQUESTS_URL: testRedisUrl(),
    IMAGE_SIZES: new Set(defaultImageSizes),
  } as unknown as RenderingEnv;
  let blobs: FolderBlobStore;
  let engine: RecordingEngine;
  /** Renders the images for comparisons. */
  let otherEngine: RenderEngine;
  let textures: PrintTextureStore;
  let service: ImageService;
  let sources: ImageSourceCache;
  let consumer: ImageConsumer;
  let rows: RenderedImageRepository;
  let source: ImageSource;
  /** Reply of the catalog; null if the material is missing. */
  let catalog: ImageSource | null;
  let catalogCalls = 0;

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'images-'));
    engine = new RecordingEngine();
    otherEngine = new RenderEngine(engineFiles);
    decoder = new TextureDecoder({ timeoutMs: 60_000 });
    repository = new TextureRepository(db.database);
    rows = new RenderedImageRepository(db.database);
    lock = new RenderLock(env, pino({ level: 'silent' }));
  });

  afterAll(async () => {
    decoder.onApplicationShutdown();
    lock.onApplicationShutdown();
    await db.close();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    await rm(folder, { recursive: true, force: true });
    blobs = new FolderBlobStore(folder);
    const image = await testImage({ format: 'png', width: 200, height: 200, color: '#be1e2d' });
    const textureHash = createHash('sha256').update(image).digest('hex');
    await blobs.put(`textures/${textureHash}`, image);
    const [width, height] = [200, 200];
    await addTexture(db.database, {
      hash: textureHash,
      format: 'png',
      width,
      height,
      bytes: image.length,
      dominantRgb: null,
    });
    textures = new PrintTextureStore(decoder, blobs, repository);
    source = {
      materialId,
      filePath: `${materialId}/1763629200-200x200.png`,
      textureHash,
      products: [mug],
    };
    catalog = source;
    catalogCalls = 0;
    engine.requests = [];
    engine.after = () => undefined;
    const clients = {
      of: () => ({
        call: (_name: string, query: { itemName?: string }) => {
          catalogCalls += 1;
          if (currentCall()?.signal.aborted) return Promise.reject(new Error('the call was aborted'));
          if (catalog === null) return Promise.reject(new DomainError(problems['material.not-found'], 'missing'));
          const products = catalog.products.filter(({ itemName }) => (query.itemName ?? itemName) === itemName);
          return Promise.resolve({ ...catalog, products });
        },
      }),
    };
    sources = new ImageSourceCache(clients as unknown as QueueClients);
    service = serviceWith(engine, blobs);
    const printFiles = { deleteOfMaterial: () => Promise.resolve() } as unknown as PrintFileSweeper;
    consumer = new ImageConsumer(sources, service, new RenderSourceStore(blobs), repository, printFiles);
    await db.database.query('delete from outbox');
    await db.database.query('delete from drawn_images');
  });

  const serviceWith = (renderEngine: RenderEngine, store: FolderBlobStore, pausesMs?: number[]): ImageService => {
    const images = new ImageStore(store, rows);
    const renderer = new ImageRenderer(renderEngine, textures, images, lock);
    const imageService = new ImageService(renderer, images, sources, env);
    if (pausesMs) imageService.pausesMs = pausesMs;
    return imageService;
  };

  const request = (change: Partial<ImageRequest> = {}): ImageRequest => ({
    width: 323,
    height: 323,
    itemName: 'mug',
    size: 'one',
    color: 'white',
    angle: null,
    materialId,
    filePath: source.filePath,
    adjustment: null,
    format: 'webp',
    printed: true,
    proof: false,
    revision: 0,
    draft: false,
    ...change,
  });

  /**
   * Returns the material after its owner changed its print `times` times. Its mugs look different
   * each time.
   */
  const changed = (times = 1): ImageSource => ({
    ...source,
    products: source.products.map((product) => ({
      ...product,
      revision: product.revision + times,
      colors: [{ name: 'white', rgb: `#${times}23344` }],
    })),
  });
  /**
   * Returns the material after its item was reloaded: mugs look different without a change of the
   * owner.
   */
  const redefined = (): ImageSource => ({
    ...source,
    products: source.products.map((product) => ({ ...product, colors: [{ name: 'white', rgb: '#223344' }] })),
  });
  const revised = (revision: number) => request({ revision });
  /** Returns the material after its owner unpublished its product. */
  const hidden = (): ImageSource => ({
    ...source,
    products: source.products.map((product) => ({ ...product, published: false })),
  });
  /** Returns whether the stored image equals the one rendered from a state of the material. */
  const shows = async (image: ImageRequest, state: ImageSource): Promise<boolean> => {
    const { key } = currentImage(state, image)!;
    const actual = await blobs.get(key);
    const other = new FolderBlobStore(join(folder, 'other'));
    await serviceWith(otherEngine, other).prepare(image, state);
    const expected = await other.get(key);
    await rm(join(folder, 'other'), { recursive: true });
    return actual !== null && expected !== null && actual.equals(expected);
  };
  /** Runs `action` after the first rendering. */
  const afterFirst = (action: () => void): void => {
    engine.after = () => {
      engine.after = () => undefined;
      action();
    };
  };

  const below = async (...folders: string[]): Promise<string[]> => {
    const keys: string[] = [];
    for (const folder of folders) for await (const key of blobs.list(folder)) keys.push(key);
    return keys;
  };
  const stored = (): Promise<string[]> => below('images', 'adjusted', ...evictedFolders);
  const isImage = (key: string): boolean => storedImageOf(key) !== null;
  const outbox = () => db.database.query<{ name: string; payload: unknown }>('select name, payload from outbox');

  /** Returns the first delivery of an event. */
  function delivery<Name extends 'material.created' | 'material.updated' | 'material.deleted' | 'images.outdated'>(
    name: Name,
    signal = new AbortController().signal,
    stale: 'all' | string[] = ['mug'],
  ) {
    const progress: unknown[] = [];
    const payload = {
      materialId,
      userId: 7,
      title: 'Lighthouse',
      productIds: [1],
      textures: [source.textureHash],
      filePath: source.filePath,
      stale,
      unpublished: [],
    };
    const it = {
      event: { id: '8f1c0f3e-0000-4000-8000-000000000001', name, version: 1, occurredAt: '', payload, metadata: {} },
      attempt: 1,
      signal,
      progress: (value: unknown) => Promise.resolve(void progress.push(value)),
      once: async (work: Parameters<Delivery['once']>[0]) => {
        await db.database.transaction(work);
        return true;
      },
    };
    return Object.assign(it as unknown as Delivery<Name>, { progressValues: progress });
  }

  describe('on request', () => {
    it('are rendered and stored, and their key is returned', async () => {
      const { key } = await service.render(request());
      expect(key).toBe(onDemandKey(request()));
      const image = await blobs.get(key);
      expect(image?.subarray(8, 12).toString()).toBe('WEBP');
    });

    it('are rendered once for concurrent and repeated requests', async () => {
      await Promise.all(Array.from({ length: 10 }, () => service.render(request())));
      await service.render(request());
      expect(engine.requests).toHaveLength(1);
    });

    it('show the print, or none for a blank item', async () => {
      await service.render(request());
      await service.render(request({ printed: false }));
      expect(engine.requests.map(({ prints }) => prints.map(({ place }) => place))).toEqual([['front'], []]);
    });

    it.each([
      ['an unknown color', { color: 'mauve' }],
      ['an unknown item', { itemName: 'hoodie' }],
      ['an older file', { filePath: `${materialId}/1763629100-200x200.png` }],
      ['a size that is not available', { width: 324 }],
    ])('cause 404 for %s', async (_what, change) => {
      await expect(service.render(request(change))).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('cause 404 for a missing material', async () => {
      await blobs.put('images/12/other', Buffer.from('x'));
      catalog = null;
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      // Not deleted: the response may come from the cache, and the material may exist and have
      // images by now
      await expect(stored()).resolves.toEqual(['images/12/other']);
    });

    it('cause 404 for an unpublished product, except for draft requests', async () => {
      catalog = hidden();
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      expect(engine.requests).toEqual([]);
      await expect(stored()).resolves.toEqual([]);
      const draft = onDemandKey(request({ draft: true }));
      await expect(service.render(request({ draft: true }))).resolves.toEqual({ key: draft });
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([draft]);
    });

    it('are available as soon as their product is published, also for draft requests', async () => {
      catalog = hidden();
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      // Within the lifetime of the cached material
      catalog = source;
      for (const draft of [false, true])
        await expect(service.render(request({ draft }))).resolves.toEqual({ key: onDemandKey(request()) });
      expect(engine.requests).toHaveLength(1);
    });

    it('are not stored as public when their product is unpublished during rendering', async () => {
      engine.after = () => void (catalog = hidden());
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('are deleted when the material is deleted during rendering', async () => {
      engine.after = () => void (catalog = null);
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('show the current state of a material that was changed during rendering', async () => {
      afterFirst(() => (catalog = changed()));
      const { key } = await service.render(request());
      expect(key).toBe(onDemandKey(revised(1)));
      expect(engine.requests).toHaveLength(2);
      await expect(stored()).resolves.toEqual([key]);
      await expect(shows(request(), changed())).resolves.toBe(true);
    });

    it('show the current item when it was reloaded during rendering', async () => {
      afterFirst(() => (catalog = redefined()));
      const { key } = await service.render(request());
      expect(key).toBe(onDemandKey(request()));
      await expect(shows(request(), redefined())).resolves.toBe(true);
      await expect(shows(request(), source)).resolves.toBe(false);
    });

    it('show the revision of the request, not that of the older cached material', async () => {
      await service.render(request());
      catalog = changed();
      const results = await Promise.all([
        service.render(revised(1)),
        service.render(request({ ...revised(1), angle: 'left' })),
      ]);
      expect(results[0]).toEqual({ key: onDemandKey(revised(1)) });
      await expect(shows(revised(1), changed())).resolves.toBe(true);
    });

    it.each([0, 1, 3, 999_999_999])(
      'are rendered and stored only as the current revision for a request with revision %s',
      async (revision) => {
        catalog = { ...source, products: [{ ...mug, revision: 2 }] };
        for (let time = 0; time < 2; time++)
          await expect(service.render(revised(revision))).resolves.toEqual({ key: onDemandKey(revised(2)) });
        await expect(stored()).resolves.toEqual([onDemandKey(revised(2))]);
        expect(engine.requests).toHaveLength(1);
      },
    );

    it('share one call of the catalog for concurrent requests with invented revisions', async () => {
      await sources.sourceOf(request());
      catalogCalls = 0;
      await Promise.all(Array.from({ length: 50 }, (_, n) => sources.sourceOf(revised(n + 1))));
      expect(catalogCalls).toBe(1);
    });

    it('are deleted when the material is deleted after the timeout of their client', async () => {
      const release = engine.block();
      let puts = 0;
      const put = blobs.put.bind(blobs);
      blobs.put = async (key, bytes) => {
        await put(key, bytes);
        puts += 1;
      };
      const late = runInCall({ requestId: 'late', timeoutMs: 4_000 }, () => service.render(request()));
      await expect(late).rejects.toMatchObject({ kind: { code: 'service.overloaded' } });
      catalog = null;
      release();
      await eventually('the image is stored', () => puts === 1);
      await eventually('it is deleted', async () => (await stored()).length === 0);
    });

    it('are deleted when the material loses their product during rendering', async () => {
      afterFirst(() => (catalog = { ...source, products: [] }));
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('are not deleted during a short outage of the catalog, because a worker may have skipped them', async () => {
      const [image] = imagesToPrepare(source);
      const sourceSpy = jest.spyOn(sources, 'source');
      afterFirst(() => sourceSpy.mockRejectedValueOnce(new Error('catalog unavailable')));
      const { key } = await service.render(image!);
      expect(sourceSpy).toHaveBeenCalledTimes(3);
      await expect(stored()).resolves.toEqual([key]);
      sourceSpy.mockRestore();
    });

    it('are deleted when all checks against the catalog fail', async () => {
      const sourceSpy = jest.spyOn(sources, 'source');
      afterFirst(() => sourceSpy.mockRejectedValue(new Error('catalog unavailable')));
      await expect(serviceWith(engine, blobs, [1, 1]).render(request())).rejects.toThrow('unavailable');
      // One call for the parameters of the image, and three checks
      expect(sourceSpy).toHaveBeenCalledTimes(4);
      await expect(stored()).resolves.toEqual([]);
      sourceSpy.mockRestore();
    });

    it('are stored after their caller has aborted', async () => {
      const caller = new AbortController();
      afterFirst(() => caller.abort());
      await runInCall({ requestId: 'aborted', signal: caller.signal }, () => service.render(request()));
      await expect(stored()).resolves.toEqual([onDemandKey(request())]);
    });

    it('of one product share a cached response of the catalog', async () => {
      await service.render(request());
      await service.render(request({ angle: 'left' }));
      // One call for the parameters of both, and one check after each rendering
      expect(catalogCalls).toBe(3);
    });

    it('are rejected when too many wait, without effect on the others', async () => {
      const release = engine.block();
      const many = Array.from({ length: 120 }, (_, n) => request({ adjustment: `1.0+0.${n}-0.1` }));
      const rejections: unknown[] = [];
      const requests = many.map((each) => service.render(each).catch((error: unknown) => void rejections.push(error)));
      await eventually('rejections of requests over the limit', () => rejections.length === 120 - 4 - 40);
      release();
      await Promise.all(requests);
      expect(rejections).toHaveLength(120 - 4 - 40);
      expect(rejections[0]).toMatchObject({ kind: { code: 'service.overloaded', status: 503 } });
    });
  });

  describe('rendered on request', () => {
    const limit = 100_000;
    const adjusted = (n: number) => request({ adjustment: `1.0+0.${n}-0.1`, format: 'png' });
    const bytesIn = async (...folders: string[]): Promise<number> => {
      let bytes = 0;
      for (const folder of folders) for await (const { size } of blobs.listStats(folder)) bytes += size;
      return bytes;
    };
    const sweepOf = (bytes = limit) =>
      new RenderedImageSweeper(rows, blobs, pino({ level: 'silent' }), {
        RENDERED_IMAGES_MB: bytes / 1024 ** 2,
      } as RenderingEnv);
    const storedRows = () => db.database.query<{ key: string }>('select key from drawn_images order by key');

    it('are bounded: the least recently used are evicted and rendered again, prepared ones are not evicted', async () => {
      await consumer.materialCreated(delivery('material.created'));
      const prepared = (await stored()).sort();
      // A client requests the images before the event is consumed
      await blobs.deletePrefix('images');
      for (const image of imagesToPrepare(source)) await service.render(image);
      expect((await stored()).sort()).toEqual(prepared);
      for (let n = 0; n < 8; n += 1) await service.render(adjusted(n));
      const before = await bytesIn(...evictedFolders);
      expect(before).toBeGreaterThan(2 * limit);
      await db.database.query(`update drawn_images set used_at = used_at - interval '2 minutes'`);
      await rows.markUsed([onDemandKey(adjusted(0))]);

      // Two replicas find the same images
      await Promise.all([sweepOf().sweep(), sweepOf().sweep()]);
      const after = await bytesIn(...evictedFolders);
      expect(after).toBeLessThanOrEqual(limit);
      expect(after).toBeGreaterThan(limit / 2);
      await expect(sweepOf().sweep()).resolves.toBe(0);
      const left = await below('drawn');
      expect(left).toContain(onDemandKey(adjusted(0)));
      expect(left).not.toContain(onDemandKey(adjusted(1)));
      expect((await below('images')).sort()).toEqual(prepared);
      await expect(service.render(adjusted(1))).resolves.toEqual({ key: onDemandKey(adjusted(1)) });
      await expect(blobs.has(onDemandKey(adjusted(1)))).resolves.toBe(true);
    });

    it('have a row while they are stored, even after a failure between blob and row', async () => {
      for (let n = 0; n < 3; n += 1) await service.render(adjusted(n));
      await expect(storedRows()).resolves.toHaveLength(3);
      // Rendered again between the deletion of the blob and that of the row
      const { images } = await rows.overLimit(0);
      await blobs.delete(images[0]!.key);
      await service.render(adjusted(0));
      await rows.deleteUnchanged(images);
      await expect(storedRows()).resolves.toEqual([{ key: onDemandKey(adjusted(0)) }]);
      // As after a process that ended before it wrote the row, or a database that lost its rows
      await expect(sweepOf().addMissingRows()).resolves.toBe(2);
      await expect(sweepOf().addMissingRows()).resolves.toBe(0);
      await expect(storedRows()).resolves.toHaveLength(3);
      await sweepOf(0).sweep();
      await expect(storedRows()).resolves.toEqual([]);
      await expect(stored()).resolves.toEqual([]);
    });

    it('are deleted with their material, including their rows, and those of others are not', async () => {
      const other = 'drawn/123/x';
      await blobs.put(other, Buffer.from('x'));
      await rows.add(other, 1);
      for (let n = 0; n < 3; n += 1) await service.render(adjusted(n));
      // Stored by an earlier version
      await blobs.put(`adjusted/${materialId}/x`, Buffer.from('x'));
      await consumer.materialDeleted(delivery('material.deleted'));
      await expect(stored()).resolves.toEqual([other]);
      await expect(storedRows()).resolves.toEqual([{ key: other }]);
    });

    it('have printed colors in soft proofs, which are stored beside them and deleted with their material', async () => {
      catalog = { ...source, products: [{ ...mug, defaultPrintPlace: 'outside', cmykPlaces: ['outside'] }] };
      const [image, proof] = [request(), request({ proof: true })];
      const keys = [(await service.render(image)).key, (await service.render(proof)).key];
      expect(keys).toEqual([onDemandKey(image), onDemandKey(proof)]);
      expect(engine.requests.map(({ prints }) => prints.map((print) => print.proof))).toEqual([[false], [true]]);
      const [plain, printed] = await Promise.all(keys.map((key) => blobs.get(key)));
      expect(plain!.equals(printed!)).toBe(false);
      for (let time = 0; time < 2; time++) expect((await service.render(proof)).key).toBe(keys[1]);
      expect(engine.requests).toHaveLength(2);
      expect((await storedRows()).map((row) => row.key).sort()).toEqual([...keys].sort());
      await consumer.materialDeleted(delivery('material.deleted'));
      await expect(stored()).resolves.toEqual([]);
      await expect(storedRows()).resolves.toEqual([]);
    });

    it('have the same colors in soft proofs of places in RGB', async () => {
      catalog = { ...source, products: [{ ...mug, defaultPrintPlace: 'outside' }] };
      const keys = [];
      for (const proof of [false, true]) keys.push((await service.render(request({ proof }))).key);
      const [plain, printed] = await Promise.all(keys.map((key) => blobs.get(key)));
      expect(keys[0]).not.toBe(keys[1]);
      expect(plain!.equals(printed!)).toBe(true);
    });

    it.each<[string, () => ImageSource, number]>([
      ['the product has changed', () => changed(), 0],
      ['the product is unpublished', () => hidden(), 0],
      ['nothing has changed', () => source, 1],
    ])('are deleted as outdated soft proofs: %s', async (_, state, remaining) => {
      await service.render(request({ proof: true }));
      await service.deleteOutdated(state());
      await expect(stored()).resolves.toHaveLength(remaining);
    });

    it('are shared by all materials when they are blank', async () => {
      const blank = request({ printed: false, adjustment: '1.0+0.1-0.1' });
      const first = await service.render(blank);
      const filePath = '13/1763629200-300x300.png';
      catalog = { ...source, materialId: 13, filePath, products: [{ ...mug, revision: 4, published: false }] };
      const second = { ...blank, materialId: 13, filePath };
      await expect(service.render(second)).rejects.toMatchObject(notFound);
      const draft = await service.render({ ...second, draft: true });
      expect([first, draft]).toEqual([{ key: blankKey(blank) }, { key: blankKey(blank) }]);
      expect(engine.requests).toHaveLength(1);
      await expect(stored()).resolves.toEqual([blankKey(blank)]);
      await service.deleteAll(materialId);
      await expect(stored()).resolves.toEqual([blankKey(blank)]);
    });
  });

  describe('of a new material', () => {
    it('are all rendered, with progress, and announced', async () => {
      const it = delivery('material.created');
      await consumer.materialCreated(it);
      const keys = imagesToPrepare(source).map(imageKey);
      expect((await stored()).sort()).toEqual(keys.sort());
      expect(it.progressValues.at(-1)).toEqual({ done: keys.length, of: keys.length });
      await expect(outbox()).resolves.toEqual([
        {
          name: 'material.rendered',
          payload: { materialId, userId: 7, title: 'Lighthouse', images: keys.length },
        },
      ]);
    });

    it('count as progress after they are stored, not before', async () => {
      const it = delivery('material.created');
      const dones: number[] = [];
      const progress = async (value: object): Promise<void> => {
        const { done } = value as { done: number };
        dones.push(done);
        expect((await stored()).filter(isImage).length).toBeGreaterThanOrEqual(done);
      };
      await consumer.materialCreated(Object.assign(it, { progress }));
      expect(dones).toEqual([...dones].sort((a, b) => a - b));
    });

    it('continue where the previous attempt was stopped', async () => {
      const stop = new AbortController();
      engine.after = () => stop.abort(new Error('the process ends'));
      await expect(consumer.materialCreated(delivery('material.created', stop.signal))).rejects.toThrow(
        'the process ends',
      );
      const before = await stored();
      expect(before.filter(isImage).length).toBeGreaterThan(0);
      await expect(outbox()).resolves.toEqual([]);
      engine.after = () => undefined;
      engine.requests = [];
      const next = delivery('material.created');
      await consumer.materialCreated(next);
      const storedBefore = before.filter(isImage).length;
      expect(engine.requests).toHaveLength(imagesToPrepare(source).length - storedBefore);
      expect((next.progressValues[0] as { done: number }).done).toBeGreaterThan(storedBefore);
      await expect(outbox()).resolves.toHaveLength(1);
    });

    it('are not rendered, and stored ones are deleted, when the material was deleted', async () => {
      await service.render(request());
      catalog = null;
      await consumer.materialCreated(delivery('material.created'));
      await expect(stored()).resolves.toEqual([]);
      await expect(outbox()).resolves.toEqual([]);
    });

    it('are deleted when the material is deleted during rendering', async () => {
      engine.after = () => void (catalog = null);
      await consumer.materialCreated(delivery('material.created'));
      await expect(stored()).resolves.toEqual([]);
      await expect(outbox()).resolves.toEqual([]);
    });
  });

  describe('of a changed material', () => {
    const note = { itemName: 'note' };
    const adjusted = { adjustment: '1.0+0.1-0.1' };

    beforeEach(async () => {
      source = {
        ...source,
        products: [...source.products, { ...mug, itemName: 'note', angles: ['front'], essentialAngles: ['front'] }],
      };
      catalog = source;
      await consumer.materialCreated(delivery('material.created'));
      await service.render(request({ ...adjusted, angle: 'front' }));
      await service.render(request({ ...adjusted, ...note, angle: 'front' }));
      await db.database.query('delete from outbox');
      engine.requests = [];
    });

    const sample = () => request({ width: 500, height: 500, angle: 'front' });
    const preparedKeys = (state: ImageSource) => imagesToPrepare(state).map(imageKey).sort();
    const adjustedKeys = (): Promise<string[]> => below('drawn');

    it('are rendered for items with a newer revision, outdated adjusted ones are deleted, no event is published', async () => {
      catalog = {
        ...source,
        products: [{ ...mug, revision: 1, colors: [{ name: 'white', rgb: '#223344' }] }, source.products[1]!],
      };
      await consumer.materialUpdated(delivery('material.updated'));
      expect((await below('images')).sort()).toEqual(preparedKeys(catalog));
      expect(new Set(engine.requests.map(({ itemName }) => itemName))).toEqual(new Set(['mug']));
      await expect(shows(sample(), catalog)).resolves.toBe(true);
      await expect(adjustedKeys()).resolves.toEqual([onDemandKey(request({ ...adjusted, ...note, angle: 'front' }))]);
      await expect(outbox()).resolves.toEqual([]);
    });

    it('are rendered for a new version of an item, and no event is published', async () => {
      catalog = changed();
      await consumer.imagesOutdated(delivery('images.outdated'));
      expect((await below('images')).sort()).toEqual(preparedKeys(catalog));
      await expect(shows(sample(), catalog)).resolves.toBe(true);
      await expect(outbox()).resolves.toEqual([]);
    });

    it('are not rendered again when they already show the new revision', async () => {
      catalog = changed();
      const { key } = await service.render(request({ ...revised(1), angle: 'right' }));
      const storedAt = (await blobs.stat(key))!.modifiedAt;
      await consumer.materialUpdated(delivery('material.updated', undefined, ['mug', 'note']));
      expect((await blobs.stat(key))!.modifiedAt).toEqual(storedAt);
    });

    it('are not public after their product is unpublished, with or without adjustment', async () => {
      const [first, ...others] = source.products;
      catalog = { ...source, products: [{ ...first!, published: false }, ...others] };
      await consumer.materialUpdated(delivery('material.updated', undefined, []));
      expect((await below('images')).sort()).toEqual(preparedKeys(catalog));
      const publicKeys = (await stored()).map((key) => storedImageOf(key)!);
      expect(publicKeys.filter(({ itemName, draft }) => itemName === 'mug' && !draft)).toEqual([]);
      await expect(adjustedKeys()).resolves.toEqual([onDemandKey(request({ ...adjusted, ...note, angle: 'front' }))]);
      await expect(service.render(request({ angle: 'front' }))).rejects.toMatchObject(notFound);
    });

    it('are rendered for an added item', async () => {
      catalog = { ...source, products: [...source.products, { ...source.products[1]!, itemName: 'sticker' }] };
      await consumer.materialUpdated(delivery('material.updated', undefined, []));
      expect(new Set(engine.requests.map(({ itemName }) => itemName))).toEqual(new Set(['sticker']));
    });

    it('are rendered as public ones when a product is published, and those of its draft are deleted', async () => {
      const published = source.products;
      catalog = source = { ...source, products: published.map((product) => ({ ...product, published: false })) };
      for (const folder of ['images', 'drawn']) await blobs.deletePrefix(folder);
      await consumer.materialCreated(delivery('material.created'));
      expect((await below('images')).sort()).toEqual(preparedKeys(source));
      expect(engine.requests).toHaveLength(published.length);
      await expect(outbox()).resolves.toMatchObject([{ name: 'material.rendered', payload: { images: 2 } }]);
      catalog = source = { ...source, products: published };
      engine.requests = [];
      await consumer.materialUpdated(delivery('material.updated', undefined, []));
      expect((await below('images')).sort()).toEqual(preparedKeys(source));
      expect(engine.requests).toHaveLength(preparedKeys(source).length);
      await expect(outbox()).resolves.toHaveLength(1);
    });

    it('are all deleted when the material may not be shown', async () => {
      catalog = null;
      await consumer.materialUpdated(delivery('material.updated', undefined, 'all'));
      await expect(stored()).resolves.toEqual([]);
      await expect(adjustedKeys()).resolves.toEqual([]);
      expect(engine.requests).toEqual([]);
      await expect(outbox()).resolves.toEqual([{ name: 'images.withdrawn', payload: { materialId } }]);
    });

    it('continue where the previous attempt was stopped', async () => {
      catalog = changed();
      const stop = new AbortController();
      engine.after = () => stop.abort(new Error('the process ends'));
      const both = ['mug', 'note'];
      await expect(consumer.materialUpdated(delivery('material.updated', stop.signal, both))).rejects.toThrow('ends');
      const rendered = engine.requests.length;
      expect(rendered).toBeLessThan(preparedKeys(source).length);
      engine.after = () => undefined;
      await consumer.materialUpdated(delivery('material.updated', undefined, both));
      expect(engine.requests).toHaveLength(preparedKeys(source).length);
      expect((await below('images')).sort()).toEqual(preparedKeys(changed()));
    });

    it('are current when the material changes again during rendering', async () => {
      catalog = changed();
      afterFirst(() => (catalog = changed(2)));
      await consumer.materialUpdated(delivery('material.updated'));
      expect((await below('images')).sort()).toEqual(preparedKeys(changed(2)));
      for (const image of imagesToPrepare(source)) await expect(shows(image, changed(2))).resolves.toBe(true);
    });

    it('are current when the material changes again between two attempts', async () => {
      catalog = changed();
      const stop = new AbortController();
      engine.after = () => stop.abort(new Error('the process ends'));
      await expect(consumer.materialUpdated(delivery('material.updated', stop.signal))).rejects.toThrow('ends');
      engine.after = () => undefined;
      catalog = changed(2);
      await consumer.materialUpdated(delivery('material.updated'));
      expect((await below('images')).sort()).toEqual(preparedKeys(changed(2)));
      for (const image of imagesToPrepare(source)) await expect(shows(image, changed(2))).resolves.toBe(true);
    });

    it('are current when an outdated one was being rendered for a request at the same time', async () => {
      const old = request({ angle: 'right' });
      let updated: Promise<void> | undefined;
      afterFirst(() => {
        catalog = changed();
        updated = consumer.materialUpdated(delivery('material.updated', undefined, ['mug', 'note']));
      });
      await service.render(old);
      await updated;
      // Rendered again, because the update may have deleted it. An outdated image would still be
      // stored and be found
      await service.render(old);
      await expect(shows(old, changed())).resolves.toBe(true);
    });

    it('are stored when their key is returned, even if an outdated one was deleted after a shared rendering', async () => {
      const old = request({ angle: 'right' });
      const put = blobs.put.bind(blobs);
      let puts = 0;
      blobs.put = async (key, bytes) => {
        await put(key, bytes);
        puts += 1;
        if (puts === 2) await sleep(50);
        if (puts !== 1) return;
        // An update has stored its image in between, but its `put` has not returned yet
        catalog = redefined();
        await blobs.delete(key);
        void service.prepare(old, redefined());
        await eventually('the new image', () => puts === 2);
      };
      const { key } = await service.render(old);
      await expect(blobs.has(key)).resolves.toBe(true);
      await expect(shows(old, redefined())).resolves.toBe(true);
    });
  });

  it('are current when a new material is changed while its first images are rendered', async () => {
    afterFirst(() => (catalog = changed()));
    await consumer.materialCreated(delivery('material.created'));
    for (const image of imagesToPrepare(source)) await expect(shows(image, changed())).resolves.toBe(true);
    await expect(outbox()).resolves.toMatchObject([{ name: 'material.rendered' }]);
  });

  it('are deleted with the material, but not its texture, nor images of other materials', async () => {
    await service.render(request());
    await blobs.put('images/123/other', Buffer.from('x'));
    await consumer.materialDeleted(delivery('material.deleted'));
    await consumer.materialDeleted(delivery('material.deleted'));
    await expect(stored()).resolves.toEqual(['images/123/other']);
    await expect(blobs.has(`textures/${source.textureHash}`)).resolves.toBe(true);
  });
});
