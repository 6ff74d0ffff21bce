import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { projectPath } from '#config';
import {
  blankKey,
  defaultImageSizes,
  drawnKey,
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
import { RenderEngine } from '../pipeline/render-engine.js';
import { mug } from '../testing/mug.js';
import { NotedEngine } from '../testing/noted-engine.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { addTexture } from '../testing/stored-texture.js';
import { PrintTextureStore } from '../textures/print-texture.store.js';
import { testImage } from '../textures/testing/test-images.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureRepository } from '../textures/texture.repository.js';
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

describe('the images of a material', () => {
  let db: TestDatabase;
  let claims: RenderLock;
  let decoder: TextureDecoder;
  let repository: TextureRepository;
  let folder: string;
  const env = {
    REDIS_REQUESTS_URL: testRedisUrl(),
    IMAGE_SIZES: new Set(defaultImageSizes),
  } as unknown as RenderingEnv;
  let blobs: FolderBlobStore;
  let engine: NotedEngine;
  /** For what the images are compared with. */
  let otherEngine: RenderEngine;
  let textures: PrintTextureStore;
  let service: ImageService;
  let queries: ImageSourceCache;
  let consumer: ImageConsumer;
  let drawn: RenderedImageRepository;
  let source: ImageSource;
  /** What the catalogue answers; null when the material does not exist. */
  let catalogue: ImageSource | null;
  let asked = 0;

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'images-'));
    engine = new NotedEngine();
    otherEngine = new RenderEngine({ layersFolder: projectPath('apps/material-rendering/layers') });
    decoder = new TextureDecoder({ timeoutMs: 60_000 });
    repository = new TextureRepository(db.database);
    drawn = new RenderedImageRepository(db.database);
    claims = new RenderLock(env, pino({ level: 'silent' }));
  });

  afterAll(async () => {
    decoder.onApplicationShutdown();
    claims.onApplicationShutdown();
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
    catalogue = source;
    asked = 0;
    engine.drawn = [];
    engine.after = () => undefined;
    const clients = {
      of: () => ({
        call: (_name: string, question: { itemName?: string }) => {
          asked += 1;
          if (currentCall()?.signal.aborted) return Promise.reject(new Error('nobody waits'));
          if (catalogue === null) return Promise.reject(new DomainError(problems['material.not-found'], 'gone'));
          const products = catalogue.products.filter(({ itemName }) => (question.itemName ?? itemName) === itemName);
          return Promise.resolve({ ...catalogue, products });
        },
      }),
    };
    queries = new ImageSourceCache(clients as unknown as QueueClients);
    service = serviceOf(engine, blobs);
    consumer = new ImageConsumer(queries, service, new RenderSourceStore(blobs), repository);
    await db.database.query('delete from outbox');
    await db.database.query('delete from drawn_images');
  });

  const serviceOf = (painter: RenderEngine, store: FolderBlobStore, pausesMs?: number[]): ImageService => {
    const images = new ImageStore(store, drawn);
    const drawer = new ImageRenderer(painter, textures, images, claims);
    const made = new ImageService(drawer, images, queries, env);
    if (pausesMs) made.pausesMs = pausesMs;
    return made;
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
    revision: 0,
    draft: false,
    ...change,
  });

  /** The material after its owner has changed so often how it is printed; all its mugs look different each time. */
  const changed = (times = 1): ImageSource => ({
    ...source,
    products: source.products.map((product) => ({
      ...product,
      revision: product.revision + times,
      colors: [{ name: 'white', rgb: `#${times}23344` }],
    })),
  });
  /** The material after its item was loaded anew: mugs look different, and their owner has changed nothing. */
  const redefined = (): ImageSource => ({
    ...source,
    products: source.products.map((product) => ({ ...product, colors: [{ name: 'white', rgb: '#223344' }] })),
  });
  const revised = (revision: number) => request({ revision });
  /** The material after its owner has unpublished its product. */
  const hidden = (): ImageSource => ({
    ...source,
    products: source.products.map((product) => ({ ...product, published: false })),
  });
  /** Whether a stored image is the one that is drawn of this state of the material. */
  const shows = async (image: ImageRequest, state: ImageSource): Promise<boolean> => {
    const { key } = currentImage(state, image)!;
    const before = await blobs.get(key);
    const other = new FolderBlobStore(join(folder, 'other'));
    await serviceOf(otherEngine, other).prepare(image, state);
    const drawn = await other.get(key);
    await rm(join(folder, 'other'), { recursive: true });
    return before !== null && drawn !== null && before.equals(drawn);
  };
  /** Something happens after the first drawing. */
  const afterFirst = (happens: () => void): void => {
    engine.after = () => {
      engine.after = () => undefined;
      happens();
    };
  };

  const below = async (...folders: string[]): Promise<string[]> => {
    const keys: string[] = [];
    for (const folder of folders) for await (const key of blobs.below(folder)) keys.push(key);
    return keys;
  };
  const stored = (): Promise<string[]> => below('images', 'adjusted', ...evictedFolders);
  const isImage = (key: string): boolean => storedImageOf(key) !== null;
  const outbox = () => db.database.query<{ name: string; payload: unknown }>('select name, payload from outbox');

  /** An event on its first way to the consumer. */
  function delivery<Name extends 'material.created' | 'material.updated' | 'material.deleted'>(
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
    return Object.assign(it as unknown as Delivery<Name>, { seen: progress });
  }

  describe('that somebody asks for', () => {
    it('are drawn, stored and named', async () => {
      const { key } = await service.render(request());
      expect(key).toBe(drawnKey(request()));
      const image = await blobs.get(key);
      expect(image?.subarray(8, 12).toString()).toBe('WEBP');
    });

    it('are drawn once, however many ask and however often', async () => {
      await Promise.all(Array.from({ length: 10 }, () => service.render(request())));
      await service.render(request());
      expect(engine.drawn).toHaveLength(1);
    });

    it('show the material, unless the blank item is asked for', async () => {
      await service.render(request());
      await service.render(request({ printed: false }));
      expect(engine.drawn.map(({ prints }) => prints.map(({ place }) => place))).toEqual([['front'], []]);
    });

    it.each([
      ['an unknown colour', { color: 'mauve' }],
      ['an unknown item', { itemName: 'hoodie' }],
      ['an older file', { filePath: `${materialId}/1763629100-200x200.png` }],
      ['a size that is not drawn', { width: 324 }],
    ])('do not exist for %s', async (_what, change) => {
      await expect(service.render(request(change))).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('do not exist for a material that does not', async () => {
      await blobs.put('images/12/other', Buffer.from('x'));
      catalogue = null;
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      // Whoever says so remembers it for a moment: it may exist again, and have images
      await expect(stored()).resolves.toEqual(['images/12/other']);
    });

    it('do not exist for an unpublished product, unless its own signature was checked', async () => {
      catalogue = hidden();
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      expect(engine.drawn).toEqual([]);
      await expect(stored()).resolves.toEqual([]);
      const draft = drawnKey(request({ draft: true }));
      await expect(service.render(request({ draft: true }))).resolves.toEqual({ key: draft });
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([draft]);
    });

    it('exist as soon as their product is published, by its old signature, too', async () => {
      catalogue = hidden();
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      // Within the time that a reading of the catalogue is cached
      catalogue = source;
      for (const draft of [false, true])
        await expect(service.render(request({ draft }))).resolves.toEqual({ key: drawnKey(request()) });
      expect(engine.drawn).toHaveLength(1);
    });

    it('are not stored as public when their product is unpublished while they are drawn', async () => {
      engine.after = () => void (catalogue = hidden());
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('are removed when the material was deleted while they were drawn', async () => {
      engine.after = () => void (catalogue = null);
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('show the material as it is when it was changed while they were drawn', async () => {
      afterFirst(() => (catalogue = changed()));
      const { key } = await service.render(request());
      expect(key).toBe(drawnKey(revised(1)));
      expect(engine.drawn).toHaveLength(2);
      await expect(stored()).resolves.toEqual([key]);
      await expect(shows(request(), changed())).resolves.toBe(true);
    });

    it('show the item as it is when it was loaded anew while they were drawn', async () => {
      afterFirst(() => (catalogue = redefined()));
      const { key } = await service.render(request());
      expect(key).toBe(drawnKey(request()));
      await expect(shows(request(), redefined())).resolves.toBe(true);
      await expect(shows(request(), source)).resolves.toBe(false);
    });

    it('are those of the revision that was just answered, not of the state that was read a moment ago', async () => {
      await service.render(request());
      catalogue = changed();
      const answers = await Promise.all([
        service.render(revised(1)),
        service.render(request({ ...revised(1), angle: 'left' })),
      ]);
      expect(answers[0]).toEqual({ key: drawnKey(revised(1)) });
      await expect(shows(revised(1), changed())).resolves.toBe(true);
    });

    it.each([0, 1, 3, 999_999_999])(
      'are those of the current revision, and stored as such alone, when revision %s is asked for',
      async (revision) => {
        catalogue = { ...source, products: [{ ...mug, revision: 2 }] };
        for (let time = 0; time < 2; time++)
          await expect(service.render(revised(revision))).resolves.toEqual({ key: drawnKey(revised(2)) });
        await expect(stored()).resolves.toEqual([drawnKey(revised(2))]);
        expect(engine.drawn).toHaveLength(1);
      },
    );

    it('share a reading of the catalogue when many revisions are invented at once', async () => {
      await queries.sourceOf(request());
      asked = 0;
      await Promise.all(Array.from({ length: 50 }, (_, n) => queries.sourceOf(revised(n + 1))));
      expect(asked).toBe(1);
    });

    it('do not stay when the material is deleted after their client has stopped to wait', async () => {
      const release = engine.hold();
      let puts = 0;
      const put = blobs.put.bind(blobs);
      blobs.put = async (key, bytes) => {
        await put(key, bytes);
        puts += 1;
      };
      const late = runInCall({ requestId: 'late', timeoutMs: 4_000 }, () => service.render(request()));
      await expect(late).rejects.toMatchObject({ kind: { code: 'service.overloaded' } });
      catalogue = null;
      release();
      await eventually('the image is stored', () => puts === 1);
      await eventually('it is deleted', async () => (await stored()).length === 0);
    });

    it('do not stay when the material lost them while they were drawn', async () => {
      afterFirst(() => (catalogue = { ...source, products: [] }));
      await expect(service.render(request())).rejects.toMatchObject(notFound);
      await expect(stored()).resolves.toEqual([]);
    });

    it('stay when the catalogue is away for a moment: a worker that prepares them has seen them stored', async () => {
      const [image] = imagesToPrepare(source);
      const answer = jest.spyOn(queries, 'source');
      afterFirst(() => answer.mockRejectedValueOnce(new Error('the catalogue is away')));
      const { key } = await service.render(image!);
      expect(answer).toHaveBeenCalledTimes(3);
      await expect(stored()).resolves.toEqual([key]);
      answer.mockRestore();
    });

    it('do not stay when they cannot be checked at all', async () => {
      const answer = jest.spyOn(queries, 'source');
      afterFirst(() => answer.mockRejectedValue(new Error('the catalogue is away')));
      await expect(serviceOf(engine, blobs, [1, 1]).render(request())).rejects.toThrow('away');
      // What to draw, and three checks
      expect(answer).toHaveBeenCalledTimes(4);
      await expect(stored()).resolves.toEqual([]);
      answer.mockRestore();
    });

    it('stay when whoever asked does not wait any more', async () => {
      const caller = new AbortController();
      afterFirst(() => caller.abort());
      await runInCall({ requestId: 'gone', signal: caller.signal }, () => service.render(request()));
      await expect(stored()).resolves.toEqual([drawnKey(request())]);
    });

    it('ask the catalogue little: several images of one product share an answer', async () => {
      await service.render(request());
      await service.render(request({ angle: 'left' }));
      // One for what to draw, and one after each drawing for whether the material is still there
      expect(asked).toBe(3);
    });

    it('are refused when too many wait, and the drawing goes on', async () => {
      const release = engine.hold();
      const many = Array.from({ length: 120 }, (_, n) => request({ adjustment: `1.0+0.${n}-0.1` }));
      const refused: unknown[] = [];
      const asked = many.map((each) => service.render(each).catch((error: unknown) => void refused.push(error)));
      await eventually('those are refused that find no place', () => refused.length === 120 - 4 - 40);
      release();
      await Promise.all(asked);
      expect(refused).toHaveLength(120 - 4 - 40);
      expect(refused[0]).toMatchObject({ kind: { code: 'service.overloaded', status: 503 } });
    });
  });

  describe('that clients had drawn', () => {
    const limit = 100_000;
    const adjusted = (n: number) => request({ adjustment: `1.0+0.${n}-0.1`, format: 'png' });
    const bytesIn = async (...folders: string[]): Promise<number> => {
      let bytes = 0;
      for (const folder of folders) for await (const { size } of blobs.factsBelow(folder)) bytes += size;
      return bytes;
    };
    const sweepOf = (bytes = limit) =>
      new RenderedImageSweeper(drawn, blobs, pino({ level: 'silent' }), {
        DRAWN_IMAGES_MB: bytes / 1024 ** 2,
      } as RenderingEnv);
    const counted = () => db.database.query<{ key: string }>('select key from drawn_images order by key');

    it('are bounded: those not used for longest go and are drawn again, those used and the prepared ones stay', async () => {
      await consumer.materialCreated(delivery('material.created'));
      const prepared = (await stored()).sort();
      // A client that is faster than the event
      await blobs.deleteBelow('images');
      for (const image of imagesToPrepare(source)) await service.render(image);
      expect((await stored()).sort()).toEqual(prepared);
      for (let n = 0; n < 8; n += 1) await service.render(adjusted(n));
      const before = await bytesIn(...evictedFolders);
      expect(before).toBeGreaterThan(2 * limit);
      await db.database.query(`update drawn_images set used_at = used_at - interval '2 minutes'`);
      await drawn.use([drawnKey(adjusted(0))]);

      // Two replicas find the same ones
      await Promise.all([sweepOf().sweep(), sweepOf().sweep()]);
      const after = await bytesIn(...evictedFolders);
      expect(after).toBeLessThanOrEqual(limit);
      expect(after).toBeGreaterThan(limit / 2);
      await expect(sweepOf().sweep()).resolves.toBe(0);
      const left = await below('drawn');
      expect(left).toContain(drawnKey(adjusted(0)));
      expect(left).not.toContain(drawnKey(adjusted(1)));
      expect((await below('images')).sort()).toEqual(prepared);
      await expect(service.render(adjusted(1))).resolves.toEqual({ key: drawnKey(adjusted(1)) });
      await expect(blobs.has(drawnKey(adjusted(1)))).resolves.toBe(true);
    });

    it('are counted as long as they are stored, whatever happens between blob and row', async () => {
      for (let n = 0; n < 3; n += 1) await service.render(adjusted(n));
      await expect(counted()).resolves.toHaveLength(3);
      // Drawn again between the deletion of the blob and that of the row
      const { images } = await drawn.overLimit(0);
      await blobs.delete(images[0]!.key);
      await service.render(adjusted(0));
      await drawn.removeUnchanged(images);
      await expect(counted()).resolves.toEqual([{ key: drawnKey(adjusted(0)) }]);
      // A process that ended before the row, or a database that lost its rows
      await expect(sweepOf().count()).resolves.toBe(2);
      await expect(sweepOf().count()).resolves.toBe(0);
      await expect(counted()).resolves.toHaveLength(3);
      await sweepOf(0).sweep();
      await expect(counted()).resolves.toEqual([]);
      await expect(stored()).resolves.toEqual([]);
    });

    it('go with their material, rows and all, and those of others stay', async () => {
      const other = 'drawn/123/x';
      await blobs.put(other, Buffer.from('x'));
      await drawn.add(other, 1);
      for (let n = 0; n < 3; n += 1) await service.render(adjusted(n));
      // As the version before stored them
      await blobs.put(`adjusted/${materialId}/x`, Buffer.from('x'));
      await consumer.materialDeleted(delivery('material.deleted'));
      await expect(stored()).resolves.toEqual([other]);
      await expect(counted()).resolves.toEqual([{ key: other }]);
    });

    it('are one for all materials when they show none', async () => {
      const blank = request({ printed: false, adjustment: '1.0+0.1-0.1' });
      const first = await service.render(blank);
      const filePath = '13/1763629200-300x300.png';
      catalogue = { ...source, materialId: 13, filePath, products: [{ ...mug, revision: 4, published: false }] };
      const second = { ...blank, materialId: 13, filePath };
      await expect(service.render(second)).rejects.toMatchObject(notFound);
      const draft = await service.render({ ...second, draft: true });
      expect([first, draft]).toEqual([{ key: blankKey(blank) }, { key: blankKey(blank) }]);
      expect(engine.drawn).toHaveLength(1);
      await expect(stored()).resolves.toEqual([blankKey(blank)]);
      await service.remove(materialId);
      await expect(stored()).resolves.toEqual([blankKey(blank)]);
    });
  });

  describe('that nobody has asked for yet', () => {
    it('are all drawn, with progress, and said to be there', async () => {
      const it = delivery('material.created');
      await consumer.materialCreated(it);
      const wanted = imagesToPrepare(source).map(imageKey);
      expect((await stored()).sort()).toEqual(wanted.sort());
      expect(it.seen.at(-1)).toEqual({ done: wanted.length, of: wanted.length });
      await expect(outbox()).resolves.toEqual([
        {
          name: 'material.rendered',
          payload: { materialId, userId: 7, title: 'Lighthouse', images: wanted.length },
        },
      ]);
    });

    it('count as progress when they are there, not before', async () => {
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

    it('are drawn from where an attempt was stopped', async () => {
      const stop = new AbortController();
      engine.after = () => stop.abort(new Error('the process ends'));
      await expect(consumer.materialCreated(delivery('material.created', stop.signal))).rejects.toThrow(
        'the process ends',
      );
      const before = await stored();
      expect(before.filter(isImage).length).toBeGreaterThan(0);
      await expect(outbox()).resolves.toEqual([]);
      engine.after = () => undefined;
      engine.drawn = [];
      const next = delivery('material.created');
      await consumer.materialCreated(next);
      const there = before.filter(isImage).length;
      expect(engine.drawn).toHaveLength(imagesToPrepare(source).length - there);
      expect((next.seen[0] as { done: number }).done).toBeGreaterThan(there);
      await expect(outbox()).resolves.toHaveLength(1);
    });

    it('are not drawn for a material that was deleted, and what is there goes', async () => {
      await service.render(request());
      catalogue = null;
      await consumer.materialCreated(delivery('material.created'));
      await expect(stored()).resolves.toEqual([]);
      await expect(outbox()).resolves.toEqual([]);
    });

    it('are removed when the material was deleted while they were drawn', async () => {
      engine.after = () => void (catalogue = null);
      await consumer.materialCreated(delivery('material.created'));
      await expect(stored()).resolves.toEqual([]);
      await expect(outbox()).resolves.toEqual([]);
    });
  });

  describe('that was changed', () => {
    const note = { itemName: 'note' };
    const adjusted = { adjustment: '1.0+0.1-0.1' };

    beforeEach(async () => {
      source = {
        ...source,
        products: [...source.products, { ...mug, itemName: 'note', angles: ['front'], essentialAngles: ['front'] }],
      };
      catalogue = source;
      await consumer.materialCreated(delivery('material.created'));
      await service.render(request({ ...adjusted, angle: 'front' }));
      await service.render(request({ ...adjusted, ...note, angle: 'front' }));
      await db.database.query('delete from outbox');
      engine.drawn = [];
    });

    const sample = () => request({ width: 500, height: 500, angle: 'front' });
    const wantedKeys = (state: ImageSource) => imagesToPrepare(state).map(imageKey).sort();
    const adjustedKeys = (): Promise<string[]> => below('drawn');

    it('are drawn anew for the items with a newer revision, adjusted ones are deleted, and no event is published', async () => {
      catalogue = {
        ...source,
        products: [{ ...mug, revision: 1, colors: [{ name: 'white', rgb: '#223344' }] }, source.products[1]!],
      };
      await consumer.materialUpdated(delivery('material.updated'));
      expect((await below('images')).sort()).toEqual(wantedKeys(catalogue));
      expect(new Set(engine.drawn.map(({ itemName }) => itemName))).toEqual(new Set(['mug']));
      await expect(shows(sample(), catalogue)).resolves.toBe(true);
      await expect(adjustedKeys()).resolves.toEqual([drawnKey(request({ ...adjusted, ...note, angle: 'front' }))]);
      await expect(outbox()).resolves.toEqual([]);
    });

    it('stay when they are of the new revision already', async () => {
      catalogue = changed();
      const { key } = await service.render(request({ ...revised(1), angle: 'right' }));
      const drawnAt = (await blobs.facts(key))!.modifiedAt;
      await consumer.materialUpdated(delivery('material.updated', undefined, ['mug', 'note']));
      expect((await blobs.facts(key))!.modifiedAt).toEqual(drawnAt);
    });

    it('are public no longer when their product is unpublished, adjusted or not', async () => {
      const [first, ...others] = source.products;
      catalogue = { ...source, products: [{ ...first!, published: false }, ...others] };
      await consumer.materialUpdated(delivery('material.updated', undefined, []));
      expect((await below('images')).sort()).toEqual(wantedKeys(catalogue));
      const publicKeys = (await stored()).map((key) => storedImageOf(key)!);
      expect(publicKeys.filter(({ itemName, draft }) => itemName === 'mug' && !draft)).toEqual([]);
      await expect(adjustedKeys()).resolves.toEqual([drawnKey(request({ ...adjusted, ...note, angle: 'front' }))]);
      await expect(service.render(request({ angle: 'front' }))).rejects.toMatchObject(notFound);
    });

    it('are drawn for an item that came, though none is old', async () => {
      catalogue = { ...source, products: [...source.products, { ...source.products[1]!, itemName: 'sticker' }] };
      await consumer.materialUpdated(delivery('material.updated', undefined, []));
      expect(new Set(engine.drawn.map(({ itemName }) => itemName))).toEqual(new Set(['sticker']));
    });

    it('are drawn as public ones when a product is published later, and those of its draft go', async () => {
      const published = source.products;
      catalogue = source = { ...source, products: published.map((product) => ({ ...product, published: false })) };
      for (const folder of ['images', 'drawn']) await blobs.deleteBelow(folder);
      await consumer.materialCreated(delivery('material.created'));
      expect((await below('images')).sort()).toEqual(wantedKeys(source));
      expect(engine.drawn).toHaveLength(published.length);
      await expect(outbox()).resolves.toMatchObject([{ name: 'material.rendered', payload: { images: 2 } }]);
      catalogue = source = { ...source, products: published };
      engine.drawn = [];
      await consumer.materialUpdated(delivery('material.updated', undefined, []));
      expect((await below('images')).sort()).toEqual(wantedKeys(source));
      expect(engine.drawn).toHaveLength(wantedKeys(source).length);
      await expect(outbox()).resolves.toHaveLength(1);
    });

    it('all go when the material may not be shown', async () => {
      catalogue = null;
      await consumer.materialUpdated(delivery('material.updated', undefined, 'all'));
      await expect(stored()).resolves.toEqual([]);
      await expect(adjustedKeys()).resolves.toEqual([]);
      expect(engine.drawn).toEqual([]);
      await expect(outbox()).resolves.toEqual([{ name: 'images.withdrawn', payload: { materialId } }]);
    });

    it('are drawn from where an attempt was stopped', async () => {
      catalogue = changed();
      const stop = new AbortController();
      engine.after = () => stop.abort(new Error('the process ends'));
      const both = ['mug', 'note'];
      await expect(consumer.materialUpdated(delivery('material.updated', stop.signal, both))).rejects.toThrow('ends');
      const drawn = engine.drawn.length;
      expect(drawn).toBeLessThan(wantedKeys(source).length);
      engine.after = () => undefined;
      await consumer.materialUpdated(delivery('material.updated', undefined, both));
      expect(engine.drawn).toHaveLength(wantedKeys(source).length);
      expect((await below('images')).sort()).toEqual(wantedKeys(changed()));
    });

    it('are right when the material changes again while they are drawn', async () => {
      catalogue = changed();
      afterFirst(() => (catalogue = changed(2)));
      await consumer.materialUpdated(delivery('material.updated'));
      expect((await below('images')).sort()).toEqual(wantedKeys(changed(2)));
      for (const image of imagesToPrepare(source)) await expect(shows(image, changed(2))).resolves.toBe(true);
    });

    it('are right when the material changes again between two attempts', async () => {
      catalogue = changed();
      const stop = new AbortController();
      engine.after = () => stop.abort(new Error('the process ends'));
      await expect(consumer.materialUpdated(delivery('material.updated', stop.signal))).rejects.toThrow('ends');
      engine.after = () => undefined;
      catalogue = changed(2);
      await consumer.materialUpdated(delivery('material.updated'));
      expect((await below('images')).sort()).toEqual(wantedKeys(changed(2)));
      for (const image of imagesToPrepare(source)) await expect(shows(image, changed(2))).resolves.toBe(true);
    });

    it('are right when an old one was being drawn for somebody meanwhile', async () => {
      const old = request({ angle: 'right' });
      let updated: Promise<void> | undefined;
      afterFirst(() => {
        catalogue = changed();
        updated = consumer.materialUpdated(delivery('material.updated', undefined, ['mug', 'note']));
      });
      await service.render(old);
      await updated;
      // The update may have removed it once more, which is no harm: an old one would stay and be found
      await service.render(old);
      await expect(shows(old, changed())).resolves.toBe(true);
    });

    it('are there when they are answered, although an old one was deleted behind a shared drawing', async () => {
      const old = request({ angle: 'right' });
      const store = blobs.put.bind(blobs);
      let stored = 0;
      blobs.put = async (key, bytes) => {
        await store(key, bytes);
        stored += 1;
        if (stored === 2) await sleep(50);
        if (stored !== 1) return;
        // An update comes in between, and has stored its image but not heard of it yet
        catalogue = redefined();
        await blobs.delete(key);
        void service.prepare(old, redefined());
        await eventually('the new image', () => stored === 2);
      };
      const { key } = await service.render(old);
      await expect(blobs.has(key)).resolves.toBe(true);
      await expect(shows(old, redefined())).resolves.toBe(true);
    });
  });

  it('are right when a new material is changed while its first images are drawn', async () => {
    afterFirst(() => (catalogue = changed()));
    await consumer.materialCreated(delivery('material.created'));
    for (const image of imagesToPrepare(source)) await expect(shows(image, changed())).resolves.toBe(true);
    await expect(outbox()).resolves.toMatchObject([{ name: 'material.rendered' }]);
  });

  it('go when the material is deleted; the texture, until it is swept, and other materials stay', async () => {
    await service.render(request());
    await blobs.put('images/123/other', Buffer.from('x'));
    await consumer.materialDeleted(delivery('material.deleted'));
    await consumer.materialDeleted(delivery('material.deleted'));
    await expect(stored()).resolves.toEqual(['images/123/other']);
    await expect(blobs.has(`textures/${source.textureHash}`)).resolves.toBe(true);
  });
});
